/** Ways to break a client, written from the sentences of the specification alone: HTTP, retries, and logging in. */

import { isRecord, type JsonObject } from '../../../../src/jsonrpc/message.js';
import { type Call, type ClientMutation, header, message } from './client-harness.js';
import {
  broken,
  type ClientChange,
  inAnswers,
  inRetry,
  is,
  isAnswer,
  isNotification,
  isRequest,
  NEW,
  never,
  OLD,
  params,
  without,
} from './client-pieces.js';

const argumentsIn = (call: Call): JsonObject => {
  const { arguments: args } = params(call.message);
  return isRecord(args) ? args : {};
};
const onGet = (call: Call): boolean => call.method === 'GET';
const parameterHeader = (
  change: (name: string, value: string, call: Call) => [string, string],
): ClientChange => ({
  send: (call) => ({
    headers: Object.fromEntries(
      Object.entries(call.headers).map(([name, value]) =>
        name.startsWith('mcp-param-') ? change(name, value, call) : [name, value],
      ),
    ),
  }),
});
const at = (call: Call, start: string): boolean => new URL(call.url).pathname.startsWith(start);
/** Changes a form that is posted. */
const posted = (place: string, change: (form: URLSearchParams) => void): ClientChange => ({
  send: (call) => {
    if (!at(call, place) || call.method !== 'POST') return call;
    const form = new URLSearchParams(call.text);
    change(form);
    return { text: form.toString() };
  },
});
/** Changes the query of the authorization request. */
const asking = (change: (query: URLSearchParams) => void): ClientChange => ({
  send: (call) => {
    if (!at(call, '/as/authorize')) return call;
    const url = new URL(call.url);
    change(url.searchParams);
    return { url: url.href };
  },
});
const HTTP: readonly ClientMutation[] = [
  broken('198', 'notifications accept only JSON', OLD, {
    ...header('accept', () => 'application/json', isNotification),
  }),
  broken(
    '198',
    'calls accept anything',
    NEW,
    header('accept', () => '*/*', is('tools/call')),
  ),
  broken(
    '199',
    'GET accepts anything',
    OLD,
    header('accept', () => '*/*', onGet),
  ),
  broken('211', 'the session id is in capitals', OLD, {
    ...header('mcp-session-id', (call) => call.headers['mcp-session-id']?.toUpperCase(), is('tools/call')),
  }),
  broken(
    '211',
    'answers lack the session id',
    OLD,
    header('mcp-session-id', () => undefined, isAnswer),
  ),
  broken(
    '217',
    'answers lack the version',
    OLD,
    header('mcp-protocol-version', () => undefined, isAnswer),
  ),
  broken('217', 'calls carry the version that was proposed', ['handshake-3'], {
    ...header('mcp-protocol-version', () => '2025-11-25', is('tools/call')),
  }),
  broken('223', 'resumes after another event', ['resuming'], {
    ...header('last-event-id', (call) => (call.headers['last-event-id'] === undefined ? undefined : '0')),
  }),
  broken(
    '232',
    'resumes without the last event',
    ['resuming'],
    header('last-event-id', () => undefined),
  ),
  broken(
    '234',
    'a session id on calls only',
    NEW,
    header('mcp-session-id', () => 'x', is('tools/call')),
  ),
  broken('234', 'DELETE at the end', NEW, {
    after: (call, memory) => {
      if (call.message.method !== 'tools/list' || memory.get('deleted') === true) return [];
      memory.set('deleted', true);
      return [{ method: 'DELETE' }];
    },
  }),
  broken('250', 'discover lacks Mcp-Method', NEW, {
    ...header('mcp-method', () => undefined, is('server/discover')),
  }),
  broken('250', 'prompts carry another Mcp-Method', NEW, {
    ...header('mcp-method', () => 'prompts/list', is('prompts/get')),
  }),
  broken(
    '251',
    'prompts lack Mcp-Name',
    NEW,
    header('mcp-name', () => undefined, is('prompts/get')),
  ),
  broken('251', 'retries lack Mcp-Name', ['input-required'], {
    ...header(
      'mcp-name',
      () => undefined,
      (call) => 'inputResponses' in params(call.message),
    ),
  }),
  broken(
    '251',
    'calls name another tool',
    NEW,
    header('mcp-name', () => 'other', is('tools/call')),
  ),
  broken('252', 'names are escaped like in a URL', ['mirrored-headers'], {
    ...header('mcp-name', (call) => {
      const { name } = params(call.message);
      return typeof name === 'string' ? encodeURIComponent(name) : call.headers['mcp-name'];
    }),
  }),
  broken('252', 'names are base64 without a mark', ['mirrored-headers'], {
    ...header('mcp-name', (call) => call.headers['mcp-name']?.replace(/^=\?base64\?(.*)\?=$/, '$1')),
  }),
  broken('258', 'headers are named after the arguments', ['mirrored-headers'], {
    ...parameterHeader((name, value, call) => [
      Object.keys(argumentsIn(call))[0] === undefined ? name : `${name}-value`,
      value,
    ]),
  }),
  broken(
    '260',
    'every header has the same value',
    ['mirrored-headers'],
    parameterHeader((name) => [name, 'same']),
  ),
  broken('260', 'integers have a fraction', ['mirrored-headers'], {
    ...parameterHeader((name, value) => [name, /^-?\d+$/.test(value) ? `${value}.5` : value]),
  }),
  broken('260', 'booleans in capitals', ['mirrored-headers'], {
    ...parameterHeader((name, value) => [name, /^(true|false)$/.test(value) ? value.toUpperCase() : value]),
  }),
  broken('261', 'texts are escaped like in a URL', ['mirrored-headers'], {
    ...parameterHeader((name, value) => {
      const inner = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
      return [
        name,
        inner === undefined ? value : encodeURIComponent(Buffer.from(inner, 'base64').toString()),
      ];
    }),
  }),
  broken('261', 'the mark is in capitals', ['mirrored-headers'], {
    ...parameterHeader((name, value) => [name, value.replace('=?base64?', '=?BASE64?')]),
  }),
];

