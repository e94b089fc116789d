/** The examples for vitest, jest and node:test, run by each of them. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const example = (name: string): string => join(ROOT, 'examples/testing', name);

test('vitest runs its example', async () => {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--dir', 'examples/testing', '--config', 'examples/testing/vitest.config.ts'];
  const { stdout } = await run(process.execPath, args, { cwd: ROOT, env: { ...process.env, NO_COLOR: '1' } });
  expect(stdout).toMatch(/Tests {2}3 passed/);
}, 60_000);

test('node:test runs its example', async () => {
  const { stdout } = await run(process.execPath, ['--test', example('node-test.example.mjs')], { cwd: ROOT });
  expect(stdout).toMatch(/pass 3/);
}, 60_000);

test('jest runs its example', async () => {
  const args = [join(ROOT, 'node_modules/jest/bin/jest.js'), '--config', example('jest.config.json')];
  const env = { ...process.env, NO_COLOR: '1', NODE_OPTIONS: '--experimental-vm-modules' };
  const { stderr } = await run(process.execPath, args, { cwd: ROOT, env });
  expect(stderr).toMatch(/Tests: +3 passed, 3 total/);
}, 60_000);
