/** Clients of the handshake era. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { actor, methodOf, respond } from './actor.js';
import { judgePaging, paging } from './paging.js';
import { asking, judgeAsking } from './questions.js';
import { ANYWHERE, calls, paramsOf, REHEARSAL, type Scenario } from './scenario.js';
import type { Behaviour, Stage, StageAnswer, StageRequest } from './stage.js';

/** Line ends, comments, several data lines, a byte order mark: all of it legal. */
function oddly(message: JsonObject): string {
  const text = JSON.stringify(message);
  const cut = text.indexOf(',') + 1;
  return `\uFEFF: hello\r\nid: 1\r\nretry: 10\r\n\r\n: comment\revent: message\rdata: ${text.slice(0, cut)}\rdata:${text.slice(cut)}\r\r`;
}

/** Answers everything after initialize as an event stream of this form. */
function streamed(form: (message: JsonObject) => string): Behaviour {
  const usual = actor();
  return (heard, stage) => {
    const answer = usual(heard, stage);
    if (answer === undefined || !isRecord(answer.body) || methodOf(heard) === 'initialize') return answer;
    return { events: [form(answer.body)] };
  };
}

/** A client that could not read the first stream sends no second request. */
function judgeProgress(stage: Stage, judge: Parameters<Scenario['judge']>[1], ids: readonly string[]): void {
  const went = afterInitialize(stage).length;
  // Who asks for one thing only has nothing to go on with.
  if (went === 0 || stage.usualRequests < 2) return;
  for (const id of ids) {
    judge.judge(
      id,
      went >= 2,
      'The client stopped at an event stream',
      'it reads the answer and goes on',
      `${went} request(s)`,
    );
  }
}

function afterInitialize(stage: Stage): readonly StageRequest[] {
  return stage.heard.filter(
    (heard) =>
      heard.method === 'POST' &&
      !['initialize', 'notifications/initialized', 'server/discover', ''].includes(methodOf(heard)),
  );
}

/** Forgets the session at the second call. */
function forgetful(): Behaviour {
  const usual = actor();
  let lost = false;
  return (heard, stage): StageAnswer | undefined => {
    const method = methodOf(heard);
    if (!lost && !['initialize', 'notifications/initialized', 'server/discover', ''].includes(method)) {
      lost = true;
      return { status: 404 };
    }
    return usual(heard, stage);
  };
}

/** Nothing special happens: shows what the client does by itself. */
export function rehearsal(revision: number): Scenario {
  return {
    name: `${REHEARSAL}-${revision}`,
    revision,
    over: ANYWHERE,
    ids: '',
    behaviour: () => actor(),
    judge: () => {},
  };
}

const handshake = (revision: number): Scenario => ({
  name: `handshake-${revision}`,
  revision,
  over: revision === 1 ? ['stdio'] : ANYWHERE,
  ids: '009 081 156 161 164 169 175 176 179 181 182 185 188',
  behaviour: asking,
  judge: judgeAsking,
});

export const HANDSHAKE_SCENARIOS: readonly Scenario[] = [
  rehearsal(4),
  // Over HTTP the first revision has a transport of its own, with its own scenario.
  handshake(1),
  handshake(2),
  handshake(3),
  handshake(4),
  {
    name: 'paging-handshake',
    revision: 4,
    over: ANYWHERE,
    ids: '142 143 144 147',
    behaviour: paging,
    judge: judgePaging,
  },
  {
    name: 'event-streams',
    revision: 4,
    ids: '203 229',
    behaviour: () =>
      streamed((message) => `id: p1\ndata: \n\nevent: message\ndata: ${JSON.stringify(message)}\n\n`),
    judge: (stage, judge) => judgeProgress(stage, judge, ['203', '229']),
  },
  {
    name: 'odd-streams',
    revision: 4,
    ids: '204',
    behaviour: () => streamed(oddly),
    judge: (stage, judge) => judgeProgress(stage, judge, ['204']),
  },
  {
    name: 'session-lost',
    revision: 4,
    ids: '214',
    behaviour: forgetful,
    judge: (stage, judge) => {
      const opened = calls(stage, 'initialize');
      if (afterInitialize(stage).length === 0) return;
      const [, again] = opened;
      const clean = again !== undefined && again.headers['mcp-session-id'] === undefined;
      judge.judge(
        '214',
        clean,
        'After 404 no new session was started',
        'initialize without a session id',
        again?.text ?? '(nothing)',
      );
    },
  },
  {
    name: 'unusable-version',
    revision: 4,
    over: ANYWHERE,
    ids: '048 053',
    behaviour: () => (heard, stage) => {
      if (methodOf(heard) !== 'initialize') return actor()(heard, stage);
      return respond(heard, {
        result: {
          protocolVersion: '1999-01-01',
          capabilities: { tools: {} },
          serverInfo: { name: 'old', version: '1' },
        },
      });
    },
    judge: (stage, judge) => {
      if (calls(stage, 'initialize').length === 0) return;
      const went = afterInitialize(stage);
      judge.judge(
        '048',
        went.length === 0,
        'The client continues with an unknown protocol version',
        'it disconnects',
        went[0]?.text ?? '',
      );
      const ids = new Set(calls(stage, 'initialize').map(({ message }) => message?.id));
      const cancelled = calls(stage, 'notifications/cancelled').find((heard) =>
        ids.has(paramsOf(heard).requestId),
      );
      judge.judge('053', cancelled === undefined, 'initialize was cancelled', 'never', cancelled?.text ?? '');
    },
  },
  {
    name: 'only-tools',
    revision: 4,
    over: ANYWHERE,
    ids: '055 308',
    behaviour: () => actor({ capabilities: { tools: {} } }),
    judge: (stage, judge) => {
      const beyond = afterInitialize(stage).filter((heard) =>
        /^(resources|prompts|completion|logging)\//.test(methodOf(heard)),
      );
      if (afterInitialize(stage).length === 0) return;
      judge.judge(
        '055',
        beyond.length === 0,
        `${beyond.map(methodOf).join(', ')} though the server does not declare it`,
        'only declared features',
        beyond[0]?.text ?? '',
      );
      const task = calls(stage, 'tools/call').find((heard) => paramsOf(heard).task !== undefined);
      if (calls(stage, 'tools/call').length > 0)
        judge.judge(
          '308',
          task === undefined,
          'A call with a task though the server does not declare tasks',
          'tools/call without task',
          task?.text ?? '',
        );
    },
  },
];
