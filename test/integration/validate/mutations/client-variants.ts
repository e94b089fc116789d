/** More ways to break a client, written from the text of the specification. */

import { isRecord } from '../../../../src/jsonrpc/message.js';
import { type ClientMutation, header, message, meta } from './client-harness.js';
import { any, is, isAnswer, isRequest, NEW, OLD, PREFIX, params, without } from './client-pieces.js';

const onGet = (call: { readonly method: string }): boolean => call.method === 'GET';
const onDelete = (call: { readonly method: string }): boolean => call.method === 'DELETE';
const posts =
  (extra: object): NonNullable<ClientMutation['after']> =>
  (call) =>
    is('notifications/initialized')(call) ? [{ text: JSON.stringify({ jsonrpc: '2.0', ...extra }) }] : [];

export const CLIENT_VARIANTS: readonly ClientMutation[] = [
  {
    id: '211',
    name: 'GET without the session id',
    in: OLD,
    ...header('mcp-session-id', () => undefined, onGet),
  },
  {
    id: '211',
    name: 'DELETE without the session id',
    in: OLD,
    ...header('mcp-session-id', () => undefined, onDelete),
  },
  {
    id: '211',
    name: 'another session id',
    in: OLD,
    ...header(
      'mcp-session-id',
      () => 'made-up',
      (call) => is('tools/list')(call),
    ),
  },
  {
    id: '211',
    name: 'notifications without the session id',
    in: OLD,
    ...header('mcp-session-id', () => undefined, is('notifications/initialized')),
  },
  {
    id: '217',
    name: 'GET without the version',
    in: OLD,
    ...header('mcp-protocol-version', () => undefined, onGet),
  },
  {
    id: '217',
    name: 'DELETE without the version',
    in: OLD,
    ...header('mcp-protocol-version', () => undefined, onDelete),
  },
  {
    id: '217',
    name: 'initialized without the version',
    in: ['handshake-3'],
    ...header('mcp-protocol-version', () => undefined, is('notifications/initialized')),
  },
  {
    id: '093',
    name: 'progress that nobody asked for',
    in: OLD,
    after: posts({ method: 'notifications/progress', params: { progressToken: 'x', progress: 1 } }),
  },
  {
    id: '093',
    name: 'progress without a token',
    in: ['handshake-3'],
    after: posts({ method: 'notifications/progress', params: { progress: 1 } }),
  },
  {
    id: '082',
    name: 'cancels what it never sent',
    in: OLD,
    after: posts({ method: 'notifications/cancelled', params: { requestId: 'never' } }),
  },
  {
    id: '059',
    name: 'has no era at all',
    in: NEW,
    send: (call) => ({
      headers: withoutHeaders(call.headers, 'mcp-method', 'mcp-name', 'mcp-protocol-version'),
      text: isRequest(call)
        ? JSON.stringify({ ...call.message, params: without(params(call.message), '_meta') })
        : call.text,
    }),
  },
  {
    id: '059',
    name: 'calls lack capabilities',
    in: NEW,
    ...meta((given) => without(given, `${PREFIX}clientCapabilities`), is('tools/call')),
  },
  {
    id: '059',
    name: 'the version is a number',
    in: NEW,
    ...meta((given) => ({ ...given, [`${PREFIX}protocolVersion`]: 20260728 })),
  },
  {
    id: '001',
    name: 'answers lack jsonrpc',
    in: OLD,
    ...message(
      (call) => isAnswer(call),
      (given) => without(given, 'jsonrpc'),
    ),
  },
  {
    id: '008',
    name: 'initialized has an id',
    in: OLD,
    ...message(is('notifications/initialized'), (given) => ({ ...given, id: 'n1' })),
  },
  {
    id: '019',
    name: 'a _meta key with two slashes',
    in: NEW,
    ...meta((given) => ({ ...given, 'a/b/c': 1 })),
  },
  {
    id: '020',
    name: 'an own key under a reserved prefix',
    in: OLD,
    ...meta((given) => ({ ...given, 'dev.mcp/own': 1 })),
  },
  {
    id: '043',
    name: 'clientInfo lacks a version',
    in: OLD,
    ...message(is('initialize'), (given) => ({
      ...given,
      params: { ...params(given), clientInfo: { name: 'x' } },
    })),
  },
  {
    id: '043',
    name: 'capabilities are a list',
    in: ['handshake-2'],
    ...message(is('initialize'), (given) => ({ ...given, params: { ...params(given), capabilities: [] } })),
  },
  {
    id: '092',
    name: 'a progress token that is an object',
    in: NEW,
    ...meta((given) => ({ ...given, progressToken: {} })),
  },
  {
    id: '250',
    name: 'Mcp-Method in capitals',
    in: NEW,
    ...header('mcp-method', (call) => String(call.message.method).toUpperCase(), isRequest),
  },
  {
    id: '251',
    name: 'Mcp-Name of resources is missing',
    in: NEW,
    ...header('mcp-name', () => undefined, is('resources/read')),
  },
  {
    id: '234',
    name: 'GET in the stateless era',
    in: NEW,
    after: (call) => (isRequest(call) ? [{ method: 'GET', text: '' }] : []),
  },
  {
    id: '017',
    name: 'a batch',
    in: ['handshake-3'],
    send: (call) => (is('tools/list')(call) && any(call) ? { text: JSON.stringify([call.message]) } : call),
  },
  {
    id: '406',
    name: 'a cursor that is a number',
    in: OLD,
    ...message(is('tools/list'), (given) => ({
      ...given,
      params: { ...(isRecord(given.params) ? given.params : {}), cursor: 7 },
    })),
  },
];

function withoutHeaders(
  headers: Readonly<Record<string, string>>,
  ...names: readonly string[]
): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
