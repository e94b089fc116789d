/** `npm run chaos` for a few seconds; the full minute is for people. */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../../scripts/chaos.mjs', import.meta.url));

async function chaos(...args: readonly string[]): Promise<{ output: string; code: unknown }> {
  const child = spawn(process.execPath, [SCRIPT, ...args]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  // Not the end of its output: what a sabotage leaves behind may hold that open.
  const code = await new Promise((resolve) => child.once('exit', resolve));
  return { output, code };
}

it('ten servers that crash, hang, stall, truncate and restart at random break no promise', async () => {
  const { output, code } = await chaos(
    ...'--seconds 8 --answers 5 --servers 10 --callers 4 --seed 11'.split(' '),
  );
  expect(output).toContain('no violations');
  expect(code).toBe(0);
  const [, requests, outcomes] = /requests (\d+), outcomes (\d+)/.exec(output) ?? [];
  expect(Number(requests)).toBeGreaterThan(100);
  expect(outcomes).toBe(requests);
  expect(Number(/connections lost (\d+)/.exec(output)?.[1])).toBeGreaterThan(0);
});

it.concurrent.for<[string, RegExp, string?]>([
  ['answer', /\d+-\d+ was answered with \d+-\d+/],
  ['twice', /was carried out twice/],
  // A call without an outcome would be waited for as well.
  ['outcome', /0-1 had no outcome/, '0'],
  ['process', /process \d+ left behind/],
  ['client', /ProcessWrap left behind/],
  ['listener', /listeners left on a signal/],
])('a promise broken on purpose is found: %s', async ([sabotage, violation, answers = '60']) => {
  const size = ['--seconds', '2', '--servers', '3', '--callers', '2', '--seed', '3', '--patience', '4'];
  const { output, code } = await chaos(...size, '--sabotage', sabotage, '--answers', answers);
  expect(output).toMatch(/\d+ VIOLATIONS/);
  expect(output).toMatch(violation);
  expect(code).toBe(1);
});
