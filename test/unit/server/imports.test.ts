/** What an import of the package loads: only what is always needed, in few files. Reads the built ones, as users get them. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const DIST = fileURLToPath(new URL('../../../dist', import.meta.url));
const SRC = fileURLToPath(new URL('../../../src', import.meta.url));

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

/** The modules that were joined into these files, by the source maps beside them; what only passes names on has none. */
function modulesOf(files: readonly string[]): string[] {
  return files.flatMap((file) => {
    const map = join(DIST, `${file}.map`);
    if (!existsSync(map)) return [];
    const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] };
    return sources.map((source) =>
      relative(SRC, join(DIST, dirname(file), source))
        .split(sep)
        .join('/'),
    );
  });
}

test('importing the server loads no CLI, HTTP, YAML or OAuth code, and no package at all', () => {
  const { files, packages } = reach('server/index.js');
  const modules = modulesOf(files);
  expect(modules).toContain('server/dispatcher.ts');
  expect(modules.filter((module) => /(^|\/)(cli|http|auth|chain|client|legacy-sse)\//.test(module))).toEqual(
    [],
  );
  expect(packages).toEqual([]);
});

test.each(['server', 'client', 'protocol', 'middleware'])(
  'importing %s loads few files, and nothing of Node',
  (entry) => {
    const { files, packages } = reach(`${entry}/index.js`);
    expect(files.length).toBeLessThanOrEqual(3);
    expect(packages).toEqual([]);
  },
);

test('importing the client loads nothing of the server', () => {
  const modules = modulesOf(reach('client/index.js').files);
  expect(modules).toContain('client/connection/driver.ts');
  expect(modules.filter((module) => /^(server|chain|cli|auth)\//.test(module))).toEqual([]);
});

test('source maps lead to the sources, and the code does not name them: the package has neither', () => {
  const { files } = reach('chain/node.js');
  const modules = modulesOf(files).filter((module) => !module.includes('node_modules/'));
  expect(modules.length).toBeGreaterThan(100);
  expect(modules.filter((module) => !existsSync(join(SRC, module)))).toEqual([]);
  const code = files.map((file) => readFileSync(join(DIST, file), 'utf8'));
  expect(code.filter((text) => text.includes('sourceMappingURL'))).toEqual([]);
});
