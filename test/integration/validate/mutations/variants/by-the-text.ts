/** Variants written from the sentences of the specification alone: messages, features, and the envelope. */

import { isRecord, type JsonObject } from '../../../../../src/jsonrpc/message.js';
import { capability, notification, result, returned, tool, without } from '../change.js';
import type { Mutation } from '../harness.js';
import {
  answers,
  CACHED,
  COMPLETE,
  failure,
  hears,
  instead,
  LOG_LEVEL,
  m,
  metaIn,
  metas,
  PROTOCOL,
  paramsOf,
  to,
} from './pieces.js';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const TOOLS_CHANGED = 'notifications/tools/list_changed';
const UPDATED = 'notifications/resources/updated';
const TEXT: JsonObject = { content: [{ type: 'text', text: 'x' }] };

/** Another id in answers. */
const ids = (change: (id: unknown) => unknown, method?: string): Partial<Mutation> =>
  answers((message, asked) =>
    method === undefined || asked.method === method ? { ...message, id: change(message.id) } : message,
  );

const texts = (id: unknown): unknown => (typeof id === 'number' ? String(id) : id);
const onText =
  (change: (id: string) => string) =>
  (id: unknown): unknown =>
    typeof id === 'string' ? change(id) : id;

/** A level that is taken for another one. */
const takes = (level: string, as: string): Partial<Mutation> =>
  hears((message) =>
    message.method === 'logging/setLevel' && paramsOf(message).level === level
      ? { ...message, params: { ...paramsOf(message), level: as } }
      : message,
  );

const firstOf =
  (field: string, change: (item: JsonObject) => unknown) =>
  (list: JsonObject): JsonObject => {
    const items = list[field];
    const [head, ...tail] = Array.isArray(items) ? items : [];
    return isRecord(head) ? { ...list, [field]: [change(head), ...tail] } : list;
  };

/** A message of this kind beside each change of the tools, for the same subscription. */
const alsoSays = (method: string, params: JsonObject = {}): Partial<Mutation> =>
  notification(TOOLS_CHANGED, (given, message) => [
    message,
    { jsonrpc: '2.0', method, params: { ...params, _meta: given._meta } },
  ]);

const TASKED = 'io.modelcontextprotocol/tasks';

