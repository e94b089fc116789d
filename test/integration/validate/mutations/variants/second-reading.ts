/** Variants written from a second reading of the specification, before the checks were read: over stdio. */

import { isRecord, type JsonObject } from '../../../../../src/jsonrpc/message.js';
import { notification, result } from '../change.js';
import type { Mutation } from '../harness.js';
import { answers, failure, hears, instead, m, metaIn, paramsOf, to } from './pieces.js';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const TOOLS_CHANGED = 'notifications/tools/list_changed';

const texts = (id: unknown): unknown => (typeof id === 'number' ? String(id) : id);
const ids = (method: string, change: (id: unknown) => unknown): Partial<Mutation> =>
  to(method, (message) => ({ ...message, id: change(message.id) }));
const offer = (version: unknown): Partial<Mutation> => ({
  ...result('initialize', (given, asked) =>
    asked.params.protocolVersion === given.protocolVersion ? given : { ...given, protocolVersion: version },
  ),
  revision: 4,
});
const inErrors = (change: (error: JsonObject) => JsonObject, method?: string): Partial<Mutation> =>
  answers((message, asked) =>
    isRecord(message.error) && (method === undefined || asked.method === method)
      ? { ...message, error: change(message.error) }
      : message,
  );
/** Answers the members of a batch, each by itself or not at all. */
const batches = (change: (answer: JsonObject) => JsonObject | undefined): Partial<Mutation> => ({
  revision: 2,
  line: (text) => {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return [text];
    const kept = value.filter(isRecord).flatMap((answer) => change(answer) ?? []);
    return kept.length === 0 ? [] : [JSON.stringify(kept)];
  },
});
/** The level that a server takes in place of the one that was set. */
const hearsLevel = (level: string, as: string, revision: number): Partial<Mutation> => ({
  ...hears((message) =>
    message.method === 'logging/setLevel' && paramsOf(message).level === level
      ? { ...message, params: { ...paramsOf(message), level: as } }
      : message,
  ),
  revision,
});
const acknowledged = (change: (granted: JsonObject) => JsonObject): Partial<Mutation> =>
  notification(ACKNOWLEDGED, (params, message) => ({
    ...message,
    params: { ...params, notifications: change(isRecord(params.notifications) ? params.notifications : {}) },
  }));

