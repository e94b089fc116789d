import { expect, it } from 'vitest';
import { commandName } from '../../../../src/cli/program/command-name.js';

it.each([
  ['an installed command', '/usr/bin/plumb', undefined, 'plumb'],
  ['npx', 'C:/work/plumb-mcp/dist/cli/plumb.cjs', "'plumb'", 'npx plumb'],
  ['a script of the project', '/work/node_modules/.bin/plumb', 'node dev.js', 'npx plumb'],
  ['the repository', '/work/dist/cli/main.js', 'node scripts/start.mjs', 'node dist/cli/main.js'],
])('is what the user can paste, for %s', (_what, path, script, name) => {
  expect(commandName({ path, script, directory: '/work' })).toBe(name);
});
