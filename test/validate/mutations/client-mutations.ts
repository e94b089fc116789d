/** Every way in which the reference client is broken. */

import { isRecord, type JsonObject } from '../../../src/jsonrpc/message.js';
import { type Call, type ClientMutation, header, message, meta } from './client-harness.js';

const PREFIX = 'io.modelcontextprotocol/';
const OLD = ['handshake-4'];
const NEW = ['stateless'];

const isRequest = (call: Call): boolean => typeof call.message.method === 'string' && 'id' in call.message;
const isAnswer = (call: Call): boolean => call.message.jsonrpc !== undefined && !('method' in call.message);
const any = (call: Call): boolean => call.message.jsonrpc !== undefined;
const is =
  (method: string) =>
  (call: Call): boolean =>
    call.message.method === method;
const without = (object: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
const params = (given: JsonObject): JsonObject => (isRecord(given.params) ? given.params : {});
const accepted = (status = 202): Response => new Response(null, { status });
const later = (call: Call): boolean =>
  isRequest(call) && call.message.method !== 'initialize' && call.message.method !== 'server/discover';

/** Answers of the client to one kind of question, told by their shape. */
const answers = (
  fits: (result: JsonObject) => boolean,
  change: (result: JsonObject) => unknown,
): Pick<ClientMutation, 'send'> =>
  message(
    (call) => isAnswer(call) && isRecord(call.message.result) && fits(call.message.result),
    (given) => ({ ...given, result: isRecord(given.result) ? change(given.result) : {} }),
  );

/** Never lets a request out: the client is told that the network failed. */
const never = (fits: (call: Call) => boolean): Pick<ClientMutation, 'send'> => ({
  send: (call) => (fits(call) ? undefined : call),
});
/** Never lets a request out: the client is told that all went well. */
const pretend = (fits: (call: Call) => boolean): Pick<ClientMutation, 'send'> => ({
  send: (call) => (fits(call) ? accepted() : call),
});

const inRetry = (change: (given: JsonObject) => JsonObject): Pick<ClientMutation, 'send'> =>
  message(
    (call) => 'inputResponses' in params(call.message) || 'requestState' in params(call.message),
    (given) => ({ ...given, params: change(params(given)) }),
  );

export const CLIENT_MUTATIONS: readonly ClientMutation[] = [
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
    id: '401',
    name: 'no fallback after an empty 400',
    in: ['fallback-empty-400'],
    ...never(is('initialize')),
  },
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
  {
    id: '142',
    name: 'cursors are trimmed',
    in: ['paging-handshake'],
    ...message('tools/list', (given) =>
      typeof params(given).cursor === 'string'
        ? { ...given, params: { ...params(given), cursor: String(params(given).cursor).trim() } }
        : given,
    ),
  },
  {
    id: '143',
    name: 'stops after the second page',
    in: ['paging-stateless'],
    ...never((call) => params(call.message).cursor === ' padded '),
  },
  {
    id: '145',
    name: 'an empty cursor is the end',
    in: ['paging-stateless'],
    ...never((call) => params(call.message).cursor === ''),
  },
  {
    id: '147',
    name: 'begins with an old cursor',
    in: ['paging-handshake'],
    ...message('tools/list', (given) =>
      params(given).cursor === undefined ? { ...given, params: { ...params(given), cursor: 'old' } } : given,
    ),
  },
  {
    id: '156',
    name: 'samples without declaring it',
    in: OLD,
    ...message('initialize', (given) => ({ ...given, params: { ...params(given), capabilities: {} } })),
  },
  {
    id: '158',
    name: 'sampling results lack a model',
    in: OLD,
    ...answers(
      (result) => 'model' in result,
      (result) => without(result, 'model'),
    ),
  },
  {
    id: '158',
    name: 'embedded sampling lacks a role',
    in: ['input-required'],
    ...inRetry((given) => ({
      ...given,
      inputResponses: {
        ...(isRecord(given.inputResponses) ? given.inputResponses : {}),
        model: { content: { type: 'text', text: 'x' }, model: 'm' },
      },
    })),
  },
  {
    id: '161',
    name: 'tools without sampling.tools are accepted',
    in: OLD,
    ...message(
      (call) => isAnswer(call) && call.message.id === 'plumb-7',
      (given) => ({
        ...without(given, 'error'),
        result: { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' },
      }),
    ),
  },
  {
    id: '164',
    name: 'mixed tool results are accepted',
    in: OLD,
    ...message(
      (call) => isAnswer(call) && call.message.id === 'plumb-8',
      (given) => ({
        ...without(given, 'error'),
        result: { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' },
      }),
    ),
  },
  {
    id: '169',
    name: 'roots are answered and not declared',
    in: OLD,
    ...message('initialize', (given) => ({ ...given, params: { ...params(given), capabilities: {} } })),
  },
  {
    id: '170',
    name: 'roots over http',
    in: OLD,
    ...answers(
      (result) => 'roots' in result,
      () => ({ roots: [{ uri: 'http://example.com' }] }),
    ),
  },
  {
    id: '172',
    name: 'roots with listChanged',
    in: NEW,
    ...meta((given) => ({ ...given, [`${PREFIX}clientCapabilities`]: { roots: { listChanged: true } } })),
  },
  {
    id: '175',
    name: 'an undeclared mode is accepted',
    in: OLD,
    ...message('initialize', (given) => ({
      ...given,
      params: { ...params(given), capabilities: { elicitation: { form: {} } } },
    })),
  },
  {
    id: '176',
    name: 'a form without mode is refused',
    in: OLD,
    ...message(
      (call) => isAnswer(call) && call.message.id === 'plumb-5',
      (given) => ({ ...without(given, 'result'), error: { code: -32602, message: 'mode?' } }),
    ),
  },
  {
    id: '179',
    name: 'elicitation declares nothing known',
    in: OLD,
    ...message('initialize', (given) => ({
      ...given,
      params: { ...params(given), capabilities: { elicitation: { dialog: {} } } },
    })),
  },
  {
    id: '180',
    name: 'an unknown action',
    in: OLD,
    ...answers(
      (result) => 'action' in result,
      (result) => ({ ...result, action: 'ok' }),
    ),
  },
  {
    id: '180',
    name: 'content with decline',
    in: OLD,
    ...answers(
      (result) => 'action' in result,
      () => ({ action: 'decline', content: { name: 'x' } }),
    ),
  },
  {
    id: '181',
    name: 'an answer of a wrong type',
    in: OLD,
    ...answers(
      (result) => isRecord(result.content) && 'name' in result.content,
      (result) => ({ ...result, content: { name: 7 } }),
    ),
  },
  {
    id: '182',
    name: 'defaults are dropped',
    in: OLD,
    ...answers(
      (result) => isRecord(result.content) && 'name' in result.content,
      (result) => ({ ...result, content: {} }),
    ),
  },
  {
    id: '188',
    name: 'the URL is opened at once',
    in: OLD,
    send: (call) =>
      isAnswer(call) && call.message.id === 'plumb-6'
        ? { text: JSON.stringify({ ...call.message, result: { action: 'decline' } }) }
        : call,
    after: (call) =>
      call.message.method === 'tools/list' ? [{ url: new URL('/canary', call.url).href, method: 'GET' }] : [],
  },
  {
    id: '192',
    name: 'posts to another path',
    in: ['old-transport'],
    send: (call) => (call.url.includes('/messages') ? { url: new URL('/elsewhere', call.url).href } : call),
  },
  {
    id: '233',
    name: 'does not try the old transport',
    in: ['fallback-old-transport'],
    ...never((call) => call.method === 'GET'),
  },
  { id: '198', name: 'accepts only JSON', in: OLD, ...header('accept', () => 'application/json') },
  { id: '198', name: 'accepts only streams', in: NEW, ...header('accept', () => 'text/event-stream') },
  {
    id: '199',
    name: 'GET accepts only JSON',
    in: OLD,
    ...header(
      'accept',
      () => 'application/json',
      (call) => call.method === 'GET',
    ),
  },
  {
    id: '203',
    name: 'stops at streams',
    in: ['event-streams'],
    send: (call, memory) => {
      if (later(call) && memory.has('stopped')) return undefined;
      if (later(call)) memory.set('stopped', true);
      return call;
    },
  },
  { id: '211', name: 'the session id is left out', in: OLD, ...header('mcp-session-id', () => undefined) },
  {
    id: '214',
    name: 'no new session after 404',
    in: ['session-lost'],
    send: (call, memory) => {
      if (call.message.method !== 'initialize') return call;
      if (memory.has('opened')) return undefined;
      memory.set('opened', true);
      return call;
    },
  },
  {
    id: '214',
    name: 'the new session carries the old id',
    in: ['session-lost'],
    ...header('mcp-session-id', () => 'old', is('initialize')),
  },
  { id: '215', name: 'sessions are not deleted', in: OLD, ...pretend((call) => call.method === 'DELETE') },
  { id: '217', name: 'no version header', in: OLD, ...header('mcp-protocol-version', () => undefined) },
  {
    id: '217',
    name: 'another version header',
    in: ['handshake-3'],
    ...header('mcp-protocol-version', () => '2025-11-25'),
  },
  {
    id: '223',
    name: 'lost streams are not resumed',
    in: ['resuming'],
    ...never((call) => call.method === 'GET'),
  },
  { id: '234', name: 'a session id in the stateless era', in: NEW, ...header('mcp-session-id', () => 'x') },
  { id: '248', name: 'Last-Event-ID in the stateless era', in: NEW, ...header('last-event-id', () => '1') },
  { id: '250', name: 'no Mcp-Method', in: NEW, ...header('mcp-method', () => undefined, later) },
  { id: '250', name: 'a wrong Mcp-Method', in: NEW, ...header('mcp-method', () => 'tools/call', later) },
  { id: '251', name: 'no Mcp-Name', in: NEW, ...header('mcp-name', () => undefined) },
  {
    id: '252',
    name: 'a raw Mcp-Name',
    in: ['mirrored-headers'],
    ...header('mcp-name', () => 'route', is('tools/call')),
  },
  {
    id: '258',
    name: 'no parameter headers',
    in: ['mirrored-headers'],
    ...header('mcp-param-region', () => undefined),
  },
  {
    id: '259',
    name: 'a header for an absent argument',
    in: ['mirrored-headers'],
    ...header('mcp-param-absent', () => 'null', is('tools/call')),
  },
  {
    id: '260',
    name: 'booleans as 1',
    in: ['mirrored-headers'],
    ...header('mcp-param-dry', () => '1', is('tools/call')),
  },
  {
    id: '261',
    name: 'text without encoding',
    in: ['mirrored-headers'],
    ...header('mcp-param-region', () => 'eu', is('tools/call')),
  },
  {
    id: '262',
    name: 'nested values are forgotten',
    in: ['mirrored-headers'],
    ...header('mcp-param-city', () => undefined, is('tools/call')),
  },
  {
    id: '263',
    name: 'tools with bad annotations are called',
    in: ['mirrored-headers'],
    ...message('tools/call', (given) => ({ ...given, params: { ...params(given), name: 'invalid_0' } })),
  },
  {
    id: '267',
    name: 'no second try after -32020',
    in: ['stale-schema'],
    send: (call, memory) => {
      if (memory.has('called') && /tools/.test(String(call.message.method))) return undefined;
      if (call.message.method === 'tools/call') memory.set('called', true);
      return call;
    },
  },
  {
    id: '280',
    name: 'one answer is missing',
    in: ['input-required'],
    ...inRetry((given) => ({
      ...given,
      inputResponses: isRecord(given.inputResponses) ? without(given.inputResponses, 'places') : {},
    })),
  },
  {
    id: '280',
    name: 'the retry is another call',
    in: ['input-required'],
    ...inRetry((given) => ({ ...given, arguments: { changed: true } })),
  },
  {
    id: '281',
    name: 'requestState is trimmed',
    in: ['input-required'],
    ...inRetry((given) => ({ ...given, requestState: 'state' })),
  },
  {
    id: '282',
    name: 'a requestState is made up',
    in: ['no-state'],
    ...inRetry((given) => ({ ...given, requestState: 'made up' })),
  },
  {
    id: '283',
    name: 'the retry has the old id',
    in: ['input-required'],
    ...message('tools/call', (given, memory) => {
      if (!memory.has('id')) memory.set('id', given.id);
      return { ...given, id: memory.get('id') };
    }),
  },
  {
    id: '284',
    name: 'state leaks into other calls',
    in: ['input-required'],
    ...message('resources/read', (given) => ({ ...given, params: { ...params(given), requestState: 'x' } })),
  },
  {
    id: '285',
    name: 'answers without questions',
    in: ['state-only'],
    ...inRetry((given) => ({ ...given, inputResponses: {} })),
  },
  {
    id: '358',
    name: 'the token is forgotten',
    in: ['authorization'],
    ...header(
      'authorization',
      (call) => (call.headers.authorization === undefined ? undefined : 'Bearer other'),
      (call) => call.message.method === 'tools/list' || call.message.method === 'server/discover',
    ),
  },
  {
    id: '360',
    name: 'the challenge is ignored',
    in: ['authorization'],
    ...never((call) => call.url.includes('/metadata/here')),
  },
  {
    id: '366',
    name: 'no PKCE',
    in: ['authorization'],
    send: (call) =>
      call.url.includes('/as/authorize') ? { url: call.url.replace(/code_challenge=[^&]*/, 'x=1') } : call,
  },
  {
    id: '367',
    name: 'plain PKCE',
    in: ['authorization'],
    send: (call) => (call.url.includes('/as/authorize') ? { url: call.url.replace('S256', 'plain') } : call),
  },
  {
    id: '368',
    name: 'no resource',
    in: ['authorization'],
    send: (call) =>
      call.url.includes('/as/authorize') ? { url: call.url.replace(/resource=[^&]*/, 'x=1') } : call,
  },
  {
    id: '371',
    name: 'no application_type',
    in: ['authorization'],
    send: (call) =>
      call.url.includes('/as/register')
        ? { text: JSON.stringify(without(call.message, 'application_type')) }
        : call,
  },
  {
    id: '378',
    name: 'no state',
    in: ['authorization'],
    send: (call) =>
      call.url.includes('/as/authorize') ? { url: call.url.replace(/state=[^&]*/, 'x=1') } : call,
  },
  {
    id: '379',
    name: 'a foreign redirect URI',
    in: ['authorization'],
    send: (call) =>
      call.url.includes('/as/register')
        ? { text: JSON.stringify({ ...call.message, redirect_uris: ['http://evil.example.com'] }) }
        : call,
  },
  {
    id: '384',
    name: 'references are fetched',
    in: ['traps'],
    after: (call) =>
      call.message.method === 'tools/list'
        ? [{ url: new URL('/canary/schema.json', call.url).href, method: 'GET' }]
        : [],
  },
  {
    id: '386',
    name: 'icons over http are loaded',
    in: ['traps'],
    after: (call) =>
      call.message.method === 'tools/list'
        ? [{ url: new URL('/canary/icon.png', call.url).href, method: 'GET', headers: {} }]
        : [],
  },
  {
    id: '387',
    name: 'icons are fetched with credentials',
    in: ['traps'],
    after: (call) =>
      call.message.method === 'tools/list'
        ? [
            {
              url: new URL('/canary/icon.png', call.url).href,
              method: 'GET',
              headers: { authorization: 'Bearer x' },
            },
          ]
        : [],
  },
  {
    id: '406',
    name: 'a read without uri',
    in: OLD,
    ...message('resources/read', (given) => ({ ...given, params: {} })),
  },
];