const MESSAGES: readonly Mutation[] = [
  m('005', 'ids of prompt lists become texts', { ...ids('prompts/list', texts), revision: 1 }),
  m('005', 'ids of resource lists become texts', { ...ids('resources/list', texts), revision: 3 }),
  m('005', 'ids of discover become texts', ids('server/discover', texts)),
  m('005', 'ids of unsubscribing become texts', { ...ids('resources/unsubscribe', texts), revision: 4 }),
  m('005', 'ids of pings become texts', { ...ids('ping', texts), revision: 2 }),
  m('005', 'a negative id of a call loses its sign', {
    ...ids('tools/call', (id) => (typeof id === 'number' ? Math.abs(id) : id)),
    revision: 4,
  }),
  m(
    '005',
    'the id 0 of a prompt becomes null',
    ids('prompts/get', (id) => (id === 0 ? null : id)),
  ),
  m('005', 'long ids are cut', {
    ...answers((message) =>
      typeof message.id === 'string' && message.id.length > 64
        ? { ...message, id: message.id.slice(0, 64) }
        : message,
    ),
    revision: 4,
  }),
  m('006', 'errors of calls come with a result', {
    ...answers((message, asked) =>
      isRecord(message.error) && asked.method === 'tools/call'
        ? { ...message, result: { content: [] } }
        : message,
    ),
    revision: 4,
  }),
  m(
    '007',
    'bad cursors get a code that is null',
    inErrors((error) => ({ ...error, code: null }), 'tools/list'),
  ),
  m('008', 'unknown notifications get an error without id', {
    input: (message, say, text) => {
      if (isRecord(message) && !('id' in message) && String(message.method).includes('no'))
        say(JSON.stringify({ jsonrpc: '2.0', error: { code: -32601, message: 'unknown' } }));
      return text;
    },
    revision: 4,
  }),
  m('013', 'errors of bad params have id null', {
    ...answers((message) =>
      isRecord(message.error) && message.error.code === -32602 ? { ...message, id: null } : message,
    ),
    revision: 5,
  }),
  m(
    '014',
    'errors in a batch are left out',
    batches((answer) => ('error' in answer ? undefined : answer)),
  ),
  m(
    '014',
    'members of a batch lose their ids',
    batches((answer) => ({ ...answer, id: null })),
  ),
  m('014', 'one unknown method spoils a batch', {
    revision: 2,
    input: (message, say, text) => {
      const spoilt =
        Array.isArray(message) &&
        message.some((item) => isRecord(item) && /no|unknown/.test(String(item.method)));
      if (!spoilt) return text;
      say('{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"unknown"}}');
      return undefined;
    },
  }),
  m('016', 'a batch of notifications is answered with an empty list', {
    revision: 2,
    input: (message, say, text) => {
      const only = Array.isArray(message) && message.length > 0;
      if (only && message.every((item) => isRecord(item) && !('id' in item))) say('[]');
      return text;
    },
  }),
  m('017', 'the first of a batch is served', {
    revision: 5,
    input: (message, _say, text) => (Array.isArray(message) && isRecord(message[0]) ? message[0] : text),
  }),
  m('022', 'bad arguments get -32100', {
    ...inErrors((error) => (error.code === -32602 ? { ...error, code: -32100 } : error)),
  }),
  m('031', 'a NUL before each line', { line: (text) => [`\0${text}`] }),
  m('031', 'a progress bar on stdout', { line: (text) => ['[=====>    ] 50 %', text], revision: 2 }),
  m('033', 'emoji are torn apart', {
    line: (text) => [text.replaceAll(/[\uD800-\uDFFF]/g, '\uFFFD')],
  }),
];

const GREETING: readonly Mutation[] = [
  m('046', 'the offer is null', offer(null)),
  m('046', 'the offer is latest', offer('latest')),
  m('046', 'the offer is a date without a revision', offer('2025-01-01')),
  m('046', 'the offer is a revision without a handshake', offer('2026-07-28')),
  m('047', 'the second newest version is offered', { ...offer('2025-06-18') }),
  m('049', 'serverInfo is a list', {
    ...result('initialize', (given) => ({ ...given, serverInfo: [] })),
    revision: 1,
  }),
  m('049', 'the version of the server is a number', {
    ...result('initialize', (given) => ({ ...given, serverInfo: { name: 'x', version: 1 } })),
    revision: 2,
  }),
  m('066', 'supported holds null', {
    ...answers((message) =>
      isRecord(message.error) && message.error.code === -32022 && isRecord(message.error.data)
        ? { ...message, error: { ...message.error, data: { ...message.error.data, supported: [null] } } }
        : message,
    ),
  }),
  m('069', 'supportedVersions holds numbers', {
    ...result('server/discover', (given) => ({ ...given, supportedVersions: [20260728] })),
  }),
  m('076', 'initialize is served when it has an envelope', {
    ...instead(
      (message) => message.method === 'initialize' && Object.keys(metaIn(message)).length > 0,
      () => ({
        result: {
          resultType: 'complete',
          protocolVersion: '2026-07-28',
          capabilities: {},
          serverInfo: { name: 'x', version: '1' },
        },
      }),
    ),
  }),
];