const QUESTIONS: readonly ClientMutation[] = [
  broken('280', 'the retry forgets its arguments', ['input-required'], {
    ...inRetry((sent) => ('inputResponses' in sent ? without(sent, 'arguments') : sent)),
  }),
  broken('280', 'answers stand under other keys', ['input-required'], {
    ...inRetry((sent) => ({
      ...sent,
      inputResponses: Object.fromEntries(
        Object.entries(isRecord(sent.inputResponses) ? sent.inputResponses : {}).map(([key, value]) => [
          `${key}-answer`,
          value,
        ]),
      ),
    })),
  }),
  broken('280', 'answers are responses', ['input-required'], {
    ...inAnswers((answer) => ({ jsonrpc: '2.0', id: 1, result: answer })),
  }),
  broken(
    '281',
    'requestState is forgotten',
    ['input-required'],
    inRetry((sent) => without(sent, 'requestState')),
  ),
  broken('281', 'requestState is read and written again', ['input-required', 'state-only'], {
    ...inRetry((sent) =>
      typeof sent.requestState === 'string'
        ? { ...sent, requestState: sent.requestState.normalize('NFKC').toLowerCase() }
        : sent,
    ),
  }),
  broken(
    '282',
    'an empty requestState is sent',
    ['no-state'],
    inRetry((sent) => ({ ...sent, requestState: '' })),
  ),
  broken('284', 'answers leak into other calls', ['input-required'], {
    send: (call, memory) => {
      const { inputResponses } = params(call.message);
      if (inputResponses !== undefined) memory.set('answers', inputResponses);
      const leaks = isRequest(call) && inputResponses === undefined && memory.has('answers');
      return leaks
        ? {
            text: JSON.stringify({
              ...call.message,
              params: { ...params(call.message), inputResponses: memory.get('answers') },
            }),
          }
        : call;
    },
  }),
  broken(
    '059',
    'retries have no envelope',
    ['input-required'],
    inRetry((sent) => without(sent, '_meta')),
  ),
];

const LOGGING_IN: readonly ClientMutation[] = [
  broken('358', 'the token is sent under another scheme', ['authorization'], {
    ...header('authorization', (call) => call.headers.authorization?.replace('Bearer', 'Token')),
  }),
  broken('359', 'discovery carries the token in the URI', ['authorization'], {
    send: (call) => (is('tools/list')(call) ? { url: `${call.url}?access_token=secret` } : call),
  }),
  broken('366', 'the token request lacks the verifier', ['authorization'], {
    ...posted('/as/token', (form) => form.delete('code_verifier')),
  }),
  broken('366', 'the verifier is another', ['authorization'], {
    ...posted('/as/token', (form) => form.set('code_verifier', 'x'.repeat(50))),
  }),
  broken('367', 'the method of the challenge is left out', ['authorization'], {
    ...asking((query) => query.delete('code_challenge_method')),
  }),
  broken('368', 'the token request lacks the resource', ['authorization'], {
    ...posted('/as/token', (form) => form.delete('resource')),
  }),
  broken('368', 'the resource has a fragment', ['authorization'], {
    ...asking((query) => query.set('resource', `${query.get('resource')}#x`)),
  }),
  broken('368', 'the token is for the whole origin', ['authorization'], {
    ...posted('/as/token', (form) => form.set('resource', 'https://example.com/')),
  }),
  broken('371', 'an unknown application_type', ['authorization'], {
    send: (call) =>
      at(call, '/as/register')
        ? { text: JSON.stringify({ ...readBody(call), application_type: 'desktop' }) }
        : call,
  }),
  broken('375', 'asks for a scope of its own', ['authorization'], {
    ...asking((query) => query.set('scope', 'everything')),
  }),
  broken(
    '378',
    'the state is empty',
    ['authorization'],
    asking((query) => query.set('state', '')),
  ),
  broken('379', 'registers a foreign redirect', ['authorization'], {
    send: (call) =>
      at(call, '/as/register')
        ? { text: JSON.stringify({ ...readBody(call), redirect_uris: ['http://example.com/callback'] }) }
        : call,
  }),
];

const LOST: readonly ClientMutation[] = [
  broken('263', 'drops the valid tools with the invalid ones', ['rehearsal-5', 'mirrored-headers'], {
    ...never((call) => is('tools/call')(call) && params(call.message).name === 'route-ü'),
  }),
  broken(
    '308',
    'calls as a task though tasks are not declared',
    ['only-tools'],
    message('tools/call', (sent) => ({ ...sent, params: { ...params(sent), task: { ttl: 1000 } } })),
  ),
  broken(
    '337',
    'the header names another task',
    ['tasks-extension'],
    header(
      'mcp-name',
      () => 'another',
      (call) => String(call.message.method).startsWith('tasks/'),
    ),
  ),
  broken(
    '400',
    'reads a directory though skills are not declared',
    NEW,
    message('resources/read', (sent) => ({ ...sent, method: 'resources/directory/read' })),
  ),
];

function readBody(call: Call): JsonObject {
  const body: unknown = JSON.parse(call.text);
  return isRecord(body) ? body : {};
}

export const CLIENT_TEXT_HTTP_MUTATIONS: readonly ClientMutation[] = [
  ...HTTP,
  ...QUESTIONS,
  ...LOGGING_IN,
  ...LOST,
];
