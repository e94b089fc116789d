/** Variants: JSON-RPC. */

import { isRecord, type JsonObject } from '../../../../../src/jsonrpc/message.js';
import { without } from '../change.js';
import type { Mutation } from '../harness.js';
import { answers, COMPLETE, failure, hears, instead, m, metaIn, paramsOf, to } from './pieces.js';

const notification = (message: JsonObject): boolean => !('id' in message) && 'method' in message;
const answerId = (change: (id: unknown) => unknown): Partial<Mutation> =>
  answers((message) => ({ ...message, id: change(message.id) }));
const NAMELESS = { id: null, result: {} };

export const MESSAGE_VARIANTS: readonly Mutation[] = [
  m(
    '005',
    'the id 0 is taken for none',
    hears((message) => (message.id === 0 ? undefined : message)),
  ),
  m(
    '005',
    'numeric ids come back as texts from tools/call',
    to('tools/call', (message) => ({ ...message, id: String(message.id) })),
  ),
  m('005', 'numeric ids come back as texts from resources/read', {
    revision: 3,
    ...to('resources/read', (message) => ({ ...message, id: String(message.id) })),
  }),
  m(
    '005',
    'negative ids lose their sign',
    answerId((id) => (typeof id === 'number' ? Math.abs(id) : id)),
  ),
  m(
    '005',
    'ids are cut to 32 bits',
    answerId((id) => (typeof id === 'number' ? id % 4294967296 : id)),
  ),
  m(
    '005',
    'texts that look like numbers become numbers in errors',
    answers((message) =>
      'error' in message && /^\d+$/.test(String(message.id))
        ? { ...message, id: Number(message.id) }
        : message,
    ),
  ),
  m(
    '005',
    'prompts/get is answered with id null',
    to('prompts/get', (message) => ({ ...message, id: null })),
  ),
  m(
    '005',
    'an empty id is taken for none',
    hears((message) => (message.id === '' ? undefined : message)),
  ),
  m(
    '005',
    'ids are escaped',
    answerId((id) => (typeof id === 'string' ? encodeURI(id) : id)),
  ),
  m('005', 'the id of initialize comes back as a text', {
    revision: 4,
    ...to('initialize', (message) => ({ ...message, id: String(message.id) })),
  }),
  m(
    '005',
    'calls are answered twice',
    to('tools/call', (message) => [message, message]),
  ),
  m(
    '005',
    'errors are sent twice',
    answers((message) => ('error' in message ? [message, message] : message)),
  ),
  m('005', 'the ids of setLevel are texts', {
    revision: 2,
    ...to('logging/setLevel', (message) => ({ ...message, id: String(message.id) })),
  }),
  m(
    '005',
    'numeric ids come back as texts in errors',
    answers((message) => ('error' in message ? { ...message, id: String(message.id) } : message)),
  ),
  m('037', 'answers over 64 KiB are cut', { line: (text) => [text.slice(0, 65_536)] }),
  m(
    '037',
    'large answers never come',
    answers((message) => (JSON.stringify(message).length > 100_000 ? undefined : message)),
  ),
  m(
    '001',
    'errors lack jsonrpc',
    answers((message) => ('error' in message ? without(message, 'jsonrpc') : message)),
  ),
  m('001', 'jsonrpc is a number', { revision: 2, out: (message) => ({ ...message, jsonrpc: 2 }) }),
  m('001', 'the greeting lacks jsonrpc', {
    revision: 3,
    ...to('initialize', (message) => without(message, 'jsonrpc')),
  }),
  m('001', 'log messages lack jsonrpc', {
    revision: 4,
    out: (message) => (message.method === 'notifications/message' ? without(message, 'jsonrpc') : message),
  }),
  m(
    '002',
    'true is an id',
    instead(
      (message) => message.id === true,
      () => ({ result: COMPLETE }),
    ),
  ),
  m(
    '002',
    'objects are ids',
    instead(
      (message) => isRecord(message.id),
      () => ({ result: COMPLETE }),
    ),
  ),
  m('002', 'requests of the server have id null', {
    revision: 4,
    out: (message) => ('method' in message && 'id' in message ? { ...message, id: null } : message),
  }),
  m('003', 'requests of the server count from 1 each time', {
    revision: 3,
    out: (message) => ('method' in message && 'id' in message ? { ...message, id: 1 } : message),
  }),
  m(
    '006',
    'the result of a call is null',
    to('tools/call', (message) => ({ ...without(message, 'error'), result: null })),
  ),
  m(
    '006',
    'results come with error null',
    to('tools/list', (message) => ({ ...message, error: null })),
  ),
  m('006', 'setLevel is answered with true', {
    revision: 4,
    ...to('logging/setLevel', (message) => ({ ...without(message, 'error'), result: true })),
  }),
  m('006', 'errors come with result null', {
    revision: 1,
    ...answers((message) => ('error' in message ? { ...message, result: null } : message)),
  }),
  m(
    '007',
    'errors are texts',
    answers((message) => ('error' in message ? { ...message, error: 'refused' } : message)),
  ),
  m(
    '007',
    'errors lack a code',
    answers((message) =>
      isRecord(message.error) ? { ...message, error: without(message.error, 'code') } : message,
    ),
  ),
  m('007', 'the message of an error is an object', {
    revision: 3,
    ...answers((message) =>
      isRecord(message.error) ? { ...message, error: { ...message.error, message: { text: 'x' } } } : message,
    ),
  }),
  m(
    '007',
    'unknown prompts get a text as code',
    to('prompts/get', (message) =>
      isRecord(message.error) ? { ...message, error: { ...message.error, code: 'NOT_FOUND' } } : message,
    ),
  ),
  m('013', 'errors of calls have id null', {
    revision: 4,
    ...to('tools/call', (message) => ('error' in message ? { ...message, id: null } : message)),
  }),
  m('013', 'errors of unknown methods lose their id', {
    revision: 5,
    ...answers((message) =>
      isRecord(message.error) && message.error.code === -32601 ? without(message, 'id') : message,
    ),
  }),
  m('013', 'malformed requests are refused without id', {
    revision: 4,
    ...hears((message, say) => {
      if (typeof message.method === 'string') return message;
      say({ id: null, ...failure(-32600) });
      return undefined;
    }),
  }),
  m('013', 'numeric ids are lost in errors', {
    revision: 5,
    ...answers((message) =>
      'error' in message && typeof message.id === 'number' ? { ...message, id: null } : message,
    ),
  }),
  m('008', 'a ping without id is answered', {
    revision: 4,
    ...hears((message, say) => {
      if (message.method === 'ping' && notification(message)) say(NAMELESS);
      return message;
    }),
  }),
  m('008', 'cancellations are answered', {
    revision: 4,
    ...hears((message, say) => {
      if (message.method === 'notifications/cancelled') say(NAMELESS);
      return message;
    }),
  }),
  m('008', 'changed roots are answered', {
    revision: 3,
    ...hears((message, say) => {
      if (message.method === 'notifications/roots/list_changed') say({ id: null, ...failure(-32601) });
      return message;
    }),
  }),
  m(
    '008',
    'progress of the client is answered',
    hears((message, say) => {
      if (message.method === 'notifications/progress') say({ id: null, ...failure(-32601) });
      return message;
    }),
  ),
  m('008', 'tools/list without id is answered', {
    revision: 2,
    ...hears((message, say) => {
      if (message.method === 'tools/list' && notification(message)) say({ result: { tools: [] } });
      return message;
    }),
  }),
  m(
    '009',
    'methods named like properties fail',
    instead(
      (message) => String(message.method) in {},
      () => failure(-32603),
    ),
  ),
  m(
    '009',
    'methods are looked up by their beginning',
    hears((message) =>
      String(message.method).startsWith('tools/list') ? { ...message, method: 'tools/list' } : message,
    ),
  ),
  m(
    '009',
    'methods are compared without case',
    hears((message) =>
      'method' in message ? { ...message, method: String(message.method).toLowerCase() } : message,
    ),
  ),
  m(
    '009',
    'unknown methods get -32600',
    answers((message) =>
      isRecord(message.error) && message.error.code === -32601 ? { ...message, ...failure(-32600) } : message,
    ),
  ),
  m('009', 'unknown methods get -32602', {
    revision: 2,
    ...answers((message) =>
      isRecord(message.error) && message.error.code === -32601 ? { ...message, ...failure(-32602) } : message,
    ),
  }),
  m(
    '010',
    'a numeric tool name is an internal error',
    to('tools/call', (message, asked) =>
      typeof asked.params.name === 'number' ? { ...message, ...failure(-32603) } : message,
    ),
  ),
  m(
    '010',
    'resources/read without uri is empty',
    instead(
      (message) => message.method === 'resources/read' && paramsOf(message).uri === undefined,
      () => ({ result: { contents: [], resultType: 'complete', ttlMs: 0, cacheScope: 'private' } }),
    ),
  ),
  m('010', 'prompts/get without name gets -32600', {
    revision: 4,
    ...to('prompts/get', (message, asked) =>
      asked.params.name === undefined ? { ...message, ...failure(-32600) } : message,
    ),
  }),
  m(
    '010',
    'completion without ref succeeds',
    instead(
      (message) => message.method === 'completion/complete' && paramsOf(message).ref === undefined,
      () => ({ result: { completion: { values: [] }, ...COMPLETE } }),
    ),
  ),
  m('011', 'text is an internal error', {
    input: (message, say, text) => {
      if (message !== undefined) return text;
      say(JSON.stringify({ jsonrpc: '2.0', id: null, ...failure(-32603) }));
      return undefined;
    },
  }),
  m('011', 'only text that begins with a brace is answered', {
    input: (message, _say, text) => (message === undefined && !text.startsWith('{') ? undefined : text),
  }),
  m(
    '012',
    'jsonrpc 1.0 is served',
    hears((message) => ({ ...message, jsonrpc: '2.0' })),
  ),
  m('012', 'messages without jsonrpc are served', {
    revision: 3,
    ...hears((message) => ({ ...message, jsonrpc: message.jsonrpc ?? '2.0' })),
  }),
  m(
    '012',
    'a null method is unknown',
    hears((message, say) => {
      if (message.method !== null) return message;
      say({ id: message.id, ...failure(-32601) });
      return undefined;
    }),
  ),
  m('012', 'JSON that is no object is ignored', {
    input: (message, _say, text) =>
      message !== undefined && !isRecord(message) && !Array.isArray(message) ? undefined : text,
  }),
  m(
    '018',
    'unknown _meta keys are refused',
    instead(
      (message) => Object.keys(metaIn(message)).some((key) => key.startsWith('com.')),
      () => failure(-32602),
    ),
  ),
  m(
    '018',
    'unknown fields of calls are refused',
    instead(
      (message) =>
        message.method === 'tools/call' &&
        Object.keys(paramsOf(message)).some(
          (key) => !['name', 'arguments', '_meta', 'task', 'inputResponses', 'requestState'].includes(key),
        ),
      () => failure(-32602),
    ),
  ),
  m('018', 'unknown capabilities are refused', {
    revision: 4,
    ...instead(
      (message) =>
        message.method === 'initialize' && JSON.stringify(paramsOf(message).capabilities).includes('nknown'),
      () => failure(-32602),
    ),
  }),
  m('018', 'unknown fields of clientInfo are refused', {
    revision: 3,
    ...instead(
      (message) =>
        message.method === 'initialize' &&
        Object.keys(
          isRecord(paramsOf(message).clientInfo) ? (paramsOf(message).clientInfo as JsonObject) : {},
        ).length > 2,
      () => failure(-32602),
    ),
  }),
];