const RUNNING: readonly Mutation[] = [
  m('092', 'texts as tokens are ignored', {
    ...notification('notifications/progress', (params, message) =>
      typeof params.progressToken === 'string' ? undefined : message,
    ),
    revision: 3,
  }),
  m('093', 'texts that look like numbers become numbers', {
    ...notification('notifications/progress', (params, message) => ({
      ...message,
      params: {
        ...params,
        progressToken: /^\d+$/.test(String(params.progressToken))
          ? Number(params.progressToken)
          : params.progressToken,
      },
    })),
    revision: 4,
  }),
  m('094', 'progress is counted down', {
    ...notification('notifications/progress', (params, message) => ({
      ...message,
      params: { ...params, progress: 100 - Number(params.progress) },
    })),
    revision: 4,
  }),
  m('149', 'warning lets information through', hearsLevel('warning', 'info', 4)),
  m('149', 'notice lets information through', hearsLevel('notice', 'info', 2)),
  m('149', 'error hides errors', hearsLevel('error', 'critical', 3)),
  m('149', 'debug hides information', hearsLevel('debug', 'notice', 4)),
  m('151', 'log messages have a level of their own', {
    ...notification('notifications/message', (params, message) => ({
      ...message,
      params: { ...params, level: 'warn' },
    })),
    revision: 3,
  }),
  m('152', 'error lets information through', {
    ...hears((message) => {
      const meta = metaIn(message);
      return meta['io.modelcontextprotocol/logLevel'] === 'error'
        ? {
            ...message,
            params: { ...paramsOf(message), _meta: { ...meta, 'io.modelcontextprotocol/logLevel': 'info' } },
          }
        : message;
    }),
  }),
  m('083', 'a cancelled call is answered with an error', {
    revision: 3,
    input: (message, say, text) => {
      if (isRecord(message) && message.method === 'notifications/cancelled')
        say(JSON.stringify({ jsonrpc: '2.0', id: paramsOf(message).requestId, ...failure(-32000) }));
      return text;
    },
  }),
];

const STATELESS: readonly Mutation[] = [
  m('271', 'template lists ask for input', {
    ...result('resources/templates/list', (given) => ({
      ...given,
      resultType: 'input_required',
      requestState: 'x',
    })),
  }),
  m('288', 'the acknowledgement comes as another notification', {
    ...notification(ACKNOWLEDGED, (_params, message) => ({
      ...message,
      method: 'notifications/subscriptions/started',
    })),
  }),
  m('290', 'tools are granted in place of prompts', {
    ...acknowledged((granted) => ('promptsListChanged' in granted ? { toolsListChanged: true } : granted)),
  }),
  m(
    '290',
    'the acknowledgement grants nothing of what it sends',
    acknowledged(() => ({})),
  ),
  m('292', 'changes go to those who said false', {
    ...hears((message) => {
      if (message.method !== 'subscriptions/listen') return message;
      const { notifications } = paramsOf(message);
      const wish = isRecord(notifications) ? notifications : {};
      return {
        ...message,
        params: { ...paramsOf(message), notifications: { ...wish, toolsListChanged: true } },
      };
    }),
  }),
  m('296', 'a subscription ends without a word', {
    ...to('subscriptions/listen', (message) => (isRecord(message.result) ? undefined : message)),
  }),
  m('296', 'the end of a subscription does not name it', {
    ...result('subscriptions/listen', (given) => ({ ...given, _meta: {} })),
  }),
  m('291', 'changes carry a number for a text', {
    ...notification(TOOLS_CHANGED, (params, message) => ({
      ...message,
      params: { ...params, _meta: { [SUBSCRIPTION]: 1 } },
    })),
  }),
  m('274', 'roots are asked for whatever was declared', {
    ...result('tools/call', (given) =>
      given.resultType === 'input_required' && isRecord(given.inputRequests)
        ? { ...given, inputRequests: { ...given.inputRequests, extra: { method: 'roots/list' } } }
        : given,
    ),
  }),
  m('301', 'the scope changes between pages of resources', {
    ...result('resources/list', (given, asked) =>
      'cursor' in asked.params ? { ...given, cacheScope: 'public' } : { ...given, cacheScope: 'private' },
    ),
  }),
];

export const SECOND_READING: readonly Mutation[] = [...MESSAGES, ...GREETING, ...RUNNING, ...STATELESS];
