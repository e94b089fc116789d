/** Variants: the handshake, the envelope of the stateless era, and what runs. */

import { isRecord, type JsonObject } from '../../../../../src/jsonrpc/message.js';
import { capability, error, result, without } from '../change.js';
import type { Mutation } from '../harness.js';
import {
  answers,
  CAPABILITIES,
  CLIENT_INFO,
  COMPLETE,
  failure,
  hears,
  instead,
  m,
  metaIn,
  metas,
  PROTOCOL,
  paramsOf,
  to,
} from './pieces.js';

const KNOWN = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
const greeting = (change: (given: JsonObject, version: string) => JsonObject): Partial<Mutation> =>
  result('initialize', (given, asked) => change(given, String(asked.params.protocolVersion)));
const offer = (version: string): Partial<Mutation> => ({
  revision: 4,
  ...greeting((given, asked) => (KNOWN.includes(asked) ? given : { ...given, protocolVersion: version })),
});
const discover = (change: (given: JsonObject) => JsonObject): Partial<Mutation> =>
  result('server/discover', change);
const unsupported = (change: (data: JsonObject) => JsonObject): Partial<Mutation> =>
  error((given) =>
    given.code === -32022 && isRecord(given.data) ? { ...given, data: change(given.data) } : given,
  );
/** Asks every client that declares anything at all. */
const asksAnybody = (method: string, params: JsonObject): Partial<Mutation> => ({
  revision: 4,
  input: (message, say, text, memory) => {
    if (!isRecord(message)) return text;
    const declared = paramsOf(message).capabilities;
    if (message.method === 'initialize')
      memory.set('some', isRecord(declared) && Object.keys(declared).length > 0);
    if (message.method === 'tools/call' && memory.get('some') === true)
      say(JSON.stringify({ jsonrpc: '2.0', id: `any-${String(message.id)}`, method, params }));
    return text;
  },
});
const early = (method: string, given: JsonObject): Partial<Mutation> => ({
  revision: 4,
  input: (message, say, text, memory) => {
    if (!isRecord(message)) return text;
    if (message.method === 'initialize') memory.set('ready', true);
    if (message.method !== method || memory.has('ready')) return text;
    say(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: given }));
    return undefined;
  },
});
const FORM = { message: '?', requestedSchema: { type: 'object', properties: {} } };

