/** What a client does with results: unknown kinds, failed tools, completions, and results that may be used again. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { Revision } from '../../protocol/revisions/revision.js';
import { actor, methodOf, respond, TOOL } from './actor.js';
import type { ClientJudge } from './judge.js';
import { ANYWHERE, calls, keyOf, paramsOf, type Scenario } from './scenario.js';
import type { Behaviour, Stage, StageAnswer, StageRequest } from './stage.js';

const MINUTE_MS = 60_000;
const NOTICE_MS = 40;
const STATE = 'cached-input';

/** Changes the results of a correct server. */
function changing(
  change: (result: JsonObject, heard: StageRequest, revision: Revision) => JsonObject | undefined,
  usual: Behaviour = actor(),
): Behaviour {
  return (heard, stage): StageAnswer | undefined => {
    const answer = usual(heard, stage);
    if (!isRecord(answer?.body) || !isRecord(answer.body.result)) return answer;
    const result = change(answer.body.result, heard, stage.revision);
    return result === undefined ? answer : { ...answer, body: { ...answer.body, result } };
  };
}

/** Every result that may be cached, with this time to live. */
function lasting(ttlMs: number, usual?: Behaviour): Behaviour {
  return changing(
    (result, heard, { cacheable }) =>
      cacheable.has(methodOf(heard)) ? { ...result, ttlMs, cacheScope: 'public' } : undefined,
    usual,
  );
}

function keysOf(stage: Stage): readonly string[] {
  return stage.heard.flatMap(({ message }) =>
    message !== undefined && typeof message.method === 'string' && 'id' in message ? [keyOf(message)] : [],
  );
}

function count(keys: readonly string[], key: string): number {
  return keys.filter((candidate) => candidate === key).length;
}

/** Keys of cacheable requests that the client sends by itself, and how often. */
function cacheableHabits(stage: Stage): ReadonlyMap<string, number> {
  const habits = (stage.habits ?? []).filter(({ method }) => stage.revision.cacheable.has(method));
  return new Map(habits.map(({ key }) => [key, habits.filter((habit) => habit.key === key).length]));
}

/** What is asked for twice by itself has to be asked for twice here too. */
function judgeRepeated(id: string, message: string): (stage: Stage, judge: ClientJudge) => void {
  return (stage, judge) => {
    const here = keysOf(stage);
    for (const [key, times] of cacheableHabits(stage)) {
      if (times < 2 || !key.startsWith('resources/read') || count(here, key) === 0) continue;
      judge.judge(id, count(here, key) >= 2, message, `${key}, each time`, here.join('\n'));
    }
  };
}

