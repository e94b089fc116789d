/** Correct peers on a busy machine: what comes late, or overtakes something else, is no finding. */

import { expect, test } from 'vitest';
import { clientTrial } from './mutations/client-harness.js';
import { is } from './mutations/client-pieces.js';
import { type HttpRequest, type Mutation, trial } from './mutations/harness.js';
import { hears } from './mutations/variants/pieces.js';

const late = (id: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_700, message: 'late' } });

/** Says this twice in all, just before the server hears the first messages of a kind. */
function twice(fits: (method: unknown) => boolean, text: string): Partial<Mutation> {
  let said = 0;
  return {
    input: (message, say, given) => {
      const method = typeof message === 'object' && message !== null && 'method' in message && message.method;
      if (said < 2 && fits(method)) {
        said += 1;
        say(text);
      }
      return given;
    },
  };
}

test('a late refusal of something else does not answer a cancellation', async () => {
  const refusal = { error: { code: -32_601, message: 'late' }, id: 'asked-before' };
  const change = hears((message, say) => {
    if (message.method === 'notifications/cancelled') say(refusal);
    return message;
  });
  const { verdict, message } = await trial({ id: '085', name: 'late', revision: 4, ...change }, false);
  expect([verdict, message]).toEqual(['pass', 'pass']);
});

test('a late refusal of a line that was no JSON does not answer a notification', async () => {
  const change = twice((method) => String(method).startsWith('notifications/plumb'), late(null));
  const { verdict, message } = await trial({ id: '008', name: 'late', revision: 4, ...change }, false);
  expect([verdict, message]).toEqual(['pass', 'pass']);
});

test('a cancellation that overtakes its request is one of a request of its own', async () => {
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'overtaken' } };
  const { found, message } = await clientTrial({
    id: '082',
    name: 'overtaken',
    in: ['handshake-4'],
    after: (call) =>
      is('prompts/get')(call)
        ? [cancel, { jsonrpc: '2.0', id: 'overtaken', method: 'ping' }].map((given) => ({
            text: JSON.stringify(given),
          }))
        : [],
  });
  expect([found, message]).toEqual([false, 'pass']);
});

test('over HTTP a server may cancel what it sent to a stream that was closed', async () => {
  const params = { requestId: 0, reason: 'Request timed out' };
  const cancel = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  const http = { opening: ({ method }: HttpRequest) => (method === 'GET' ? `data: ${cancel}\n\n` : '') };
  const lost: Mutation = { id: '082', name: 'lost', transport: 'http', revision: 4, http };
  const { verdict, message } = await trial(lost, false);
  expect([verdict, message]).toEqual(['pass', 'pass']);
});