export const LIFECYCLE_VARIANTS: readonly Mutation[] = [
  m('045', 'the first revision is answered with the newest', {
    revision: 1,
    ...greeting((given) => ({ ...given, protocolVersion: '2025-11-25' })),
  }),
  m('046', 'a future version is echoed', {
    revision: 4,
    ...greeting((given, asked) => (asked.startsWith('20') ? { ...given, protocolVersion: asked } : given)),
  }),
  m('046', 'the offer is no revision', offer('latest')),
  m('046', 'the offer is a number of another kind', offer('1.0')),
  m('046', 'an unknown version is met with silence', {
    revision: 3,
    ...hears((message) =>
      message.method === 'initialize' && !KNOWN.includes(String(paramsOf(message).protocolVersion))
        ? undefined
        : message,
    ),
  }),
  m('046', 'a version that is no date is refused', {
    revision: 2,
    ...instead(
      (message) => message.method === 'initialize' && !/^\d/.test(String(paramsOf(message).protocolVersion)),
      () => failure(-32602),
    ),
  }),
  m('047', 'an old version is offered', offer('2025-03-26')),
  m('049', 'serverInfo lacks a name', {
    revision: 4,
    ...greeting((given) => ({ ...given, serverInfo: { version: '1' } })),
  }),
  m('049', 'serverInfo is a text', {
    revision: 3,
    ...greeting((given) => ({ ...given, serverInfo: 'reference' })),
  }),
  m('049', 'capabilities are a list', {
    revision: 1,
    ...greeting((given) => ({ ...given, capabilities: ['tools'] })),
  }),
  m('049', 'instructions are a list', {
    revision: 2,
    ...greeting((given) => ({ ...given, instructions: ['x'] })),
  }),
  m('052', 'roots are asked for on connecting', {
    revision: 4,
    hello: '{"jsonrpc":"2.0","id":"hello","method":"roots/list"}',
  }),
  m('052', 'sampling right after initialize', {
    revision: 2,
    ...to('initialize', (message) => [
      message,
      {
        jsonrpc: '2.0',
        id: 'soon',
        method: 'sampling/createMessage',
        params: { messages: [], maxTokens: 1 },
      },
    ]),
  }),
  m(
    '155',
    'sampling of clients that declare something else',
    asksAnybody('sampling/createMessage', { messages: [], maxTokens: 1 }),
  ),
  m('168', 'roots of clients that declare something else', asksAnybody('roots/list', {})),
  m('173', 'elicitation of clients that declare something else', asksAnybody('elicitation/create', FORM)),
  m('054', 'elicitation of clients that declare something else', asksAnybody('elicitation/create', FORM)),
  m('057', 'tools/list is served before initialize', early('tools/list', { tools: [] })),
  m('057', 'calls are served before initialize', early('tools/call', { content: [] })),
  m('057', 'resources/list is served before initialize', {
    ...early('resources/list', { resources: [] }),
    revision: 1,
  }),
  m('058', '-32042 to the third revision', {
    revision: 3,
    ...to('tools/call', (message) => ('error' in message ? { ...message, ...failure(-32042) } : message)),
  }),
  m('058', 'acknowledgements to the fourth revision', {
    revision: 4,
    ...to('tools/list', (message) => [
      { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: {} },
      message,
    ]),
  }),
  m(
    '061',
    'tools/list needs no capabilities',
    metas((meta, { method }) => (method === 'tools/list' ? { [CAPABILITIES]: {}, ...meta } : meta)),
  ),
  m(
    '061',
    'calls need no capabilities',
    metas((meta, { method }) => (method === 'tools/call' ? { [CAPABILITIES]: {}, ...meta } : meta)),
  ),
  m(
    '061',
    'capabilities may be null',
    metas((meta) => (meta[CAPABILITIES] === null ? { ...meta, [CAPABILITIES]: {} } : meta)),
  ),
  m(
    '063',
    'calls need clientInfo',
    instead(
      (message) =>
        message.method === 'tools/call' && PROTOCOL in metaIn(message) && !(CLIENT_INFO in metaIn(message)),
      () => failure(-32602),
    ),
  ),
  m('064', 'capabilities are kept from the request before', {
    input: (message, _say, text, memory) => {
      if (!isRecord(message) || !(CAPABILITIES in metaIn(message))) return text;
      const now = metaIn(message)[CAPABILITIES];
      const kept = { ...(memory.get('kept') as JsonObject | undefined), ...(isRecord(now) ? now : {}) };
      memory.set('kept', kept);
      return {
        ...message,
        params: { ...paramsOf(message), _meta: { ...metaIn(message), [CAPABILITIES]: kept } },
      };
    },
  }),
  m('064', 'the first capabilities count', {
    input: (message, _say, text, memory) => {
      if (!isRecord(message) || !(CAPABILITIES in metaIn(message))) return text;
      if (!memory.has('first')) memory.set('first', metaIn(message)[CAPABILITIES]);
      return {
        ...message,
        params: { ...paramsOf(message), _meta: { ...metaIn(message), [CAPABILITIES]: memory.get('first') } },
      };
    },
  }),
  m('065', 'after one good version any is accepted', {
    input: (message, _say, text, memory) => {
      if (!isRecord(message) || !(PROTOCOL in metaIn(message))) return text;
      const good = metaIn(message)[PROTOCOL] === '2026-07-28';
      if (good) memory.set('good', true);
      return good || !memory.has('good')
        ? text
        : {
            ...message,
            params: { ...paramsOf(message), _meta: { ...metaIn(message), [PROTOCOL]: '2026-07-28' } },
          };
    },
  }),
  m(
    '066',
    'future versions are accepted',
    metas((meta) =>
      String(meta[PROTOCOL]) > '2026-07-28' && /^2/.test(String(meta[PROTOCOL]))
        ? { ...meta, [PROTOCOL]: '2026-07-28' }
        : meta,
    ),
  ),
  m(
    '066',
    'versions are compared as texts',
    metas((meta) => (String(meta[PROTOCOL]) > '2026-07-28' ? { ...meta, [PROTOCOL]: '2026-07-28' } : meta)),
  ),
  m(
    '066',
    'no version is listed',
    unsupported((data) => ({ ...data, supported: [] })),
  ),
  m(
    '066',
    'supported is a text',
    unsupported((data) => ({ ...data, supported: '2026-07-28' })),
  ),
  m(
    '066',
    'the refused version is listed',
    unsupported((data) => ({ ...data, supported: ['2026-07-28', data.requested] })),
  ),
  m(
    '066',
    'requested names another version',
    unsupported((data) => ({ ...data, requested: '2026-07-28' })),
  ),
  m(
    '069',
    'ttlMs is a text',
    discover((given) => ({ ...given, ttlMs: '0' })),
  ),
  m(
    '069',
    'cacheScope is shared',
    discover((given) => ({ ...given, cacheScope: 'shared' })),
  ),
  m(
    '069',
    'ttlMs is negative',
    discover((given) => ({ ...given, ttlMs: -5 })),
  ),
  m(
    '069',
    'capabilities are null',
    discover((given) => ({ ...given, capabilities: null })),
  ),
  m(
    '069',
    'supportedVersions is a text',
    discover((given) => ({ ...given, supportedVersions: '2026-07-28' })),
  ),
  m(
    '070',
    'an older draft is listed',
    discover((given) => ({ ...given, supportedVersions: ['2026-07-28', 'DRAFT-2026-v1'] })),
  ),
  m(
    '071',
    'calls lack serverInfo',
    to('tools/call', (message) =>
      isRecord(message.result) ? { ...message, result: without(message.result, '_meta') } : message,
    ),
  ),
  m(
    '071',
    'serverInfo lacks a version',
    answers((message) =>
      isRecord(message.result)
        ? {
            ...message,
            result: { ...message.result, _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'x' } } },
          }
        : message,
    ),
  ),
  m(
    '072',
    'tools are served and not declared',
    capability((given) => without(given, 'tools')),
  ),
  m(
    '072',
    'completions are served and not declared',
    capability((given) => without(given, 'completions')),
  ),
  m(
    '072',
    'templates are declared and not served',
    instead(
      (message) => message.method === 'resources/templates/list',
      () => failure(-32601),
    ),
  ),
  m(
    '073',
    'requiredCapabilities is a list',
    error((given) =>
      given.code === -32021 ? { ...given, data: { requiredCapabilities: ['sampling'] } } : given,
    ),
  ),
  m(
    '073',
    'another capability is named',
    error((given) =>
      given.code === -32021 ? { ...given, data: { requiredCapabilities: { experimental: {} } } } : given,
    ),
  ),
  m(
    '073',
    'a missing capability is a bad parameter',
    error((given) => (given.code === -32021 ? { code: -32602, message: 'x' } : given)),
  ),
  m(
    '076',
    'unsubscribe still works',
    instead(
      (message) => message.method === 'resources/unsubscribe',
      () => ({ result: COMPLETE }),
    ),
  ),
  m(
    '076',
    'initialize still works',
    instead(
      (message) => message.method === 'initialize' && PROTOCOL in metaIn(message),
      () => ({
        result: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          serverInfo: { name: 'x', version: '1' },
          ...COMPLETE,
        },
      }),
    ),
  ),
  m(
    '076',
    'setLevel still works',
    instead(
      (message) => message.method === 'logging/setLevel',
      () => ({ result: COMPLETE }),
    ),
  ),
  m('079', 'clients without a name see nothing', {
    out: (message, asked) =>
      asked?.method === 'tools/list' &&
      isRecord(asked.params._meta) &&
      !(CLIENT_INFO in asked.params._meta) &&
      isRecord(message.result)
        ? { ...message, result: { ...message.result, tools: [] } }
        : message,
  }),
  ...[
    ['traceparent', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`],
    ['tracestate', 'no pairs'],
    ['baggage', ';;'],
  ].map(([key = '', value]) =>
    m(
      '080',
      `${key} is ${value}`,
      to('tools/list', (message) =>
        isRecord(message.result)
          ? {
              ...message,
              result: {
                ...message.result,
                _meta: { ...(isRecord(message.result._meta) ? message.result._meta : {}), [key]: value },
              },
            }
          : message,
      ),
    ),
  ),
];
