/** Variants: questions to the client, states, and subscriptions. */

import { isRecord, type JsonObject } from '../../../../../src/jsonrpc/message.js';
import { everyResult, without } from '../change.js';
import type { Mutation } from '../harness.js';
import { CAPABILITIES, COMPLETE, failure, hears, instead, m, metas, paramsOf, to } from './pieces.js';

/** Changes every question of one kind, however it travels. */
function question(method: string, change: (params: JsonObject) => JsonObject): Partial<Mutation> {
  return {
    out: (message) => {
      if (message.method === method && isRecord(message.params))
        return { ...message, params: change(message.params) };
      const { result } = message;
      if (!isRecord(result) || !isRecord(result.inputRequests)) return message;
      const inputRequests = Object.fromEntries(
        Object.entries(result.inputRequests).map(([key, asked]) => [
          key,
          isRecord(asked) && asked.method === method && isRecord(asked.params)
            ? { ...asked, params: change(asked.params) }
            : asked,
        ]),
      );
      return { ...message, result: { ...result, inputRequests } };
    },
  };
}

const form = (properties: JsonObject, more: JsonObject = {}): Partial<Mutation> =>
  question('elicitation/create', (params) =>
    params.mode === 'url' ? params : { ...params, requestedSchema: { type: 'object', properties, ...more } },
  );
const interim = (change: (given: JsonObject) => JsonObject): Partial<Mutation> =>
  everyResult((given) => (given.resultType === 'input_required' ? change(given) : given));
const sampling = (change: (params: JsonObject) => JsonObject): Partial<Mutation> =>
  question('sampling/createMessage', change);
/** Reads more into what the client declares. */
const imagines = (change: (declared: JsonObject) => JsonObject): Partial<Mutation> =>
  metas((meta) => ({
    ...meta,
    [CAPABILITIES]: change(isRecord(meta[CAPABILITIES]) ? meta[CAPABILITIES] : {}),
  }));
const DONE = { content: [{ type: 'text', text: 'fine' }], ...COMPLETE };
const answered = (message: JsonObject): JsonObject => paramsOf(message);
const accepts = (fits: (params: JsonObject) => boolean): Partial<Mutation> =>
  instead(
    (message) => message.method === 'tools/call' && fits(answered(message)),
    () => ({ result: DONE }),
  );

