/** Mutations of a client: messages, the handshake, and what every request carries. */

import { isRecord } from '../../../../src/jsonrpc/message.js';
import { type ClientMutation, message, meta } from './client-harness.js';
import {
  any,
  is,
  isAnswer,
  isRequest,
  later,
  NEW,
  never,
  OLD,
  PREFIX,
  params,
  pretend,
  without,
} from './client-pieces.js';

export const MESSAGES: readonly ClientMutation[] = [
  {
    id: '001',
    name: 'messages lack jsonrpc',
    in: OLD,
    ...message(any, (given) => without(given, 'jsonrpc')),
  },
  { id: '001', name: 'jsonrpc is a number', in: NEW, ...message(any, (given) => ({ ...given, jsonrpc: 2 })) },
  {
    id: '002',
    name: 'ids are null',
    in: OLD,
    ...message(is('tools/list'), (given) => ({ ...given, id: null })),
  },
  {
    id: '002',
    name: 'ids are fractions',
    in: NEW,
    ...message(is('tools/list'), (given) => ({ ...given, id: 1.5 })),
  },
  {
    id: '003',
    name: 'every request has the same id',
    in: OLD,
    ...message(isRequest, (given) => ({ ...given, id: 1 })),
  },
  {
    id: '005',
    name: 'answers carry another id',
    in: OLD,
    ...message(isAnswer, (given) => ({ ...given, id: 'other' })),
  },
  {
    id: '006',
    name: 'answers have a result and an error',
    in: OLD,
    ...message(isAnswer, (given) => ({ ...given, result: {}, error: { code: 1, message: 'x' } })),
  },
  {
    id: '006',
    name: 'answers have neither',
    in: OLD,
    ...message(isAnswer, (given) => without(given, 'result', 'error')),
  },
  {
    id: '007',
    name: 'error codes are text',
    in: OLD,
    ...message(
      (call) => isAnswer(call) && 'error' in call.message,
      (given) => ({ ...given, error: { code: 'x', message: 'x' } }),
    ),
  },
  {
    id: '008',
    name: 'notifications have an id',
    in: OLD,
    ...message('notifications/initialized', (given) => ({ ...given, id: 99 })),
  },
  {
    id: '009',
    name: 'unknown methods succeed',
    in: OLD,
    ...message(
      (call) => isAnswer(call) && isRecord(call.message.error) && call.message.error.code === -32601,
      (given) => ({ ...without(given, 'error'), result: {} }),
    ),
  },
  {
    id: '009',
    name: 'unknown methods get -32603',
    in: OLD,
    ...message(
      (call) => isAnswer(call) && 'error' in call.message,
      (given) => ({ ...given, error: { code: -32603, message: 'x' } }),
    ),
  },
  {
    id: '015',
    name: 'initialize in a batch',
    in: ['handshake-2'],
    ...message('initialize', (given) => [given]),
  },
  { id: '017', name: 'batches are sent', in: OLD, ...message('tools/list', (given) => [given]) },
  {
    id: '017',
    name: 'batches are sent in the stateless era',
    in: NEW,
    ...message('tools/list', (given) => [given]),
  },
  { id: '019', name: 'a bad _meta key', in: NEW, ...meta((given) => ({ ...given, '/bad': 1 })) },
  {
    id: '020',
    name: 'an own key under the reserved prefix',
    in: NEW,
    ...meta((given) => ({ ...given, [`${PREFIX}mine`]: 1 })),
  },
  {
    id: '029',
    name: 'responses are sent',
    in: NEW,
    after: (call) =>
      call.message.method === 'tools/list' ? [{ text: '{"jsonrpc":"2.0","id":"x","result":{}}' }] : [],
  },
  {
    id: '040',
    name: 'the first request is initialize',
    in: NEW,
    send: (call) =>
      call.message.method === 'server/discover'
        ? {
            text: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}',
            headers: Object.fromEntries(
              Object.entries(call.headers).filter(([name]) => name !== 'mcp-method'),
            ),
          }
        : call,
  },
  { id: '041', name: 'no fallback after -32602', in: ['fallback-invalid'], ...never(is('initialize')) },
  {
    id: '042',
    name: 'falls back after -32022',
    in: ['unsupported-version'],
    after: (call) =>
      call.message.method === 'server/discover'
        ? [{ text: '{"jsonrpc":"2.0","id":"i","method":"initialize","params":{}}' }]
        : [],
  },
  {
    id: '067',
    name: 'gives up after -32022',
    in: ['unsupported-version'],
    send: (call, memory) => {
      if (memory.has('tried')) return undefined;
      memory.set('tried', true);
      return call;
    },
  },
  {
    id: '068',
    name: 'tries for ever',
    in: ['no-mutual-version'],
    after: (call) => (call.message.method === 'server/discover' ? Array.from({ length: 9 }, () => ({})) : []),
  },
  {
    id: '043',
    name: 'initialize lacks clientInfo',
    in: OLD,
    ...message('initialize', (given) => ({ ...given, params: without(params(given), 'clientInfo') })),
  },
  {
    id: '043',
    name: 'the list comes before initialize',
    in: OLD,
    ...message('initialize', (given) => ({ ...given, method: 'tools/list' })),
  },
  {
    id: '044',
    name: 'an older version is proposed',
    in: OLD,
    ...message('initialize', (given) => ({
      ...given,
      params: { ...params(given), protocolVersion: '2024-11-05' },
    })),
  },
  {
    id: '048',
    name: 'goes on with an unusable version',
    in: ['unusable-version'],
    after: (call) =>
      call.message.method === 'initialize'
        ? [{ text: '{"jsonrpc":"2.0","id":"l","method":"tools/list","params":{}}' }]
        : [],
  },
  {
    id: '053',
    name: 'cancels initialize',
    in: ['unusable-version'],
    after: (call) =>
      call.message.method === 'initialize'
        ? [
            {
              text: JSON.stringify({
                jsonrpc: '2.0',
                method: 'notifications/cancelled',
                params: { requestId: call.message.id },
              }),
            },
          ]
        : [],
  },
  { id: '050', name: 'never says initialized', in: OLD, ...pretend(is('notifications/initialized')) },
  {
    id: '051',
    name: 'lists before initialized',
    in: OLD,
    ...message('notifications/initialized', () => ({ jsonrpc: '2.0', id: 'early', method: 'tools/list' })),
  },
  {
    id: '055',
    name: 'asks for prompts that are not declared',
    in: ['only-tools'],
    after: (call) =>
      call.message.method === 'tools/list'
        ? [{ text: '{"jsonrpc":"2.0","id":"p","method":"prompts/list","params":{}}' }]
        : [],
  },
  {
    id: '059',
    name: 'requests lack protocolVersion',
    in: NEW,
    ...meta((given) => without(given, `${PREFIX}protocolVersion`), later),
  },
  {
    id: '059',
    name: 'requests lack clientCapabilities',
    in: NEW,
    ...meta((given) => without(given, `${PREFIX}clientCapabilities`), later),
  },
  {
    id: '060',
    name: 'requests lack clientInfo',
    in: NEW,
    ...meta((given) => without(given, `${PREFIX}clientInfo`)),
  },
  { id: '080', name: 'a bad traceparent', in: NEW, ...meta((given) => ({ ...given, traceparent: 'x' })) },
  {
    id: '081',
    name: 'ping gets an error',
    in: OLD,
    ...message(
      (call) => isAnswer(call) && call.message.id === 'plumb-1',
      (given) => ({ ...without(given, 'result'), error: { code: -32601, message: 'x' } }),
    ),
  },
  {
    id: '081',
    name: 'ping is not answered',
    in: OLD,
    ...pretend((call) => isAnswer(call) && call.message.id === 'plumb-1'),
  },
  {
    id: '092',
    name: 'a progress token that is an object',
    in: OLD,
    ...meta((given) => ({ ...given, progressToken: {} })),
  },
  {
    id: '136',
    name: 'prompt arguments are numbers',
    in: OLD,
    ...message('prompts/get', (given) => ({
      ...given,
      params: { ...params(given), arguments: { name: 7 } },
    })),
  },
];
