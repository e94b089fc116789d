/** Ways to break a client, written from the sentences of the specification alone: messages and features. */

import { isRecord, type JsonObject } from '../../../../src/jsonrpc/message.js';
import { type Call, type ClientMutation, message, meta } from './client-harness.js';
import {
  answers,
  broken,
  type ClientChange,
  inAnswers,
  is,
  isAnswer,
  isNotification,
  isRequest,
  later,
  NEW,
  OLD,
  PREFIX,
  params,
  saysMore,
  without,
} from './client-pieces.js';

const isError = (call: Call): boolean => isAnswer(call) && isRecord(call.message.error);
/** Changes the params of a method. */
const given = (method: string, change: (params: JsonObject) => JsonObject): ClientChange =>
  message(method, (sent) => ({ ...sent, params: change(params(sent)) }));
const capabilities = (change: (capabilities: JsonObject) => JsonObject): ClientChange =>
  given('initialize', (sent) => ({
    ...sent,
    capabilities: change(isRecord(sent.capabilities) ? sent.capabilities : {}),
  }));
const eachTime = (change: (capabilities: JsonObject) => JsonObject): ClientChange =>
  meta((sent) => {
    const declared = sent[`${PREFIX}clientCapabilities`];
    return { ...sent, [`${PREFIX}clientCapabilities`]: change(isRecord(declared) ? declared : {}) };
  });
const isForm = (result: JsonObject): boolean => 'action' in result && isRecord(result.content);
const isSample = (result: JsonObject): boolean => 'model' in result;
const MESSAGES: readonly ClientMutation[] = [
  broken(
    '001',
    'notifications lack jsonrpc',
    OLD,
    message(isNotification, (sent) => without(sent, 'jsonrpc')),
  ),
  broken(
    '001',
    'jsonrpc of calls is 2',
    NEW,
    message('tools/call', (sent) => ({ ...sent, jsonrpc: '2' })),
  ),
  broken(
    '002',
    'ids are objects',
    NEW,
    message('tools/call', (sent) => ({ ...sent, id: { n: 1 } })),
  ),
  broken(
    '002',
    'ids are true',
    OLD,
    message('tools/list', (sent) => ({ ...sent, id: true })),
  ),
  broken('003', 'a call has the id of initialize', OLD, {
    send: (call, memory) => {
      if (call.message.method === 'initialize') memory.set('id', call.message.id);
      return call.message.method === 'tools/call'
        ? { text: JSON.stringify({ ...call.message, id: memory.get('id') }) }
        : call;
    },
  }),
  broken(
    '003',
    'ids begin again',
    ['handshake-2'],
    message(
      (call) => isRequest(call) && call.message.method !== 'initialize',
      (sent, memory) => {
        const count = Number(memory.get('count') ?? 0) + 1;
        memory.set('count', count);
        return { ...sent, id: `r${count % 2}` };
      },
    ),
  ),
  broken(
    '005',
    'ids of answers become texts',
    OLD,
    message(isAnswer, (sent) => ({ ...sent, id: typeof sent.id === 'number' ? String(sent.id) : sent.id })),
  ),
  broken(
    '005',
    'answers to nothing',
    OLD,
    saysMore(is('notifications/initialized'), () => ({ id: 'nothing', result: {} })),
  ),
  broken(
    '006',
    'results come with error null',
    OLD,
    message(isAnswer, (sent) => ({ ...sent, error: null })),
  ),
  broken(
    '007',
    'errors lack a message',
    OLD,
    message(isError, (sent) => ({
      ...sent,
      error: without(isRecord(sent.error) ? sent.error : {}, 'message'),
    })),
  ),
  broken(
    '007',
    'error codes have a fraction',
    ['handshake-3'],
    message(isError, (sent) => ({ ...sent, error: { code: -32601.5, message: 'no' } })),
  ),
  broken(
    '013',
    'errors have id null',
    OLD,
    message(isError, (sent) => ({ ...sent, id: null })),
  ),
  broken(
    '019',
    'a _meta prefix begins with a digit',
    NEW,
    meta((sent) => ({ ...sent, '1x.example/key': 1 })),
  ),
  broken(
    '019',
    'a _meta name ends with a dot',
    OLD,
    meta((sent) => ({ ...sent, 'example.com/key.': 1 }), is('tools/call')),
  ),
  broken(
    '020',
    'an own key under com.mcp',
    NEW,
    meta((sent) => ({ ...sent, 'com.mcp.tools/x': 1 }), is('tools/call')),
  ),
  broken('020', 'an own key under modelcontextprotocol', OLD, {
    ...meta((sent) => ({ ...sent, 'org.modelcontextprotocol/own': 1 }), is('tools/list')),
  }),
  broken(
    '029',
    'sends an error response',
    NEW,
    saysMore(is('tools/list'), () => ({ id: 'x', error: { code: -32601, message: 'no' } })),
  ),
  broken('080', 'a traceparent of zeros', NEW, {
    ...meta((sent) => ({
      ...sent,
      traceparent: '00-00000000000000000000000000000000-0000000000000000-01',
    })),
  }),
  broken(
    '080',
    'a tracestate without pairs',
    NEW,
    meta((sent) => ({ ...sent, tracestate: 'a b c' })),
  ),
  broken(
    '391',
    'an extension without a prefix',
    NEW,
    eachTime((sent) => ({ ...sent, extensions: { tasks: {} } })),
  ),
];

