/** What importing the server loads: only what every server needs. Reads the built files, as users get them. */

import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const DIST = fileURLToPath(new URL('../../../dist', import.meta.url));

/** Files and packages that are reached through static imports. */
function reach(entry: string): { files: string[]; packages: string[] } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)\s(?:[\w*{}\s,$]+\sfrom\s)?['"]([^'"]+)['"];/gm,
    )) {
      if (specifier === undefined) continue;
      if (specifier.startsWith('.')) visit(join(dirname(file), specifier));
      else packages.add(specifier);
    }
  };
  visit(join(DIST, entry));
  return { files: [...files].map((file) => relative(DIST, file)), packages: [...packages] };
}

test('importing the server loads no CLI, HTTP, YAML or OAuth code, and no package at all', () => {
  const { files, packages } = reach('server/index.js');
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => /(^|\/)(cli|http|auth|chain|client|legacy-sse)\//.test(file))).toEqual([]);
  expect(packages).toEqual([]);
});
