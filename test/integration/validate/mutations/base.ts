import { isRecord } from '../../../../src/jsonrpc/message.js';
import { answering, beside, code, error, everyResult, pardon, result, rewriting, without } from './change.js';
import type { Mutation } from './harness.js';

const PROTOCOL = 'io.modelcontextprotocol/protocolVersion';

export const BASE: readonly Mutation[] = [
  { id: '001', name: 'every message lacks jsonrpc', out: (message) => without(message, 'jsonrpc') },
  { id: '001', name: 'jsonrpc is 1.0', out: (message) => ({ ...message, jsonrpc: '1.0' }) },
  {
    id: '001',
    name: 'notifications lack jsonrpc',
    revision: 4,
    out: (message) => ('method' in message ? without(message, 'jsonrpc') : message),
  },
  {
    id: '002',
    name: 'a null id is answered with a result',
    ...answering(
      (message) => message.id === null,
      () => ({ result: {} }),
    ),
  },
  {
    id: '002',
    name: 'server requests have a fractional id',
    revision: 4,
    out: (message) => ('method' in message && 'id' in message ? { ...message, id: 1.5 } : message),
  },
  {
    id: '003',
    name: 'server requests reuse one id',
    revision: 4,
    out: (message) => ('method' in message && 'id' in message ? { ...message, id: 'same' } : message),
  },
  {
    id: '005',
    name: 'ids come back as strings',
    out: (message) =>
      'id' in message && !('method' in message) ? { ...message, id: String(message.id) } : message,
  },
  {
    id: '005',
    name: 'numeric strings come back as numbers',
    out: (message) => (message.id === '7' ? { ...message, id: 7 } : message),
  },
  {
    id: '005',
    name: 'every answer is sent twice',
    out: (message) => ('result' in message ? [message, message] : message),
  },
  {
    id: '005',
    name: 'answers carry a foreign id',
    out: (message, asked) =>
      asked?.method === 'tools/list' ? [{ ...message, id: 'foreign' }, message] : message,
  },
  {
    id: '006',
    name: 'answers have a result and an error',
    out: (message) => ('error' in message ? { ...message, result: {} } : message),
  },
  { id: '006', name: 'the result is an array', ...result('completion/complete', () => []) },
  {
    id: '006',
    name: 'a response has neither',
    out: (message, asked) =>
      asked?.method === 'tools/list' ? [without(message, 'result'), message] : message,
  },
  {
    id: '007',
    name: 'error codes are strings',
    ...error((given) => ({ ...given, code: String(given.code) })),
  },
  { id: '007', name: 'errors lack a message', ...error((given) => without(given, 'message')) },
  {
    id: '007',
    name: 'error codes are fractional',
    ...error((given) => ({ ...given, code: Number(given.code) - 0.5 })),
  },
  {
    id: '008',
    name: 'notifications are answered',
    input: (message, say, text) => {
      if (isRecord(message) && !('id' in message) && String(message.method).startsWith('notifications/plumb'))
        say('{"jsonrpc":"2.0","id":null,"result":{}}');
      return text;
    },
  },
  {
    id: '008',
    name: 'unknown notifications are answered with an error',
    input: (message, say, text) => {
      if (isRecord(message) && !('id' in message) && String(message.method).startsWith('notifications/plumb'))
        say('{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}');
      return text;
    },
  },
  { id: '009', name: 'unknown methods get -32603', ...code('plumb/no-such-method', -32603) },
  { id: '009', name: 'unknown methods succeed', ...pardon('plumb/no-such-method', {}) },
  {
    id: '009',
    name: 'unknown methods are met with silence',
    out: (message, asked) => (asked?.method === 'plumb/no-such-method' ? undefined : message),
  },
  { id: '010', name: 'missing params get -32603', ...code('prompts/get', -32603) },
  { id: '010', name: 'a call without a name succeeds', ...pardon('tools/call', { content: [] }) },
  {
    id: '011',
    name: 'broken JSON is met with silence',
    input: (message, _say, text) => (message === undefined ? undefined : text),
  },
  {
    id: '011',
    name: 'broken JSON gets -32600',
    out: (message) =>
      isRecord(message.error) && message.error.code === -32700
        ? { ...message, error: { ...message.error, code: -32600 } }
        : message,
  },
  {
    id: '012',
    name: 'objects without a method are met with silence',
    input: (message, _say, text) =>
      isRecord(message) && !('method' in message) && !('result' in message) && !('error' in message)
        ? undefined
        : text,
  },
  {
    id: '012',
    name: 'objects without a method get -32601',
    out: (message) =>
      isRecord(message.error) && message.error.code === -32600
        ? { ...message, error: { ...message.error, code: -32601 } }
        : message,
  },
  {
    id: '013',
    name: 'errors lose the id',
    out: (message) => ('error' in message ? without(message, 'id') : message),
  },
  {
    id: '013',
    name: 'errors have id null',
    out: (message) => ('error' in message ? { ...message, id: null } : message),
  },
  {
    id: '014',
    name: 'batches are ignored',
    input: (message, _say, text) => (Array.isArray(message) ? undefined : text),
  },
  {
    id: '014',
    name: 'batches are refused',
    input: (message, say, text) => {
      if (!Array.isArray(message)) return text;
      say('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}');
      return undefined;
    },
  },
  {
    id: '014',
    name: 'only the first of a batch is answered',
    input: (message, _say, text) => (Array.isArray(message) ? JSON.stringify(message.slice(0, 1)) : text),
  },
  {
    id: '015',
    name: 'initialize in a batch is accepted',
    input: (message, _say, text) =>
      Array.isArray(message) &&
      message.length === 1 &&
      isRecord(message[0]) &&
      message[0].method === 'initialize'
        ? message[0]
        : text,
  },
  {
    id: '016',
    name: 'a batch of notifications is answered',
    input: (message, say, text) => {
      if (Array.isArray(message) && message.every((item) => isRecord(item) && !('id' in item))) say('[]');
      return text;
    },
  },
  {
    id: '017',
    name: 'batches are served',
    input: (message, _say, text) => (Array.isArray(message) ? message[0] : text),
  },
  {
    id: '017',
    name: 'batches are served in the third revision',
    revision: 3,
    input: (message, _say, text) => (Array.isArray(message) ? message[0] : text),
  },
  {
    id: '018',
    name: 'unknown fields are refused',
    ...answering(
      (message) => isRecord(message.params) && 'plumbUnknown' in message.params,
      () => ({ error: { code: -32602, message: 'unknown field' } }),
    ),
  },
  {
    id: '019',
    name: 'a _meta key starts with a dot',
    ...everyResult((given) => ({
      ...given,
      _meta: { ...(isRecord(given._meta) ? given._meta : {}), '.bad/key': 1 },
    })),
  },
  {
    id: '019',
    name: 'a _meta key has two slashes',
    ...everyResult((given) => ({
      ...given,
      _meta: { ...(isRecord(given._meta) ? given._meta : {}), 'a/b/c': 1 },
    })),
  },
  {
    id: '020',
    name: 'an own _meta key under the reserved prefix',
    ...everyResult((given) => ({
      ...given,
      _meta: { ...(isRecord(given._meta) ? given._meta : {}), 'io.modelcontextprotocol/mine': 1 },
    })),
  },
  {
    id: '020',
    name: 'an own _meta key under dev.mcp',
    ...everyResult((given) => ({
      ...given,
      _meta: { ...(isRecord(given._meta) ? given._meta : {}), 'dev.mcp/mine': 1 },
    })),
  },
  {
    id: '021',
    name: 'an undefined code in the reserved range',
    ...code('plumb/no-such-method', -32050),
    revision: 5,
  },
  { id: '021', name: 'unknown tools get -32030', ...code('tools/call', -32030) },
  { id: '022', name: 'an own code in the JSON-RPC range', ...code('tools/call', -32500) },
  { id: '023', name: 'a missing resource gets -32002', ...code('resources/read', -32002) },
  { id: '023', name: '-32042 is still used', ...code('tools/call', -32042) },
  { id: '025', name: 'results lack resultType', ...everyResult((given) => without(given, 'resultType')) },
  {
    id: '025',
    name: 'lists lack resultType',
    ...result('resources/list', (given) => without(given, 'resultType')),
  },
  {
    id: '028',
    name: 'the server sends a ping',
    ...beside('tools/list', { jsonrpc: '2.0', id: 'server-1', method: 'ping' }),
  },
  {
    id: '028',
    name: 'the server asks for roots',
    ...beside('tools/call', { jsonrpc: '2.0', id: 'server-2', method: 'roots/list' }),
  },
  {
    id: '030',
    name: 'messages are spread over lines',
    line: (text) => (text.includes('"tools"') ? [text.slice(0, 40), text.slice(40)] : [text]),
  },
  {
    id: '030',
    name: 'messages are pretty-printed',
    line: (text) =>
      text.includes('"prompts":[') ? JSON.stringify(JSON.parse(text), null, 1).split('\n') : [text],
  },
  { id: '031', name: 'a banner on stdout', hello: 'Server started on stdio' },
  {
    id: '031',
    name: 'log lines between messages',
    line: (text) => [`DEBUG sent ${text.length} bytes`, text],
  },
  {
    id: '033',
    name: 'non-ASCII becomes question marks',
    line: (text) => [text.replace(/[^\u0020-\u007e]/g, '?')],
  },
  { id: '035', name: 'the server stays when its input ends', stubborn: true },
  {
    id: '037',
    name: 'large messages are dropped',
    input: (_message, _say, text) => (text.length > 65_536 ? undefined : text),
  },
  {
    id: '061',
    name: 'missing capabilities are accepted',
    ...rewriting((message) =>
      isRecord(message.params) && isRecord(message.params._meta) && PROTOCOL in message.params._meta
        ? {
            ...message,
            params: {
              ...message.params,
              _meta: { 'io.modelcontextprotocol/clientCapabilities': {}, ...message.params._meta },
            },
          }
        : message,
    ),
  },
  {
    id: '061',
    name: 'missing capabilities get -32600',
    out: (message, asked) =>
      asked !== undefined &&
      isRecord(message.error) &&
      message.error.code === -32602 &&
      isRecord(asked.params._meta) &&
      !('io.modelcontextprotocol/clientCapabilities' in asked.params._meta)
        ? { ...message, error: { ...message.error, code: -32600 } }
        : message,
  },
  {
    id: '063',
    name: 'clientInfo is required',
    ...answering(
      (message) =>
        isRecord(message.params) &&
        isRecord(message.params._meta) &&
        PROTOCOL in message.params._meta &&
        !('io.modelcontextprotocol/clientInfo' in message.params._meta),
      () => ({ error: { code: -32602, message: 'who are you?' } }),
    ),
  },
  {
    id: '406',
    name: 'a prompt has no name',
    ...result('prompts/list', (given) => ({ ...given, prompts: [{ description: 'nameless' }] })),
  },
  {
    id: '406',
    name: 'nextCursor is a number',
    revision: 4,
    ...result('prompts/list', (given) => ({ ...given, nextCursor: 7 })),
  },
  {
    id: '406',
    name: 'completion values are numbers',
    ...result('completion/complete', () => ({ resultType: 'complete', completion: { values: [1, 2] } })),
  },
];
