import { expect, it } from 'vitest';
import { isRunByNpm } from '../../../../src/cli/session/runner-watch.js';

it.each([
  ["'plumb'", true],
  ['plumb dev -- node src/main.ts', true],
  ['plumb chain chain.yaml --http 3300 &', false],
  ['vite', false],
  [undefined, false],
])('a command run by the script %s of npm ends with it: %s', (script, ends) => {
  expect(isRunByNpm(script)).toBe(ends);
});
