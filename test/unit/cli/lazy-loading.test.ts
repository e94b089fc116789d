import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Everything that is loaded before a command runs: imports that are neither types nor dynamic. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const code = readFileSync(join(root, file), 'utf8');
  for (const [, specifier = ''] of code.matchAll(/^(?:import|export)(?! type)[^;]*?from '([^']+)';/gms)) {
    if (!specifier.startsWith('.')) seen.add(specifier);
    else loadedWith(relative(root, join(root, dirname(file), specifier.replace(/\.js$/, '.ts'))), seen);
  }
  return seen;
}

it('starts without loading the server, the client, or any package but the parser of its options', () => {
  const loaded = [...loadedWith('src/cli/program/program.ts')];
  expect(loaded.filter((name) => !name.startsWith('src/') && !name.startsWith('node:'))).toEqual([
    'commander',
  ]);
  expect(loaded.filter((name) => /^src\/(?!cli\/|protocol\/|jsonrpc\/)/.test(name))).toEqual([]);
  expect(loaded.filter((name) => name.startsWith('src/cli/commands/'))).toEqual([]);
});

it('connects a client to the hub with small files and the socket alone, because it starts for every server', () => {
  expect([...loadedWith('src/cli/plumb.ts')].sort()).toEqual([
    'node:net',
    'node:os',
    'node:path',
    'src/cli/hub/connect.ts',
    'src/cli/hub/hub-places.ts',
    'src/cli/plumb.ts',
  ]);
});