const LIFECYCLE: readonly ClientMutation[] = [
  broken(
    '043',
    'initialize lacks a version',
    OLD,
    given('initialize', (sent) => without(sent, 'protocolVersion')),
  ),
  broken(
    '043',
    'initialize lacks capabilities',
    OLD,
    given('initialize', (sent) => without(sent, 'capabilities')),
  ),
  broken('043', 'the client has no name', ['handshake-3'], {
    ...given('initialize', (sent) => ({ ...sent, clientInfo: { version: '1' } })),
  }),
  broken('043', 'the version of the client is a number', ['handshake-1', 'handshake-2'], {
    ...given('initialize', (sent) => ({ ...sent, clientInfo: { name: 'x', version: 1 } })),
  }),
  broken('050', 'initialized has another name', OLD, {
    ...message('notifications/initialized', (sent) => ({ ...sent, method: 'initialized' })),
  }),
  broken('050', 'a new session is not confirmed', ['session-lost'], {
    send: (call, memory) => {
      if (call.message.method !== 'notifications/initialized') return call;
      if (memory.get('confirmed') === true) return new Response(null, { status: 202 });
      memory.set('confirmed', true);
      return call;
    },
  }),
  broken(
    '055',
    'subscribes though that is not declared',
    ['only-tools'],
    saysMore(is('tools/list'), () => ({
      id: 's1',
      method: 'resources/subscribe',
      params: { uri: 'stage://text' },
    })),
  ),
  broken(
    '055',
    'sets a level though logging is not declared',
    ['only-tools'],
    saysMore(is('tools/list'), () => ({ id: 'l1', method: 'logging/setLevel', params: { level: 'info' } })),
  ),
  broken(
    '055',
    'completes though that is not declared',
    ['only-tools'],
    saysMore(is('tools/list'), () => ({
      id: 'c1',
      method: 'completion/complete',
      params: { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'y', value: '' } },
    })),
  ),
  broken('058', 'a task in the third revision', ['handshake-3'], {
    ...given('tools/call', (sent) => ({ ...sent, task: { ttl: 1000 } })),
  }),
  broken(
    '058',
    'a stateless method in the fourth revision',
    OLD,
    saysMore(is('tools/list'), () => ({ id: 'd1', method: 'server/discover', params: {} })),
  ),
  broken(
    '059',
    'the version of the envelope is an old one',
    NEW,
    meta((sent) => ({ ...sent, [`${PREFIX}protocolVersion`]: '2025-11-25' }), later),
  ),
  broken(
    '059',
    'capabilities are a list',
    NEW,
    meta((sent) => ({ ...sent, [`${PREFIX}clientCapabilities`]: [] })),
  ),
  broken(
    '059',
    'completions have no envelope',
    ['completion-5'],
    message('completion/complete', (sent) => ({ ...sent, params: without(params(sent), '_meta') })),
  ),
  broken(
    '060',
    'clientInfo lacks a version',
    NEW,
    meta((sent) => ({ ...sent, [`${PREFIX}clientInfo`]: { name: 'x' } })),
  ),
  broken('067', 'asks for the same version again', ['unsupported-version'], {
    ...meta((sent) => ({ ...sent, [`${PREFIX}protocolVersion`]: '2027-01-01' })),
  }),
  broken(
    '081',
    'ping is answered with more than nothing',
    OLD,
    answers(
      (result) => Object.keys(result).length === 0,
      () => ({ pong: true }),
    ),
  ),
  broken('082', 'cancels what is over', OLD, {
    send: (call, memory) => {
      if (is('tools/list')(call)) memory.set('id', call.message.id);
      return call;
    },
    after: (call, memory) =>
      is('prompts/get')(call)
        ? [
            {
              text: JSON.stringify({
                jsonrpc: '2.0',
                method: 'notifications/cancelled',
                params: { requestId: memory.get('id') },
              }),
            },
          ]
        : [],
  }),
  broken(
    '092',
    'tokens have a fraction',
    NEW,
    meta((sent) => ({ ...sent, progressToken: 1.5 })),
  ),
  broken(
    '092',
    'tokens are null',
    ['handshake-2'],
    meta((sent) => ({ ...sent, progressToken: null })),
  ),
];

