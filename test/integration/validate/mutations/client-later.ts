/** Mutations of what the client does after the first exchange: results, caches, tasks, and logging in. */

import { isRecord, type JsonObject } from '../../../../src/jsonrpc/message.js';
import { type Call, type ClientMutation, message, meta } from './client-harness.js';

const TASKS = 'io.modelcontextprotocol/tasks';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const isRequest = (call: Call): boolean => typeof call.message.method === 'string' && 'id' in call.message;
const at = (call: Call, start: string): boolean => new URL(call.url).pathname.startsWith(start);
const said = (call: Call, method: string, params: JsonObject, id: string): Partial<Call> => ({
  text: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...metaOf(call), ...params } }),
});
const metaOf = (call: Call): JsonObject => {
  const params = isRecord(call.message.params) ? call.message.params : {};
  return isRecord(params._meta) ? { _meta: params._meta } : {};
};

/** Goes silent after the first answer to this method. */
function stopsAfter(method: string): Pick<ClientMutation, 'send'> {
  return {
    send: (call, memory) => {
      if (memory.get('stopped') === true && isRequest(call)) return undefined;
      if (call.message.method === method) memory.set('stopped', true);
      return call;
    },
  };
}

/** Says more after each call of a method, once. */
function adds(method: string, more: (call: Call) => readonly Partial<Call>[]): Pick<ClientMutation, 'after'> {
  return {
    after: (call, memory) => {
      if (call.message.method !== method || memory.get('added') === true) return [];
      memory.set('added', true);
      return more(call);
    },
  };
}

/** Behaves in the rehearsal, and only there. */
function afterRehearsal(
  mutation: Pick<ClientMutation, 'send' | 'after'>,
): Pick<ClientMutation, 'send' | 'after'> {
  const urls = new Set<string>();
  const rehearses = ({ url }: Call): boolean => urls.add(new URL(url).origin).size === 1;
  const { send, after } = mutation;
  return {
    ...(send === undefined ? {} : { send: (call, memory) => (rehearses(call) ? call : send(call, memory)) }),
    ...(after === undefined ? {} : { after: (call, memory) => (rehearses(call) ? [] : after(call, memory)) }),
  };
}

/** Answered by the client itself, from a cache that it should not have. */
function fromCache(
  method: string,
  fits: (params: JsonObject, seen: number) => boolean,
): Pick<ClientMutation, 'send'> {
  return {
    send: (call, memory) => {
      const params = isRecord(call.message.params) ? call.message.params : {};
      if (call.message.method !== method) return call;
      const key = `${method} ${String(params.uri)}`;
      const seen = Number(memory.get(key) ?? 0);
      if (params.requestState === undefined) memory.set(key, seen + 1);
      if (!fits(params, seen)) return call;
      const result = { resultType: 'complete', contents: [], tools: [], ttlMs: 0, cacheScope: 'private' };
      return new Response(JSON.stringify({ jsonrpc: '2.0', id: call.message.id, result }), {
        headers: { 'content-type': 'application/json' },
      });
    },
  };
}

const unseen = (path: string): Pick<ClientMutation, 'send'> => ({
  send: (call) => (new URL(call.url).pathname === path ? new Response(null, { status: 404 }) : call),
});

/** Changes the query of the authorization request. */
function asksFor(
  change: (query: URLSearchParams, time: number) => void,
  place = '/as/authorize',
): Pick<ClientMutation, 'send'> {
  return {
    send: (call, memory) => {
      if (!at(call, place)) return call;
      const time = Number(memory.get('logins') ?? 0) + 1;
      memory.set('logins', time);
      const url = new URL(call.url);
      change(url.searchParams, time);
      return { url: url.href };
    },
  };
}

/** Goes on where it should have stopped. */
function goesTo(path: string, after: string): Pick<ClientMutation, 'after'> {
  return {
    after: (call, memory) => {
      if (!at(call, after) || memory.get('gone') === true) return [];
      memory.set('gone', true);
      return [{ url: new URL(path, call.url).href, method: 'POST', text: 'grant_type=authorization_code' }];
    },
  };
}

const declaresTasks = meta((given) => {
  const capabilities = isRecord(given[CAPABILITIES]) ? given[CAPABILITIES] : {};
  return { ...given, [CAPABILITIES]: { ...capabilities, extensions: { [TASKS]: {} } } };
});
const TASK = 'stage-task-5f0e2c9a';

