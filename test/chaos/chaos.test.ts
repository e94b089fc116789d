/** `npm run chaos` for a few seconds; the full minute is for people. */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../scripts/chaos.mjs', import.meta.url));

it('ten servers that crash, hang, stall, truncate and restart at random break no promise', async () => {
  const args = ['--seconds', '8', '--servers', '10', '--callers', '4', '--seed', '11'];
  const child = spawn(process.execPath, [SCRIPT, ...args]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(output).toContain('no violations');
  expect(code).toBe(0);
  const [, requests, outcomes] = /requests (\d+), outcomes (\d+)/.exec(output) ?? [];
  expect(Number(requests)).toBeGreaterThan(100);
  expect(outcomes).toBe(requests);
  expect(Number(/connections lost (\d+)/.exec(output)?.[1])).toBeGreaterThan(0);
}, 90_000);
