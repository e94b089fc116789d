/**
 * Writes the pages of docs/ that are printed from the code; a test checks that they are current.
 * `npm run build && npm run docs`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMain, root, runTool } from './run.mjs';

/** @typedef {typeof import('../src/client/connection/machine.js')} Machine */
/** @typedef {import('../src/client/connection/machine.js').MachineState} State */
/** @typedef {import('../src/client/connection/machine.js').MachineEvent} Event */

/** @type {State[]} */
const STATES = [
  { name: 'closed' },
  { name: 'starting', retries: 0, established: true },
  { name: 'initializing', retries: 0, established: true, renewing: false },
  { name: 'ready' },
  { name: 'backoff', retries: 1, established: true, delay: 1_000 },
  { name: 'closing' },
];

/** @type {[Event, string][]} */
const EVENTS = [
  [{ type: 'connect' }, '`connect()` was called'],
  [{ type: 'opened' }, 'the transport is open: the process runs, the address is known'],
  [{ type: 'agreed' }, 'a revision is agreed on; log level and subscriptions are established'],
  [{ type: 'failed', chance: 0.5 }, 'the attempt failed'],
  [{ type: 'lost', chance: 0.5 }, 'the connection ended, does not answer, or cannot be reached'],
  [{ type: 'forgotten' }, 'the server answers, and no longer knows the session'],
  [{ type: 'elapsed' }, 'the backoff is over'],
  [{ type: 'hurry' }, '`client.reconnect()` was called'],
  [{ type: 'close' }, '`client.close()` was called'],
  [{ type: 'ended' }, 'the connection is closed completely'],
];

/** @param {Machine} machine */
export function renderClientStates({ transition, DEFAULT_POLICY, backoffDelay }) {
  const table = (/** @type {State[]} */ states, /** @type {typeof DEFAULT_POLICY} */ policy) =>
    states.flatMap((state) =>
      EVENTS.flatMap(([event]) => {
        const { state: next, effects } = transition(state, event, policy);
        if (next === state) return [];
        const done = effects.map(({ type }) => type.replaceAll('_', ' ')).join(', ');
        return [`| ${state.name} | ${event.type} | ${next.name} | ${done || '-'} |`];
      }),
    );
  const head = ['| state | event | next state | effects |', '|---|---|---|---|'];
  const delays = [0, 1, 2, 3, 4, 5].map((retries) => backoffDelay(DEFAULT_POLICY, retries, 0.5) / 1_000);
  const first = STATES.filter(({ name }) => name === 'starting' || name === 'initializing').map(
    (state) => /** @type {State} */ ({ ...state, established: false }),
  );
  /** @type {State} */
  const renewing = { name: 'initializing', retries: 0, established: true, renewing: true };
  const still = [...STATES.filter(({ name }) => name === 'ready'), renewing];
  return [
    '# The states of a client',
    '',
    'Printed from `src/client/connection/machine.ts` by `npm run docs`; do not edit. Events that are not listed do not change the state.',
    '',
    ...head,
    ...table(STATES, DEFAULT_POLICY),
    '',
    `Waits between attempts, in seconds: ${delays.join(', ')} and so on, each with a jitter of ${DEFAULT_POLICY.jitter * 100} %.`,
    'The sequence starts again after a connection is established.',
    '',
    'Before the first connection is established, without `lazy`:',
    '',
    ...head,
    ...table(first, DEFAULT_POLICY),
    '',
    'With `recover: false`, or for a transport that cannot be opened again:',
    '',
    ...head,
    ...table(still, { ...DEFAULT_POLICY, recover: false }),
    '',
    '| event | what happened |',
    '|---|---|',
    ...EVENTS.map(([{ type }, meaning]) => `| ${type} | ${meaning} |`),
    '',
  ].join('\n');
}

if (isMain(import.meta)) {
  const machine = await import(join(root, 'dist/client/connection/machine.js'));
  writeFileSync(join(root, 'docs/client-states.md'), renderClientStates(machine));
  const { CHAIN_SCHEMA } = await import(join(root, 'dist/chain/config-schema.js'));
  const schema = join(root, 'schema/chain.schema.json');
  writeFileSync(schema, `${JSON.stringify(CHAIN_SCHEMA, null, 2)}\n`);
  await runTool('@biomejs/biome', 'biome', ['format', '--write', schema]);
}
