import { isRecord } from '../../../../src/jsonrpc/message.js';
import {
  answering,
  beside,
  capability,
  code,
  error,
  everyResult,
  metaOf,
  pardon,
  result,
  rewriting,
  withMeta,
  without,
} from './change.js';
import type { Mutation } from './harness.js';

const PROTOCOL = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const INFO = 'io.modelcontextprotocol/clientInfo';
let listed = 0;

export const LIFECYCLE: readonly Mutation[] = [
  {
    id: '045',
    name: 'a supported version is answered with another',
    revision: 4,
    ...result('initialize', (given) => ({ ...given, protocolVersion: '2024-10-07' })),
  },
  {
    id: '046',
    name: 'an unknown version is echoed',
    revision: 4,
    ...result('initialize', (given, asked) => ({ ...given, protocolVersion: asked.params.protocolVersion })),
  },
  {
    id: '046',
    name: 'an unknown version is refused',
    revision: 4,
    ...answering(
      (message) =>
        message.method === 'initialize' &&
        isRecord(message.params) &&
        message.params.protocolVersion === '1999-01-01',
      () => ({ error: { code: -32602, message: 'unsupported' } }),
    ),
  },
  {
    id: '047',
    name: 'the oldest version is offered',
    revision: 4,
    ...result('initialize', (given, asked) =>
      asked.params.protocolVersion === '1999-01-01' ? { ...given, protocolVersion: '2024-11-05' } : given,
    ),
  },
  {
    id: '049',
    name: 'initialize lacks serverInfo',
    revision: 4,
    ...result('initialize', (given) => without(given, 'serverInfo')),
  },
  {
    id: '049',
    name: 'serverInfo lacks a version',
    revision: 3,
    ...result('initialize', (given) => ({ ...given, serverInfo: { name: 'x' } })),
  },
  {
    id: '049',
    name: 'initialize lacks capabilities',
    revision: 2,
    ...result('initialize', (given) => without(given, 'capabilities')),
  },
  {
    id: '052',
    name: 'roots are asked for before initialized',
    revision: 4,
    ...beside('initialize', { jsonrpc: '2.0', id: 'early', method: 'roots/list' }, 'after'),
  },
  {
    id: '054',
    name: 'sampling is asked of a client without it',
    revision: 4,
    ...beside('tools/call', {
      jsonrpc: '2.0',
      id: 'ask',
      method: 'sampling/createMessage',
      params: { messages: [], maxTokens: 1 },
    }),
  },
  {
    id: '056',
    name: 'sampling is asked of an old client without it',
    revision: 2,
    ...beside('tools/call', {
      jsonrpc: '2.0',
      id: 'ask',
      method: 'sampling/createMessage',
      params: { messages: [], maxTokens: 1 },
    }),
  },
  {
    id: '155',
    name: 'sampling whatever was declared',
    revision: 4,
    ...beside('tools/call', {
      jsonrpc: '2.0',
      id: 'ask-1',
      method: 'sampling/createMessage',
      params: { messages: [], maxTokens: 1 },
    }),
  },
  {
    id: '168',
    name: 'roots whatever was declared',
    revision: 4,
    ...beside('tools/call', { jsonrpc: '2.0', id: 'ask-2', method: 'roots/list' }),
  },
  {
    id: '173',
    name: 'elicitation whatever was declared',
    revision: 4,
    ...beside('tools/call', {
      jsonrpc: '2.0',
      id: 'ask-3',
      method: 'elicitation/create',
      params: { message: '?', requestedSchema: { type: 'object', properties: {} } },
    }),
  },
  { id: '057', name: 'an early request ruins the handshake', revision: 4, ...spoiled() },
  {
    id: '058',
    name: 'elicitation to a client of the second revision',
    revision: 3,
    ...beside('tools/list', { jsonrpc: '2.0', id: 'later', method: 'tasks/get', params: { taskId: 'x' } }),
  },
  {
    id: '058',
    name: 'task notifications to the third revision',
    revision: 3,
    ...beside('tools/list', { jsonrpc: '2.0', method: 'notifications/tasks/status', params: {} }),
  },
  {
    id: '064',
    name: 'capabilities are remembered',
    ...rewriting((message) =>
      PROTOCOL in metaOf(message) && CAPABILITIES in metaOf(message)
        ? withMeta(message, (meta) => ({
            ...meta,
            [CAPABILITIES]: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
          }))
        : message,
    ),
  },
  { id: '065', name: 'after one bad version everything is refused', ...poisoned() },
  {
    id: '066',
    name: 'an unknown version gets -32602',
    ...error((given) => (given.code === -32022 ? { ...given, code: -32602 } : given)),
  },
  {
    id: '066',
    name: 'the error lists no versions',
    ...error((given) => (given.code === -32022 ? without(given, 'data') : given)),
  },
  {
    id: '066',
    name: 'the error does not repeat the version',
    ...error((given) =>
      given.code === -32022 && isRecord(given.data)
        ? { ...given, data: without(given.data, 'requested') }
        : given,
    ),
  },
  {
    id: '069',
    name: 'discover lacks ttlMs',
    ...result('server/discover', (given) => without(given, 'ttlMs')),
  },
  {
    id: '069',
    name: 'discover lacks supportedVersions',
    ...result('server/discover', (given) => without(given, 'supportedVersions')),
  },
  {
    id: '069',
    name: 'discover lacks capabilities',
    ...result('server/discover', (given) => without(given, 'capabilities')),
  },
  {
    id: '070',
    name: 'a version is listed and not accepted',
    ...result('server/discover', (given) => ({
      ...given,
      supportedVersions: [
        ...(Array.isArray(given.supportedVersions) ? given.supportedVersions : []),
        '2030-01-01',
      ],
    })),
  },
  { id: '071', name: 'results lack serverInfo', ...everyResult((given) => without(given, '_meta')) },
  {
    id: '072',
    name: 'prompts are declared and not served',
    ...code('prompts/list', -32601),
    ...answering(
      (message) => message.method === 'prompts/list',
      () => ({ error: { code: -32601, message: 'no' } }),
    ),
  },
  {
    id: '072',
    name: 'prompts are served and not declared',
    ...capability((given) => without(given, 'prompts')),
  },
  {
    id: '073',
    name: 'a missing capability gets -32600',
    ...error((given) => (given.code === -32021 ? { ...given, code: -32600 } : given)),
  },
  {
    id: '073',
    name: 'the error does not name the capability',
    ...error((given) => (given.code === -32021 ? without(given, 'data') : given)),
  },
  { id: '076', name: 'ping still works', ...pardon('ping', { resultType: 'complete' }) },
  { id: '076', name: 'setLevel gets -32602', ...code('logging/setLevel', -32602) },
  { id: '076', name: 'subscribe still works', ...pardon('resources/subscribe', { resultType: 'complete' }) },
  {
    id: '077',
    name: 'every list has another tool',
    ...result('tools/list', (given) => ({
      ...given,
      tools: [
        ...(Array.isArray(given.tools) ? given.tools : []),
        { name: `random_${++listed}`, inputSchema: { type: 'object' } },
      ],
    })),
  },
  {
    id: '078',
    name: 'tools come in a random order',
    ...result('tools/list', (given) => ({
      ...given,
      tools: ++listed % 2 === 0 && Array.isArray(given.tools) ? given.tools.toReversed() : given.tools,
    })),
  },
  {
    id: '079',
    name: 'tools depend on the client name',
    out: (message, asked) => {
      const info = isRecord(asked?.params._meta) ? asked.params._meta[INFO] : undefined;
      return asked?.method === 'tools/list' &&
        isRecord(info) &&
        info.name === 'claude-desktop' &&
        isRecord(message.result)
        ? { ...message, result: { ...message.result, tools: [] } }
        : message;
    },
  },
  {
    id: '080',
    name: 'traceparent is no W3C value',
    ...everyResult((given) => ({
      ...given,
      _meta: { ...(isRecord(given._meta) ? given._meta : {}), traceparent: 'yes' },
    })),
  },
  {
    id: '081',
    name: 'ping returns more than nothing',
    revision: 4,
    ...result('ping', () => ({ pong: true })),
  },
  {
    id: '081',
    name: 'ping is not answered',
    revision: 4,
    out: (message, asked) => (asked?.method === 'ping' ? undefined : message),
  },
  {
    id: '081',
    name: 'ping gets an error',
    revision: 1,
    ...answering(
      (message) => message.method === 'ping',
      () => ({ error: { code: -32601, message: 'no' } }),
    ),
  },
  {
    id: '082',
    name: 'a foreign request is cancelled',
    revision: 4,
    ...beside('tools/list', {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'never-sent' },
    }),
  },
  {
    id: '083',
    name: 'cancellation is ignored',
    revision: 4,
    input: (message, _say, text) =>
      isRecord(message) && message.method === 'notifications/cancelled' ? undefined : text,
  },
  {
    id: '083',
    name: 'cancelled requests are answered',
    revision: 4,
    input: (message, say, text) => {
      if (isRecord(message) && message.method === 'notifications/cancelled' && isRecord(message.params))
        say(
          JSON.stringify({
            jsonrpc: '2.0',
            id: message.params.requestId,
            error: { code: -32800, message: 'cancelled' },
          }),
        );
      return text;
    },
  },
  {
    id: '085',
    name: 'senseless cancellations are answered',
    revision: 4,
    input: (message, say, text) => {
      if (isRecord(message) && message.method === 'notifications/cancelled')
        say('{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"who?"}}');
      return text;
    },
  },
  {
    id: '087',
    name: 'work goes on after a cancel',
    input: (message, _say, text) =>
      isRecord(message) && message.method === 'notifications/cancelled' ? undefined : text,
  },
  {
    id: '089',
    name: 'the server cancels a call',
    ...beside('tools/list', {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'x' },
    }),
  },
  {
    id: '391',
    name: 'an extension without a prefix',
    ...capability((given) => ({ ...given, extensions: { mine: {} } })),
  },
];

/** After a request that came too early nothing is served any more. */
function spoiled(): Pick<Mutation, 'input'> {
  return {
    input: (message, _say, text, memory) => {
      if (!isRecord(message)) return text;
      if (memory.size === 0) memory.set('first', message.method);
      return message.method === 'initialize' && memory.get('first') !== 'initialize' ? undefined : text;
    },
  };
}

function poisoned(): Pick<Mutation, 'input'> {
  let poisonedBy: unknown;
  return {
    input: (message, say, text) => {
      if (!isRecord(message) || !('id' in message)) return text;
      if (metaOf(message)[PROTOCOL] === '1999-01-01') poisonedBy = message.id;
      else if (poisonedBy !== undefined) {
        say(
          JSON.stringify({
            jsonrpc: '2.0',
            id: message.id,
            error: { code: -32022, message: 'no', data: { supported: [], requested: '1999-01-01' } },
          }),
        );
        return undefined;
      }
      return text;
    },
  };
}