export const TEXT_VARIANTS: readonly Mutation[] = [
  // Requests, responses, errors.
  m('005', 'numeric ids of completions come back as texts', ids(texts, 'completion/complete')),
  m('005', 'numeric ids of template lists come back as texts', {
    ...ids(texts, 'resources/templates/list'),
    revision: 4,
  }),
  m(
    '005',
    'large ids lose their last digits',
    ids((id) => (typeof id === 'number' ? Math.fround(id) : id)),
  ),
  m('005', 'accents in ids are decomposed', ids(onText((id) => id.normalize('NFD')))),
  m('005', 'ids lose the blanks around them', { ...ids(onText((id) => id.trim())), revision: 3 }),
  m('005', 'ids are in lower case', ids(onText((id) => id.toLowerCase()))),
  m('005', 'ids of unknown methods are lost', {
    ...answers((message) =>
      isRecord(message.error) && message.error.code === -32601 ? { ...message, id: 1 } : message,
    ),
    revision: 2,
  }),
  m(
    '007',
    'missing resources get a message that is true',
    to('resources/read', (message) =>
      isRecord(message.error) ? { ...message, error: { ...message.error, message: true } } : message,
    ),
  ),
  m('007', 'codes are larger than an integer', {
    ...answers((message) =>
      isRecord(message.error) ? { ...message, error: { ...message.error, code: 1.5e-3 } } : message,
    ),
    revision: 1,
  }),
  m(
    '010',
    'a call whose arguments are a list succeeds',
    instead(
      (message) => message.method === 'tools/call' && Array.isArray(paramsOf(message).arguments),
      () => ({ result: { ...COMPLETE, ...TEXT } }),
    ),
  ),
  m('010', 'a prompt whose arguments are a text succeeds', {
    ...instead(
      (message) => message.method === 'prompts/get' && typeof paramsOf(message).arguments === 'string',
      () => ({ result: { messages: [] } }),
    ),
    revision: 4,
  }),
  m('012', 'requests whose params are a text are served', {
    ...hears((message) => (typeof message.params === 'string' ? without(message, 'params') : message)),
    revision: 4,
  }),
  m('009', 'methods with a slash at the end are served', {
    ...hears((message) =>
      typeof message.method === 'string' && message.method.endsWith('/')
        ? { ...message, method: message.method.slice(0, -1) }
        : message,
    ),
    revision: 4,
  }),
  m('018', 'unknown fields of list requests are refused', {
    ...instead(
      (message) =>
        message.method === 'prompts/list' &&
        Object.keys(paramsOf(message)).some((key) => key !== '_meta' && key !== 'cursor'),
      () => failure(-32602),
    ),
    revision: 3,
  }),
  m('019', 'a _meta key ends with a slash and a dot', {
    ...result('tools/call', (given) => ({
      ...given,
      _meta: { ...(isRecord(given._meta) ? given._meta : {}), 'com.example/.x': 1 },
    })),
    revision: 4,
  }),
  m('031', 'a line of blanks', { line: (text) => ['   ', text] }),
  m('030', 'a message is cut after a comma', {
    line: (text) => text.split(/(?<=,)(?="params")/),
    revision: 4,
  }),
  // Versions and capabilities.
  m('046', 'an empty version is echoed', {
    ...hears((message, say) => {
      if (message.method !== 'initialize' || !/^\D*$/.test(String(paramsOf(message).protocolVersion)))
        return message;
      const { protocolVersion } = paramsOf(message);
      say({
        id: message.id,
        result: { protocolVersion, capabilities: {}, serverInfo: { name: 'x', version: '1' } },
      });
      return undefined;
    }),
    revision: 4,
  }),
  m('049', 'the name of the server is empty of type', {
    ...result('initialize', (given) => ({ ...given, serverInfo: { name: 1, version: '1' } })),
    revision: 4,
  }),
  m('102', 'changed tools are announced though listChanged is false', {
    ...capability((capabilities) => ({ ...capabilities, tools: { listChanged: false } })),
    revision: 4,
  }),
  m(
    '061',
    'the version may be a number',
    metas((meta) => ({
      ...meta,
      ...(typeof meta[PROTOCOL] === 'string' ? {} : { [PROTOCOL]: '2026-07-28' }),
    })),
  ),
  m(
    '066',
    'supported versions are numbers',
    answers((message) =>
      isRecord(message.error) && message.error.code === -32022
        ? { ...message, error: { ...message.error, data: { supported: [2026], requested: '1999-01-01' } } }
        : message,
    ),
  ),
  m(
    '069',
    'no version is supported',
    result('server/discover', (given) => ({ ...given, supportedVersions: [] })),
  ),
  m(
    '069',
    'capabilities of discover are a list',
    result('server/discover', (given) => ({ ...given, capabilities: [] })),
  ),
  m(
    '073',
    'no capability is named',
    answers((message) =>
      isRecord(message.error) && message.error.code === -32021
        ? { ...message, error: { ...message.error, data: { requiredCapabilities: {} } } }
        : message,
    ),
  ),
  m(
    '076',
    'subscribe is a bad parameter',
    answers((message, asked) =>
      asked.method === 'resources/subscribe'
        ? { jsonrpc: '2.0', id: message.id, ...failure(-32602) }
        : message,
    ),
  ),
  m(
    '025',
    'prompts lack resultType',
    result('prompts/get', (given) => without(given, 'resultType')),
  ),
  m(
    '025',
    'completions lack resultType',
    result('completion/complete', (given) => without(given, 'resultType')),
  ),
  m(
    '025',
    'resultType of reads is null',
    result('resources/read', (given) => ({ ...given, resultType: null })),
  ),
  m(
    '300',
    'ttlMs is true',
    result('prompts/list', (given) => ({ ...given, ttlMs: true })),
  ),
  m(
    '300',
    'discover has no scope',
    result('server/discover', (given) => ({ ...given, cacheScope: '' })),
  ),
  m(
    '300',
    'prompts lack cacheScope',
    result('prompts/list', (given) => without(given, 'cacheScope')),
  ),
  // Features.
  m('098', 'a tool that is null', {
    ...result('tools/list', (given) => ({
      ...given,
      tools: [null, ...(Array.isArray(given.tools) ? given.tools : [])],
    })),
    revision: 4,
  }),
  m(
    '098',
    'an inputSchema that is true',
    tool('echo', (given) => ({ ...given, inputSchema: true })),
  ),
  m(
    '099',
    'an enum that is a text',
    tool('echo', (given) => ({
      ...given,
      inputSchema: { type: 'object', properties: { text: { enum: 'a' } } },
    })),
  ),
  m('099', 'properties that are a list', {
    ...tool('echo', (given) => ({ ...given, inputSchema: { type: 'object', properties: ['text'] } })),
    revision: 4,
  }),
  m(
    '100',
    'a name with a slash',
    tool('echo', (given) => ({ ...given, name: 'files/echo' })),
  ),
  m('100', 'a name with a colon', {
    ...tool('echo', (given) => ({ ...given, name: 'files:echo' })),
    revision: 4,
  }),
  m(
    '103',
    'a tool without a name is the first one',
    instead(
      (message) => message.method === 'tools/call' && paramsOf(message).name === '',
      () => ({ result: { ...COMPLETE, ...TEXT } }),
    ),
  ),
  m('106', 'an embedded resource without text and blob', {
    ...returned('blocks', (given) => ({
      ...given,
      content: [{ type: 'resource', resource: { uri: 'ref://text' } }],
    })),
    revision: 4,
  }),
  m(
    '106',
    'a link without a uri',
    returned('blocks', (given) => ({
      ...given,
      content: [{ type: 'resource_link', name: 'text' }],
    })),
  ),
  m('107', 'audio that is no base64', {
    ...returned('image', (given) => ({
      ...given,
      content: [{ type: 'audio', data: '!!', mimeType: 'audio/wav' }],
    })),
    revision: 3,
  }),
  m(
    '107',
    'base64 with line breaks',
    returned('image', (given) => ({
      ...given,
      content: [{ type: 'image', data: 'iVBO\nRw0K', mimeType: 'image/png' }],
    })),
  ),
  m('108', 'a number in structuredContent is a text', {
    ...returned('add', (given) => ({
      ...given,
      structuredContent: { sum: String(isRecord(given.structuredContent) ? given.structuredContent.sum : 0) },
    })),
    revision: 4,
  }),
  m('111', 'structuredContent is null', {
    ...returned('add', (given) => ({ ...given, structuredContent: null })),
    revision: 3,
  }),
  m(
    '119',
    'a uri that is a number',
    result(
      'resources/list',
      firstOf('resources', (item) => ({ ...item, uri: 7 })),
    ),
  ),
  m('119', 'a resource that is a text', {
    ...result(
      'resources/list',
      firstOf('resources', () => 'ref://text'),
    ),
    revision: 3,
  }),
  m(
    '120',
    'contents hold null',
    result('resources/read', (given) => ({ ...given, contents: [null] })),
  ),
  m('121', 'a blob with line breaks', {
    ...result(
      'resources/read',
      firstOf('contents', (item) => ('blob' in item ? { ...item, blob: 'AA\nAA' } : item)),
    ),
    revision: 4,
  }),
  m(
    '131',
    'lastModified is a number',
    result(
      'resources/list',
      firstOf('resources', (item) => ({
        ...item,
        annotations: { lastModified: 1_700_000_000 },
      })),
    ),
  ),
  m('131', 'an audience of nobody known', {
    ...result(
      'prompts/get',
      firstOf('messages', (item) => ({
        ...item,
        content: { type: 'text', text: 'x', annotations: { audience: ['User'] } },
      })),
    ),
    revision: 4,
  }),
  m(
    '135',
    'a message without content',
    result(
      'prompts/get',
      firstOf('messages', (item) => without(item, 'content')),
    ),
  ),
  m('135', 'a role in capitals', {
    ...result(
      'prompts/get',
      firstOf('messages', (item) => ({ ...item, role: 'User' })),
    ),
    revision: 4,
  }),
  m('140', 'completion of an unknown prompt is empty', {
    ...instead(
      (message) =>
        message.method === 'completion/complete' &&
        !/greet|show|ref:/.test(JSON.stringify(paramsOf(message).ref)),
      () => ({ result: { completion: { values: [] } } }),
    ),
    revision: 4,
  }),
  m(
    '146',
    'a bad cursor of prompts is the beginning',
    hears((message) =>
      message.method === 'prompts/list'
        ? { ...message, params: without(paramsOf(message), 'cursor') }
        : message,
    ),
  ),
  m(
    '146',
    'a bad cursor of templates is an empty page',
    instead(
      (message) => message.method === 'resources/templates/list' && 'cursor' in paramsOf(message),
      () => ({ result: { ...CACHED, resourceTemplates: [] } }),
    ),
  ),
  m('149', 'critical lets errors through', { ...takes('critical', 'error'), revision: 4 }),
  m('149', 'alert lets errors through', { ...takes('alert', 'error'), revision: 2 }),
  m('149', 'emergency lets everything through', { ...takes('emergency', 'debug'), revision: 3 }),
  m(
    '152',
    'critical lets errors through',
    metas((meta) => ({
      ...meta,
      ...(meta[LOG_LEVEL] === 'critical' ? { [LOG_LEVEL]: 'error' } : {}),
    })),
  ),
  m(
    '154',
    'an empty level is none',
    metas((meta) => (meta[LOG_LEVEL] === '' ? without(meta, LOG_LEVEL) : meta)),
  ),
  m(
    '154',
    'a number is a level',
    metas((meta) => (typeof meta[LOG_LEVEL] === 'number' ? { ...meta, [LOG_LEVEL]: 'debug' } : meta)),
  ),
  m('151', 'the logger of a message is a number', {
    ...notification('notifications/message', (params, message) => ({
      ...message,
      params: { ...params, logger: 5 },
    })),
    revision: 4,
  }),
  m('406', 'an update without a uri', {
    ...notification(UPDATED, (params, message) => ({ ...message, params: without(params, 'uri') })),
    revision: 4,
  }),
  m(
    '406',
    'the total of a completion is a text',
    result('completion/complete', () => ({
      ...COMPLETE,
      completion: { values: [], total: '0' },
    })),
  ),
  m('093', 'calls without a token report under their id', {
    ...hears((message, say) => {
      if (message.method === 'tools/call' && metaIn(message).progressToken === undefined)
        say({ method: 'notifications/progress', params: { progressToken: message.id, progress: 1 } });
      return message;
    }),
    revision: 3,
  }),
  // Questions and subscriptions.
  m(
    '271',
    'completions ask for input',
    result('completion/complete', () => ({
      resultType: 'input_required',
      requestState: 'x',
    })),
  ),
  m(
    '272',
    'a state that is null',
    returned('ask_form', (given) =>
      given.resultType === 'input_required'
        ? { ...without(given, 'inputRequests'), requestState: null }
        : given,
    ),
  ),
  m('292', 'prompts to those who asked for tools', alsoSays('notifications/prompts/list_changed')),
  m('292', 'resources to those who asked for tools', alsoSays('notifications/resources/list_changed')),
  m('294', 'updates to those who asked for tools', alsoSays(UPDATED, { uri: 'ref://note' })),
  m(
    '291',
    'the subscription id is in an object',
    notification(TOOLS_CHANGED, (params, message) => ({
      ...message,
      params: {
        ...params,
        _meta: { [SUBSCRIPTION]: { id: isRecord(params._meta) ? params._meta[SUBSCRIPTION] : 0 } },
      },
    })),
  ),
  m(
    '298',
    'updates that nobody listens for',
    to('tools/call', (message, asked) =>
      asked.params.name === 'write_note'
        ? [message, { jsonrpc: '2.0', method: UPDATED, params: { uri: 'ref://note' } }]
        : message,
    ),
  ),
  m(
    '391',
    'an extension with an empty prefix',
    capability((capabilities) => ({
      ...capabilities,
      extensions: { '/tasks': {} },
    })),
  ),
  m('329', 'unknown tasks are shown to clients without the extension', {
    ...instead(
      (message) => message.method === 'tasks/get' && !JSON.stringify(metaIn(message)).includes(TASKED),
      () => failure(-32602),
    ),
    ...capability((capabilities) => ({ ...capabilities, extensions: { [TASKED]: {} } })),
  }),
];