export const LATER_CLIENT_MUTATIONS: readonly ClientMutation[] = [
  { id: '026', name: 'stops at a result without resultType', in: ['stateless'], ...stopsAfter('tools/list') },
  {
    id: '027',
    name: 'uses a result of an unknown type',
    in: ['unknown-result-type'],
    ...adds('tools/list', (call) => [said(call, 'tools/call', { name: 'weird', arguments: {} }, 'w1')]),
  },
  { id: '113', name: 'gives up at a failed tool', in: ['failed-tool-4'], ...stopsAfter('tools/call') },
  {
    id: '141',
    name: 'forgets what was completed before',
    in: ['completion'],
    ...message('completion/complete', (given) => {
      const { context: _, ...params } = isRecord(given.params) ? given.params : {};
      return { ...given, params };
    }),
  },
  {
    id: '144',
    name: 'asks for the last page again',
    in: ['paging-stateless'],
    after: (call) => {
      const params = isRecord(call.message.params) ? call.message.params : {};
      return params.cursor === '' ? [said(call, 'tools/list', { cursor: '' }, 'again')] : [];
    },
  },
  { id: '204', name: 'cannot read odd streams', in: ['odd-streams'], ...stopsAfter('tools/list') },
  {
    id: '229',
    name: 'takes a priming event for a message',
    in: ['event-streams'],
    ...stopsAfter('tools/list'),
  },
  { id: '246', name: 'stumbles over comments', in: ['stateless-streams'], ...stopsAfter('server/discover') },
  {
    id: '230',
    name: 'comes back at once',
    in: ['resuming'],
    ...adds('tools/list', (call) => [
      { method: 'GET', headers: { ...call.headers, accept: 'text/event-stream', 'last-event-id': 'cut-1' } },
    ]),
  },
  {
    id: '232',
    name: 'never resumes',
    in: ['resuming'],
    send: (call) => (call.headers['last-event-id'] === undefined ? call : undefined),
  },
  {
    id: '247',
    name: 'repeats a lost request with its old id',
    in: ['lost-stream'],
    ...adds('tools/list', (call) => [{ text: call.text }]),
  },
  {
    id: '287',
    name: 'never tires of questions',
    in: ['endless-questions'],
    ...adds('tools/call', (call) => Array.from({ length: 70 }, () => ({ text: call.text }))),
  },
  { id: '385', name: 'breaks at a deep schema', in: ['traps'], ...stopsAfter('tools/list') },
  {
    id: '400',
    name: 'reads directories of a server that has none',
    in: ['stateless'],
    ...adds('server/discover', (call) => [said(call, 'resources/directory/read', { uri: 'x://y' }, 'd1')]),
  },
  {
    id: '302',
    name: 'mixes up cached resources',
    in: ['rehearsal-5', 'cached-results'],
    ...afterRehearsal(fromCache('resources/read', ({ uri }) => uri === 'stage://other')),
  },
  {
    id: '304',
    name: 'caches what needed input',
    in: ['rehearsal-5', 'cached-input'],
    ...afterRehearsal(
      fromCache('resources/read', ({ requestState }, seen) => requestState === undefined && seen > 0),
    ),
  },
  {
    id: '305',
    name: 'caches for a negative time',
    in: ['rehearsal-5', 'negative-ttl'],
    ...afterRehearsal(fromCache('resources/read', (_, seen) => seen > 0)),
  },
  {
    id: '306',
    name: 'does not believe that a list changed',
    in: ['rehearsal-5', 'change-notice'],
    ...afterRehearsal(fromCache('tools/list', (_, seen) => seen > 0)),
  },
  {
    id: '307',
    name: 'polls when a ttl ends',
    in: ['rehearsal-5', 'short-ttl'],
    ...afterRehearsal(
      adds('tools/list', (call) =>
        Array.from({ length: 6 }, (_, index) => said(call, 'tools/list', {}, `poll-${index}`)),
      ),
    ),
  },
  {
    id: '313',
    name: 'calls a tool that forbids it as a task',
    in: ['tasks'],
    ...adds('tools/list', (call) => [said(call, 'tools/call', { name: 'forbidden', task: {} }, 't1')]),
  },
  {
    id: '313',
    name: 'calls a tool that requires a task without',
    in: ['tasks'],
    ...adds('tools/list', (call) => [said(call, 'tools/call', { name: 'required' }, 't1')]),
  },
  {
    id: '325',
    name: 'polls as fast as it can',
    in: ['tasks'],
    ...adds('tools/list', (call) => [
      said(call, 'tools/call', { name: 'optional', task: {} }, 't1'),
      said(call, 'tasks/get', { taskId: TASK }, 't2'),
      said(call, 'tasks/get', { taskId: TASK }, 't3'),
    ]),
  },
  {
    id: '326',
    name: 'cancels a task like a request',
    in: ['tasks'],
    ...adds('tools/list', (call) => [
      said(call, 'tools/call', { name: 'optional', task: {} }, 't1'),
      {
        text: JSON.stringify({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: 't1' },
        }),
      },
    ]),
  },
  {
    id: '337',
    name: 'asks for a task without naming it in the header',
    in: ['tasks-extension'],
    ...declaresTasks,
    ...adds('tools/call', (call) => [said(call, 'tasks/get', { taskId: TASK }, 't1')]),
  },
  {
    id: '338',
    name: 'accepts a task from prompts/get',
    in: ['tasks-extension'],
    ...declaresTasks,
    ...adds('prompts/get', (call) => [said(call, 'tasks/get', { taskId: 'stage-task-misplaced' }, 't1')]),
  },
  {
    id: '338',
    name: 'never looks at its task',
    in: ['tasks-extension'],
    ...declaresTasks,
  },
  {
    id: '340',
    name: 'asks the person the same question twice',
    in: ['tasks-extension'],
    ...declaresTasks,
    ...adds('tools/call', (call) =>
      ['t1', 't2'].map((id) =>
        said(call, 'tasks/update', { taskId: TASK, inputResponses: { name: { action: 'decline' } } }, id),
      ),
    ),
  },
  {
    id: '359',
    name: 'sends its token in the URI',
    in: ['authorization'],
    send: (call) => (at(call, '/mcp') ? { url: `${call.url}?access_token=x` } : call),
  },
  {
    id: '361',
    name: 'looks for metadata at the root only',
    in: ['authorization-without-challenge'],
    ...unseen('/.well-known/oauth-protected-resource/mcp'),
  },
  {
    id: '362',
    name: 'looks for OpenID metadata first',
    in: ['authorization'],
    ...unseen('/.well-known/oauth-authorization-server/as'),
  },
  {
    id: '363',
    name: 'does not look at the origin',
    in: ['no-metadata'],
    ...unseen('/.well-known/oauth-authorization-server'),
  },
  {
    id: '364',
    name: 'logs in at another issuer',
    in: ['another-issuer'],
    ...goesTo('/as/authorize', '/.well-known/oauth-authorization-server'),
  },
  {
    id: '365',
    name: 'logs in for another resource',
    in: ['another-resource'],
    ...goesTo('/as/authorize', '/metadata/here'),
  },
  {
    id: '370',
    name: 'points to a document without a path',
    in: ['authorization'],
    ...asksFor((query) => query.set('client_id', 'https://example.com')),
  },
  {
    id: '372',
    name: 'takes its registration to another server',
    in: ['new-issuer'],
    ...asksFor((query) => query.set('client_id', 'client-of-as'), '/as2/authorize'),
  },
  { id: '373', name: 'ignores a wrong iss', in: ['iss-of-another'], ...goesTo('/as/token', '/as/authorize') },
  { id: '373', name: 'ignores a missing iss', in: ['iss-missing'], ...goesTo('/as/token', '/as/authorize') },
  { id: '373', name: 'normalises iss', in: ['iss-with-slash'], ...goesTo('/as/token', '/as/authorize') },
  {
    id: '375',
    name: 'ignores the scope of the challenge',
    in: ['authorization'],
    ...asksFor((query) => query.delete('scope')),
  },
  {
    id: '376',
    name: 'never asks for more scope',
    in: ['more-scope'],
    send: (call, memory) => {
      if (!at(call, '/as/authorize')) return call;
      if (memory.get('asked') === true) return new Response(null, { status: 400 });
      memory.set('asked', true);
      return call;
    },
  },
  {
    id: '377',
    name: 'gives up the scope that it had',
    in: ['more-scope'],
    ...asksFor((query, time) => time > 1 && query.set('scope', 'stage:write')),
  },
  {
    id: '381',
    name: 'asks for offline_access everywhere',
    in: ['authorization'],
    ...asksFor((query) => query.set('scope', `${query.get('scope')} offline_access`)),
  },
];
