import { expect, it } from 'vitest';
import { nodeRunsTypeScript, typescriptCommand } from '../../../../src/cli/dev/typescript.js';

const TSX = (): string => 'file:///tsx.mjs';

it('runs TypeScript as it is where Node strips types', () => {
  expect(typescriptCommand(['node', 'server.ts'], true, TSX)).toEqual(['node', 'server.ts']);
  expect(nodeRunsTypeScript({ typescript: 'strip' })).toBe(true);
  expect(nodeRunsTypeScript({})).toBe(false);
});

it('registers tsx where Node does not, and only for TypeScript files of node', () => {
  expect(typescriptCommand(['/usr/bin/node', '--inspect', 'a.ts', 'x'], false, TSX)).toEqual([
    '/usr/bin/node',
    '--import',
    'file:///tsx.mjs',
    '--inspect',
    'a.ts',
    'x',
  ]);
  expect(typescriptCommand(['node', 'server.js'], false, TSX)).toEqual(['node', 'server.js']);
  expect(typescriptCommand(['tsx', 'server.ts'], false, TSX)).toEqual(['tsx', 'server.ts']);
});

it('names what is missing where neither is there', () => {
  expect(() => typescriptCommand(['node', 'server.ts'], false, () => undefined)).toThrow(
    'npm install --save-dev tsx',
  );
});
