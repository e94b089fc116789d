import { isRecord, type JsonObject } from '../../../../src/jsonrpc/message.js';
import { answering, error, everyResult, notification, pardon, result, rewriting, without } from './change.js';
import type { Mutation, Out } from './harness.js';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/** Changes interim results. */
function interim(change: (given: JsonObject) => JsonObject): Pick<Mutation, 'out'> {
  return everyResult((given) => (given.resultType === 'input_required' ? change(given) : given));
}

/** Changes every question of one kind, however it travels. */
function question(method: string, change: (params: JsonObject) => JsonObject): Pick<Mutation, 'out'> {
  return {
    out: (message) => {
      if (message.method === method && isRecord(message.params))
        return { ...message, params: change(message.params) };
      const { result: given } = message;
      if (!isRecord(given) || !isRecord(given.inputRequests)) return message;
      const inputRequests = Object.fromEntries(
        Object.entries(given.inputRequests).map(([key, asked]) => [
          key,
          isRecord(asked) && asked.method === method && isRecord(asked.params)
            ? { ...asked, params: change(asked.params) }
            : asked,
        ]),
      );
      return { ...message, result: { ...given, inputRequests } };
    },
  };
}

const embedded = (change: (asked: JsonObject) => JsonObject): Pick<Mutation, 'out'> =>
  interim((given) => ({
    ...given,
    inputRequests: Object.fromEntries(
      Object.entries(isRecord(given.inputRequests) ? given.inputRequests : {}).map(([key, asked]) => [
        key,
        isRecord(asked) ? change(asked) : asked,
      ]),
    ),
  }));

const untagged = (params: JsonObject, message: JsonObject): JsonObject => ({
  ...message,
  params: without(params, '_meta'),
});
let remembered: unknown;

/** Knows who listens to what. */
function listening(
  change: (message: JsonObject, listens: ReadonlyMap<unknown, JsonObject>) => Out,
): Pick<Mutation, 'input' | 'out'> {
  const known = (memory: Map<string, unknown>): Map<unknown, JsonObject> => {
    const kept = memory.get('listens');
    const listens: Map<unknown, JsonObject> = kept instanceof Map ? kept : new Map();
    memory.set('listens', listens);
    return listens;
  };
  return {
    input: (message, _say, text, memory) => {
      if (!isRecord(message) || !isRecord(message.params)) return text;
      const { notifications, requestId } = message.params;
      if (message.method === 'subscriptions/listen')
        known(memory).set(message.id, isRecord(notifications) ? notifications : {});
      if (message.method === 'notifications/cancelled') known(memory).delete(requestId);
      return text;
    },
    out: (message, _asked, memory) => change(message, known(memory)),
  };
}

function tagged(message: JsonObject, id: unknown): JsonObject {
  const params = isRecord(message.params) ? message.params : {};
  return { ...message, params: { ...params, _meta: { [SUBSCRIPTION]: id } } };
}

function idIn(message: JsonObject): unknown {
  const params = isRecord(message.params) ? message.params : {};
  return isRecord(params._meta) ? params._meta[SUBSCRIPTION] : undefined;
}