export const ASKING_VARIANTS: readonly Mutation[] = [
  m(
    '157',
    'maxTokens is a text',
    sampling((params) => ({ ...params, maxTokens: '10' })),
  ),
  m('157', 'a system message', {
    revision: 4,
    ...sampling((params) => ({
      ...params,
      messages: [{ role: 'system', content: { type: 'text', text: 'x' } }],
    })),
  }),
  m('157', 'messages are a text', { revision: 2, ...sampling((params) => ({ ...params, messages: 'Hi' })) }),
  m('160', 'toolChoice without tools', {
    revision: 4,
    ...sampling((params) => ({ ...params, toolChoice: { mode: 'auto' } })),
  }),
  m(
    '162',
    'results beside text in the fifth revision',
    sampling((params) => ({
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
  ),
  m(
    '163',
    'the result of another use',
    sampling((params) => ({
      ...params,
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'noop', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', toolUseId: 'b', content: [] }] },
      ],
    })),
  ),
  m('166', 'the context of this server', {
    revision: 4,
    ...sampling((params) => ({ ...params, includeContext: 'thisServer' })),
  }),
  m(
    '174',
    'forms to clients with pages only',
    imagines((declared) =>
      isRecord(declared.elicitation) ? { ...declared, elicitation: { form: {}, url: {} } } : declared,
    ),
  ),
  m(
    '274',
    'modes are not looked at',
    imagines((declared) =>
      isRecord(declared.elicitation) ? { ...declared, elicitation: { form: {}, url: {} } } : declared,
    ),
  ),
  m(
    '274',
    'sampling whenever elicitation is declared',
    imagines((declared) =>
      'elicitation' in declared ? { ...declared, sampling: { tools: {} }, roots: {} } : declared,
    ),
  ),
  m('177', 'an unknown format', form({ name: { type: 'string', format: 'password' } })),
  m('177', 'choices that are numbers', { revision: 4, ...form({ name: { type: 'string', enum: [1, 2] } }) }),
  m('177', 'a list of objects', form({ names: { type: 'array', items: { type: 'object' } } })),
  m('177', 'two types', { revision: 3, ...form({ name: { type: ['string', 'null'] } }) }),
  m('177', 'a required field that is not there', form({ name: { type: 'string' } }, { required: ['other'] })),
  m('178', 'titles with oneOf in the third revision', {
    revision: 3,
    ...form({ name: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] } }),
  }),
  m(
    '183',
    'a page that is a script',
    question('elicitation/create', (params) =>
      params.mode === 'url' ? { ...params, url: 'javascript:alert(1)' } : params,
    ),
  ),
  m('183', 'a page without a url', {
    revision: 4,
    ...question('elicitation/create', (params) => (params.mode === 'url' ? without(params, 'url') : params)),
  }),
  m(
    '187',
    'completion of a page',
    to('tools/list', (message) => [
      { jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'x' } },
      message,
    ]),
  ),
  m('189', 'a form for a token', form({ apiToken: { type: 'string' } })),
  m(
    '190',
    'cancelling is an error',
    instead(
      (message) => JSON.stringify(answered(message).inputResponses ?? '').includes('"cancel"'),
      () => failure(-32603),
    ),
  ),
  m('190', 'declining is never answered', {
    revision: 4,
    ...hears((message) =>
      isRecord(message.result) && message.result.action === 'decline' ? undefined : message,
    ),
  }),
  m(
    '271',
    'discover asks',
    to('server/discover', (message) =>
      isRecord(message.result)
        ? { ...message, result: { ...message.result, resultType: 'input_required', requestState: 'x' } }
        : message,
    ),
  ),
  m(
    '271',
    'resources/list asks',
    to('resources/list', (message) =>
      isRecord(message.result)
        ? { ...message, result: { ...message.result, resultType: 'input_required', requestState: 'x' } }
        : message,
    ),
  ),
  m(
    '272',
    'no question and no state',
    interim((given) => ({ ...without(given, 'requestState'), inputRequests: {} })),
  ),
  m(
    '272',
    'a state that is a number',
    interim((given) => ({ ...given, requestState: 7 })),
  ),
  m(
    '273',
    'a question that is a text',
    interim((given) => ({ ...given, inputRequests: { name: 'Who are you?' } })),
  ),
  m(
    '273',
    'a ping as a question',
    interim((given) => ({ ...given, inputRequests: { name: { method: 'ping' } } })),
  ),
  m(
    '275',
    'what follows a state is ignored',
    hears((message) =>
      typeof answered(message).requestState === 'string'
        ? {
            ...message,
            params: {
              ...answered(message),
              requestState: String(answered(message).requestState).replace(/-[A-Z]+$/, ''),
            },
          }
        : message,
    ),
  ),
  m(
    '275',
    'any state will do',
    accepts((params) => params.requestState === 'plumb'),
  ),
  m(
    '276',
    'other arguments are accepted',
    accepts(
      (params) =>
        typeof params.requestState === 'string' &&
        isRecord(params.arguments) &&
        Object.keys(params.arguments).length > 0,
    ),
  ),
  m(
    '277',
    'it goes on without the answer',
    accepts((params) => isRecord(params.inputResponses) && Object.keys(params.inputResponses).length === 0),
  ),
  m(
    '279',
    'a list of answers is accepted',
    accepts((params) => Array.isArray(params.inputResponses)),
  ),
  m(
    '279',
    'a number is accepted',
    accepts((params) => typeof params.inputResponses === 'number'),
  ),
  m(
    '286',
    'a state with a lifetime',
    interim((given) => ({ ...given, ttlMs: 60_000 })),
  ),
];
