/**
 * No test sleeps: it waits for the event, polls for the outcome (`expect.poll`, `vi.waitFor`), or has the clock injected.
 * A pause is either too short on a busy machine or too long on all others.
 */
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { root } from './run.mjs';
import { filesUnder } from './stamp.mjs';

/** Peers that tests talk to may take their time: that is what they are for. */
const PEERS = /\/(fixtures|programs|servers|node_modules)\/|\/reference-(client|server)\.ts$/;

const SLEEPS = [
  /from 'node:timers\/promises'/,
  /new Promise(<[^>]*>)?\(\((\w+)\) => (void )?setTimeout\((\2|\(\) => \2\([^)]*\)), *[^)]/,
  /\bwaitForTimeout\(/,
  /\bAtomics\.wait\(/,
];

/** @returns {import('./run.mjs').Outcome} */
export function checkSleeps() {
  const files = filesUnder(join(root, 'test')).map((file) => relative(root, file).split(sep).join('/'));
  const found = files
    .filter((file) => /\.(ts|mjs)$/.test(file) && !PEERS.test(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          SLEEPS.some((sleep) => sleep.test(line)) ? [`${file}:${index + 1}: ${line.trim()}\n`] : [],
        ),
    );
  const advice = 'Wait for the event, poll for the outcome, or inject the clock.\n';
  return { ok: found.length === 0, output: found.length === 0 ? '' : found.join('') + advice };
}
