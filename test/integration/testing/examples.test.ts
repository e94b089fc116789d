/** The examples for vitest and node:test, run by each of them. */

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