export const RESULT_SCENARIOS: readonly Scenario[] = [
  {
    name: 'unknown-result-type',
    revision: 5,
    over: ANYWHERE,
    ids: '027',
    behaviour: () =>
      changing((result, heard) =>
        methodOf(heard) === 'tools/list'
          ? { ...result, resultType: 'weird', tools: [{ ...TOOL, name: 'weird' }] }
          : undefined,
      ),
    judge: (stage, judge) => {
      if (calls(stage, 'tools/list').length === 0 || !stage.goesOnAfter('tools/list')) return;
      const used = calls(stage, 'tools/call').find((heard) => paramsOf(heard).name === 'weird');
      judge.judge(
        '027',
        used === undefined,
        'A result with an unknown resultType was used',
        'it is invalid',
        used?.text ?? '',
      );
    },
  },
  ...[3, 4, 5].map(
    (revision): Scenario => ({
      name: `failed-tool-${revision}`,
      revision,
      over: ANYWHERE,
      ids: '113',
      trigger: 'call a tool, then do something else',
      behaviour: () =>
        actor({
          tools: [
            {
              ...TOOL,
              outputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
            },
          ],
          called: () => ({ isError: true, content: [{ type: 'text', text: 'It failed.' }] }),
        }),
      judge: (stage, judge) => {
        const called = stage.heard.findIndex((heard) => methodOf(heard) === 'tools/call');
        if (called === -1 || !stage.goesOnAfter('tools/call')) return;
        const went = stage.heard
          .slice(called + 1)
          .some(({ message }) => message !== undefined && 'id' in message);
        judge.judge(
          '113',
          went,
          'The client stopped at a failed tool without structuredContent',
          'a failure needs none',
          stage.heard[called]?.text ?? '',
        );
      },
    }),
  ),
  ...[4, 5].map((revision) => ({
    name: revision === 4 ? 'completion' : `completion-${revision}`,
    revision,
    over: ANYWHERE,
    ids: '141',
    trigger: 'complete both arguments of the prompt "code"',
    behaviour: completing,
    judge: (stage: Stage, judge: ClientJudge) => {
      const completions = calls(stage, 'completion/complete').map(paramsOf);
      const [first] = completions;
      const later = completions.find(
        ({ argument, ref }) =>
          isRecord(argument) &&
          isRecord(first?.argument) &&
          argument.name !== first.argument.name &&
          JSON.stringify(ref) === JSON.stringify(first.ref),
      );
      if (later === undefined || !isRecord(first?.argument)) return;
      const context =
        isRecord(later.context) && isRecord(later.context.arguments) ? later.context.arguments : {};
      judge.judge(
        '141',
        String(first.argument.name) in context,
        'The argument that was completed first is not in the context of the second',
        'context.arguments with what is resolved already',
        JSON.stringify(later),
      );
    },
  })),
  {
    name: 'cached-results',
    revision: 5,
    over: ANYWHERE,
    ids: '302',
    trigger: 'read two resources',
    behaviour: () => lasting(MINUTE_MS),
    judge: (stage, judge) => {
      const here = keysOf(stage);
      const reads = [...cacheableHabits(stage).keys()].filter((key) => key.startsWith('resources/read'));
      // One read shows nothing: what was read before cannot be mistaken for it.
      if (reads.length < 2 || !here.some((key) => key.startsWith('resources/read'))) return;
      const missing = reads.filter((key) => count(here, key) === 0);
      judge.judge(
        '302',
        missing.length === 0,
        `Never asked for: ${missing.join(', ')}`,
        'a result is used again for the same method and params only',
        here.join('\n'),
      );
    },
  },
  {
    name: 'cached-input',
    revision: 5,
    over: ANYWHERE,
    ids: '304',
    trigger: 'read the same resource twice',
    behaviour: () => {
      const usual = lasting(MINUTE_MS);
      return (heard, stage) =>
        methodOf(heard) === 'resources/read' && paramsOf(heard).requestState === undefined
          ? respond(heard, { result: { resultType: 'input_required', requestState: STATE } })
          : usual(heard, stage);
    },
    judge: judgeRepeated('304', 'A result that needed input was used again'),
  },
  {
    name: 'negative-ttl',
    revision: 5,
    over: ANYWHERE,
    ids: '305',
    trigger: 'read the same resource twice',
    behaviour: () => lasting(-5),
    judge: judgeRepeated('305', 'A result with a negative ttlMs was used again'),
  },
  {
    name: 'change-notice',
    revision: 5,
    over: ANYWHERE,
    ids: '306',
    trigger: 'listen for changes of tools, and list them twice',
    behaviour: noticing,
    judge: (stage, judge) => {
      const lists = calls(stage, 'tools/list').length;
      const usually = (stage.habits ?? []).filter(({ method }) => method === 'tools/list').length;
      if (calls(stage, 'subscriptions/listen').length === 0 || lists === 0 || usually < 2) return;
      judge.judge(
        '306',
        lists >= 2,
        'A list was used again although a notification said that it changed',
        'tools/list again',
        keysOf(stage).join('\n'),
      );
    },
  },
  {
    name: 'short-ttl',
    revision: 5,
    over: ANYWHERE,
    ids: '307',
    behaviour: () => lasting(20),
    judge: (stage, judge) => {
      const lists = calls(stage, 'tools/list').length;
      const usually = (stage.habits ?? []).filter(({ method }) => method === 'tools/list').length;
      if (lists === 0) return;
      judge.judge(
        '307',
        lists <= usually + 2,
        `tools/list came ${lists} times, and ${usually} times when results do not last`,
        'a ttl says how long a result lasts, not when to ask again',
        keysOf(stage).join('\n'),
      );
    },
  },
];

function completing(): Behaviour {
  const usual = actor({ capabilities: { tools: {}, prompts: {}, completions: {} } });
  return (heard, stage) => {
    switch (methodOf(heard)) {
      case 'completion/complete':
        return respond(heard, { result: { completion: { values: ['python'], total: 1, hasMore: false } } });
      case 'prompts/list':
        return respond(heard, {
          result: {
            prompts: [
              { name: 'code', arguments: [{ name: 'language', required: true }, { name: 'framework' }] },
            ],
          },
        });
      default:
        return usual(heard, stage);
    }
  };
}

/** Lists last for a minute, and change at once. */
function noticing(): Behaviour {
  const usual = lasting(
    MINUTE_MS,
    actor({ capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} } }),
  );
  let subscription: unknown;
  return (heard, stage) => {
    const notice = (method: string, params: JsonObject): JsonObject => ({
      jsonrpc: '2.0',
      method,
      params: { ...params, _meta: { 'io.modelcontextprotocol/subscriptionId': subscription } },
    });
    if (methodOf(heard) === 'subscriptions/listen') {
      subscription = heard.message?.id;
      const { notifications } = paramsOf(heard);
      const granted = { notifications: isRecord(notifications) ? notifications : {} };
      return { events: [notice('notifications/subscriptions/acknowledged', granted)], open: true };
    }
    if (methodOf(heard) === 'tools/list') {
      setTimeout(() => stage.push(notice('notifications/tools/list_changed', {})), NOTICE_MS);
    }
    return usual(heard, stage);
  };
}
