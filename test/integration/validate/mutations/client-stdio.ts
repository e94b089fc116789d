/** Ways to break a client that starts its server, written from the sentences of the specification alone. */

import { isRecord, type JsonObject } from '../../../../src/jsonrpc/message.js';
import type { LineMutation } from './client-stdio-harness.js';

type Change = Pick<LineMutation, 'lines' | 'starts'>;
const broken = (id: string, name: string, scenarios: readonly string[], change: Change): LineMutation => ({
  id,
  name,
  in: scenarios,
  ...change,
});
const HANDSHAKE = ['handshake-4'];
const FRAMING = ['framing-4'];
const FRAMING_STATELESS = ['framing-5'];
const STATELESS = ['stateless'];
const isRequest = (message: JsonObject): boolean => typeof message.method === 'string' && 'id' in message;

/** Changes messages of a kind; undefined keeps a message back. */
const changes = (
  fits: (message: JsonObject) => boolean,
  change: (message: JsonObject, memory: Map<string, unknown>) => unknown,
): Change => ({
  lines: (message, memory) => {
    if (!fits(message)) return [JSON.stringify(message)];
    const changed = change(message, memory);
    return changed === undefined ? [] : [JSON.stringify(changed)];
  },
});
const sends =
  (method: string) =>
  (message: JsonObject): boolean =>
    message.method === method;
export const CLIENT_STDIO_MUTATIONS: readonly LineMutation[] = [
  broken(
    '002',
    'ids have a fraction',
    STATELESS,
    changes(isRequest, (message) => ({ ...message, id: 0.5 })),
  ),
  broken('003', 'every request has the same id', HANDSHAKE, {
    ...changes(
      (message) => isRequest(message) && message.method !== 'initialize',
      (message) => ({ ...message, id: 'same' }),
    ),
  }),
  broken(
    '017',
    'lists are asked for in a batch',
    HANDSHAKE,
    changes(sends('tools/list'), (message) => [message]),
  ),
  broken('030', 'messages are pretty-printed', FRAMING, {
    lines: (message) => JSON.stringify(message, null, 2).split('\n'),
  }),
  broken('030', 'calls are cut in two', FRAMING_STATELESS, {
    lines: (message) => {
      const text = JSON.stringify(message);
      const middle = text.indexOf(',') + 1;
      return message.method === 'tools/call' ? [text.slice(0, middle), text.slice(middle)] : [text];
    },
  }),
  broken('032', 'a banner comes first', FRAMING, {
    lines: (message, memory) => {
      const first = memory.get('began') !== true;
      memory.set('began', true);
      return [...(first ? ['client 1.0 is starting'] : []), JSON.stringify(message)];
    },
  }),
  broken('032', 'a log line in JSON beside each call', FRAMING_STATELESS, {
    lines: (message) => [
      JSON.stringify(message),
      ...(message.method === 'tools/call' ? ['{"level":"info","msg":"called"}'] : []),
    ],
  }),
  broken('032', 'empty lines between messages', FRAMING, {
    lines: (message) => ['', JSON.stringify(message)],
  }),
  broken('038', 'a server that crashed stays down', ['crash'], { starts: 1 }),
  broken(
    '041',
    'knows no older era',
    ['fallback-invalid'],
    changes(sends('initialize'), () => undefined),
  ),
  broken('050', 'never says initialized', HANDSHAKE, {
    ...changes(sends('notifications/initialized'), () => undefined),
  }),
  broken('059', 'requests have no envelope', STATELESS, {
    ...changes(
      (message) => isRequest(message) && message.method !== 'initialize',
      (message) => ({
        ...message,
        params: Object.fromEntries(
          Object.entries(isRecord(message.params) ? message.params : {}).filter(([name]) => name !== '_meta'),
        ),
      }),
    ),
  }),
  broken('081', 'ping is not answered', HANDSHAKE, {
    ...changes(
      ({ result }) => isRecord(result) && Object.keys(result).length === 0,
      () => undefined,
    ),
  }),
  broken('086', 'another request is cancelled', ['cancel-stdio'], {
    ...changes(sends('notifications/cancelled'), (message) => ({
      ...message,
      params: { ...(isRecord(message.params) ? message.params : {}), requestId: 'another' },
    })),
  }),
];