export const ASKING: readonly Mutation[] = [
  {
    id: '166',
    name: 'context whatever was declared',
    ...question('sampling/createMessage', (params) => ({ ...params, includeContext: 'allServers' })),
  },
  {
    id: '157',
    name: 'sampling without maxTokens',
    ...question('sampling/createMessage', (params) => without(params, 'maxTokens')),
  },
  {
    id: '157',
    name: 'sampling without messages',
    revision: 4,
    ...question('sampling/createMessage', (params) => without(params, 'messages')),
  },
  {
    id: '160',
    name: 'tools to clients without sampling.tools',
    ...question('sampling/createMessage', (params) => ({ ...params, tools: [] })),
  },
  {
    id: '162',
    name: 'tool results beside text',
    revision: 4,
    ...question('sampling/createMessage', (params) => ({
      ...params,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'tool_result', toolUseId: 'a', content: [] },
            { type: 'text', text: 'x' },
          ],
        },
      ],
    })),
  },
  {
    id: '163',
    name: 'a tool_use without its result',
    revision: 4,
    ...question('sampling/createMessage', (params) => ({
      ...params,
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'noop', input: {} }] },
        { role: 'user', content: { type: 'text', text: 'and?' } },
      ],
    })),
  },
  { id: '174', name: 'url elicitation whatever the mode', ...everyUrl() },
  {
    id: '177',
    name: 'a nested form',
    ...question('elicitation/create', (params) => ({
      ...params,
      requestedSchema: { type: 'object', properties: { a: { type: 'object', properties: {} } } },
    })),
  },
  {
    id: '177',
    name: 'a form of type array',
    revision: 3,
    ...question('elicitation/create', (params) => ({ ...params, requestedSchema: { type: 'array' } })),
  },
  {
    id: '178',
    name: 'a mode in the third revision',
    revision: 3,
    ...question('elicitation/create', (params) => ({ ...params, mode: 'form' })),
  },
  {
    id: '178',
    name: 'multi-select in the third revision',
    revision: 3,
    ...question('elicitation/create', (params) => ({
      ...params,
      requestedSchema: { type: 'object', properties: { a: { type: 'array', items: { enum: ['x'] } } } },
    })),
  },
  {
    id: '183',
    name: 'a url that is none',
    ...question('elicitation/create', (params) =>
      params.mode === 'url' ? { ...params, url: 'not a url' } : params,
    ),
  },
  {
    id: '183',
    name: 'no elicitationId',
    revision: 4,
    ...question('elicitation/create', (params) => without(params, 'elicitationId')),
  },
  {
    id: '186',
    name: 'complete for somebody else',
    revision: 4,
    out: (message, asked) =>
      asked?.method === 'tools/list'
        ? [
            {
              jsonrpc: '2.0',
              method: 'notifications/elicitation/complete',
              params: { elicitationId: 'foreign' },
            },
            message,
          ]
        : message,
  },
  {
    id: '187',
    name: 'elicitationId in the fifth revision',
    ...question('elicitation/create', (params) =>
      params.mode === 'url' ? { ...params, elicitationId: 'x' } : params,
    ),
  },
  {
    id: '189',
    name: 'a form for a password',
    ...question('elicitation/create', (params) => ({
      ...params,
      requestedSchema: { type: 'object', properties: { password: { type: 'string' } } },
    })),
  },
  {
    id: '190',
    name: 'declining is an error',
    ...answering(
      (message) =>
        isRecord(message.params) && JSON.stringify(message.params.inputResponses ?? '').includes('"decline"'),
      () => ({ error: { code: -32603, message: 'declined' } }),
    ),
  },
  {
    id: '271',
    name: 'lists ask for input',
    ...result('prompts/list', (given) => ({ ...given, resultType: 'input_required', requestState: 'x' })),
  },
  {
    id: '272',
    name: 'input_required with nothing',
    ...interim((given) => without(given, 'inputRequests', 'requestState')),
  },
  {
    id: '273',
    name: 'questions with an envelope',
    ...embedded((asked) => ({ jsonrpc: '2.0', id: 1, ...asked })),
  },
  { id: '273', name: 'an unknown question', ...embedded((asked) => ({ ...asked, method: 'tools/list' })) },
  {
    id: '274',
    name: 'asks whatever was declared',
    ...rewriting((message) =>
      isRecord(message.params) &&
      isRecord(message.params._meta) &&
      'io.modelcontextprotocol/clientCapabilities' in message.params._meta
        ? {
            ...message,
            params: {
              ...message.params,
              _meta: {
                ...message.params._meta,
                'io.modelcontextprotocol/clientCapabilities': {
                  elicitation: { form: {}, url: {} },
                  sampling: { tools: {} },
                  roots: {},
                },
              },
            },
          }
        : message,
    ),
  },
  {
    id: '275',
    name: 'altered states are accepted',
    ...pardonWhen((params) => typeof params.requestState === 'string'),
  },
  {
    id: '276',
    name: 'states work for other tools',
    ...pardonWhen((params) => typeof params.requestState === 'string'),
  },
  {
    id: '277',
    name: 'a missing answer is an error',
    ...answering(
      (message) =>
        isRecord(message.params) &&
        isRecord(message.params.inputResponses) &&
        Object.keys(message.params.inputResponses).length === 0,
      () => ({ error: { code: -32602, message: 'answer!' } }),
    ),
  },
  {
    id: '278',
    name: 'extra answers are an error',
    ...answering(
      (message) =>
        isRecord(message.params) &&
        isRecord(message.params.inputResponses) &&
        'plumb-extra' in message.params.inputResponses,
      () => ({ error: { code: -32602, message: 'too many' } }),
    ),
  },
  {
    id: '279',
    name: 'malformed answers are accepted',
    ...pardonWhen((params) => typeof params.inputResponses === 'string'),
  },
  {
    id: '286',
    name: 'interim results can be cached',
    ...interim((given) => ({ ...given, ttlMs: 0, cacheScope: 'public' })),
  },
  { id: '288', name: 'no acknowledgement', ...notification(ACKNOWLEDGED, () => undefined) },
  {
    id: '289',
    name: 'a change before the acknowledgement',
    ...notification(ACKNOWLEDGED, (params, message) => [
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: params._meta } },
      message,
    ]),
  },
  {
    id: '290',
    name: 'more is granted than declared',
    ...notification(ACKNOWLEDGED, (params, message) => ({
      ...message,
      params: { ...params, notifications: { toolsListChanged: true, skillsListChanged: true } },
    })),
  },
  {
    id: '291',
    name: 'the subscription id becomes a string',
    ...notification(ACKNOWLEDGED, (params, message) => ({
      ...message,
      params: {
        ...params,
        _meta: { [SUBSCRIPTION]: String(isRecord(params._meta) ? params._meta[SUBSCRIPTION] : '') },
      },
    })),
  },
  { id: '291', name: 'the subscription id is missing', ...notification(ACKNOWLEDGED, untagged) },
  {
    id: '292',
    name: 'tools to those who asked for prompts',
    ...listening((message, listens) =>
      message.method === 'notifications/tools/list_changed'
        ? [...listens].map(([id]) => tagged(message, id))
        : message,
    ),
  },
  {
    id: '293',
    name: 'changes are not delivered',
    ...notification('notifications/tools/list_changed', () => undefined),
  },
  {
    id: '294',
    name: 'updates for unlisted resources',
    ...listening((message, listens) =>
      message.method === 'notifications/resources/updated'
        ? [...listens].map(([id]) => tagged(message, id))
        : message,
    ),
  },
  {
    id: '297',
    name: 'a subscription cannot be ended',
    input: (message, _say, text) =>
      isRecord(message) && message.method === 'notifications/cancelled' ? undefined : text,
  },
  {
    id: '299',
    name: 'only one subscription is served',
    ...listening((message, listens) => {
      if (message.method !== 'notifications/tools/list_changed') return message;
      const [first] = [...listens].filter(([, wish]) => wish.toolsListChanged === true);
      return idIn(message) === first?.[0] ? message : undefined;
    }),
  },
  {
    id: '184',
    name: '-32042 without elicitations',
    revision: 4,
    ...error((given, asked) =>
      asked?.params.name === 'plumb_no_such_tool' ? { ...given, code: -32042 } : given,
    ),
  },
];

/** Answers with success, as if all were well. */
function pardonWhen(fits: (params: JsonObject) => boolean): Pick<Mutation, 'input' | 'out'> {
  return {
    ...pardon('none', {}),
    ...answering(
      (message) => isRecord(message.params) && fits(message.params),
      () => ({ result: { resultType: 'complete', content: [{ type: 'text', text: 'fine' }] } }),
    ),
  };
}

/** Repeats the url elicitation to clients that only have forms. */
function everyUrl(): Pick<Mutation, 'input' | 'out'> {
  return {
    out: (message, asked) => {
      if (asked?.params.name !== 'ask_page') return message;
      if (isRecord(message.result) && message.result.resultType === 'input_required')
        remembered = message.result;
      if (!isRecord(message.error) || remembered === undefined) return message;
      return { jsonrpc: '2.0', id: message.id, result: remembered };
    },
  };
}