const FEATURES: readonly ClientMutation[] = [
  broken('136', 'an argument of a prompt is null', NEW, {
    ...given('prompts/get', (sent) => ({ ...sent, arguments: { name: null } })),
  }),
  broken('136', 'an argument of a prompt is an object', ['handshake-3'], {
    ...given('prompts/get', (sent) => ({ ...sent, arguments: { name: { first: 'Ada' } } })),
  }),
  broken('142', 'cursors are in lower case', ['paging-stateless'], {
    ...given('tools/list', (sent) =>
      typeof sent.cursor === 'string' ? { ...sent, cursor: sent.cursor.toLowerCase() } : sent,
    ),
  }),
  broken('142', 'cursors are escaped', ['paging-handshake'], {
    ...given('tools/list', (sent) =>
      typeof sent.cursor === 'string' ? { ...sent, cursor: encodeURIComponent(sent.cursor) } : sent,
    ),
  }),
  broken('147', 'goes on where the last session ended', ['session-lost', 'paging-handshake'], {
    ...given('tools/list', (sent) => ('cursor' in sent ? sent : { ...sent, cursor: 'page-2' })),
  }),
  broken(
    '158',
    'samples lack content',
    OLD,
    answers(isSample, (result) => without(result, 'content')),
  ),
  broken('158', 'the content of samples is a text', ['handshake-3'], {
    ...answers(isSample, (result) => ({ ...result, content: 'Hello.' })),
  }),
  broken('158', 'samples have the role of a system', OLD, {
    ...answers(isSample, (result) => ({ ...result, role: 'system' })),
  }),
  broken('158', 'embedded samples lack a model', ['input-required'], {
    ...inAnswers((answer) => ('model' in answer ? without(answer, 'model') : answer)),
  }),
  broken('170', 'roots are paths', OLD, {
    ...answers(
      (result) => 'roots' in result,
      () => ({ roots: [{ uri: '/tmp/reference' }] }),
    ),
  }),
  broken('170', 'embedded roots over https', ['input-required'], {
    ...inAnswers((answer) => ('roots' in answer ? { roots: [{ uri: 'https://example.com' }] } : answer)),
  }),
  broken(
    '172',
    'sampling is declared as true',
    NEW,
    eachTime((sent) => ({ ...sent, sampling: true })),
  ),
  broken(
    '172',
    'elicitation is declared as a list',
    NEW,
    eachTime((sent) => ({ ...sent, elicitation: ['form'] })),
  ),
  broken(
    '179',
    'elicitation is declared as true',
    OLD,
    capabilities((sent) => ({ ...sent, elicitation: true })),
  ),
  broken(
    '181',
    'accepts a form without content',
    OLD,
    answers(isForm, () => ({ action: 'accept' })),
  ),
  broken('180', 'content with cancel', ['handshake-3'], {
    ...answers(isForm, (result) => ({ ...result, action: 'cancel' })),
  }),
  broken('180', 'an embedded answer has another action', ['input-required'], {
    ...inAnswers((answer) => ('action' in answer ? { ...answer, action: 'accepted' } : answer)),
  }),
  broken('180', 'an embedded answer has no action', ['input-required'], {
    ...inAnswers((answer) => ('action' in answer ? without(answer, 'action') : answer)),
  }),
  broken('181', 'a required field is missing', OLD, {
    ...answers(isForm, (result) => ({ ...result, content: {} })),
  }),
  broken('181', 'an embedded answer breaks its form', ['input-required'], {
    ...inAnswers((answer) => ('content' in answer ? { ...answer, content: { name: 7 } } : answer)),
  }),
  broken(
    '406',
    'arguments are a list',
    OLD,
    given('tools/call', (sent) => ({ ...sent, arguments: [] })),
  ),
  broken('406', 'the name of a tool is a number', NEW, {
    send: (call) =>
      call.message.method === 'tools/call'
        ? {
            text: JSON.stringify({ ...call.message, params: { ...params(call.message), name: 7 } }),
            headers: { ...call.headers, 'mcp-name': '7' },
          }
        : call,
  }),
  broken(
    '406',
    'a cancellation without a request',
    ['handshake-3'],
    saysMore(is('tools/list'), () => ({ method: 'notifications/cancelled', params: {} })),
  ),
  broken('406', 'a completion without a reference', ['completion'], {
    ...given('completion/complete', (sent) => without(sent, 'ref')),
  }),
];

export const CLIENT_TEXT_MUTATIONS: readonly ClientMutation[] = [...MESSAGES, ...LIFECYCLE, ...FEATURES];
