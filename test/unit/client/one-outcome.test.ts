/** Exactly one outcome for each call, and nothing left behind, whatever the wire and the caller do. */

import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { connect } from '../../../src/client/index.js';
import {
  handshakeServer,
  type ScriptedServer,
  statelessServer,
  token,
  turn,
  type WireMessage,
} from '../../support/scripted-server.js';

const CALLS = 6;

const step = fc.oneof(
  fc.record({ kind: fc.constant('call' as const), progress: fc.boolean() }),
  fc.record({
    kind: fc.constantFrom('answer', 'refuse', 'progress', 'abort', 'ask', 'garble'),
    which: fc.nat(CALLS),
  }),
  fc.record({ kind: fc.constant('wait' as const), time: fc.constantFrom(1, 400, 1_000, 5_000) }),
  fc.constant({ kind: 'close' as const }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ['handshake', handshakeServer],
  ['stateless', statelessServer],
])('holds for a %s server', async (_era, create) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const outcomes = await play(create(), steps);
      for (const count of outcomes) expect(count).toBe(1);
    }),
    { numRuns: 300 },
  );
});

/** Plays the steps and returns how often each call had an outcome. */
async function play(server: ScriptedServer, steps: readonly Step[]): Promise<number[]> {
  const client = await connect(server, { elicit: () => ({ action: 'decline' }), maxInputRounds: 2 });
  const outcomes: number[] = [];
  const aborts: AbortController[] = [];
  const settled: Promise<void>[] = [];
  for (const action of steps) {
    if (action.kind === 'call') {
      const index = outcomes.push(0) - 1;
      const controller = new AbortController();
      aborts.push(controller);
      const done = (): void => {
        outcomes[index] = (outcomes[index] ?? 0) + 1;
      };
      const options = { timeout: 1_000, maxTimeout: 3_000, signal: controller.signal };
      const call = client.tools.call(
        'x',
        {},
        action.progress ? { ...options, onProgress: () => {} } : options,
      );
      settled.push(call.then(done, done));
    } else if (action.kind === 'wait') {
      await vi.advanceTimersByTimeAsync(action.time);
    } else if (action.kind === 'close') {
      await server.hangUp();
    } else {
      await turn();
      if (action.kind === 'abort') aborts[action.which]?.abort();
      else disturb(server, action.kind, server.all('tools/call')[action.which]);
    }
  }
  await turn();
  for (const request of server.all('tools/call')) server.answer(request, { content: [] });
  await turn();
  await vi.advanceTimersByTimeAsync(10_000);
  await Promise.all(settled);
  const cancelled = server.all('notifications/cancelled').map(({ params }) => params.requestId);
  expect(new Set(cancelled).size).toBe(cancelled.length);
  expect(client.stats.waiting).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
  await client.close();
  return outcomes;
}

function disturb(server: ScriptedServer, kind: string, request: WireMessage | undefined): void {
  if (request === undefined) return;
  switch (kind) {
    case 'answer':
      server.answer(request, { content: [] });
      return;
    case 'refuse':
      server.refuse(request, -32603);
      return;
    case 'progress':
      server.notify('notifications/progress', { progressToken: token(request) ?? request.id, progress: 1 });
      return;
    case 'ask': {
      const params = { message: '?', requestedSchema: { type: 'object', properties: {} } };
      const inputRequests = { q: { method: 'elicitation/create', params } };
      server.answer(request, { resultType: 'input_required', inputRequests, requestState: 's' });
      return;
    }
    default:
      server.send(`{"jsonrpc":"2.0","id":${JSON.stringify(request.id)},"result":[]}`);
  }
}
