/** What only a client that starts its server can show. */

import { isRecord } from '../../jsonrpc/message.js';
import { actor, isModern, methodOf, respond } from './actor.js';
import type { ClientJudge } from './judge.js';
import { calls, paramsOf, type Scenario } from './scenario.js';
import type { Behaviour, Stage, StageRequest } from './stage.js';

/** The stages of a shutdown that a server can see. The last one, which cannot be refused, is its end. */
function judgeShutdown(stage: Stage, judge: ClientJudge): void {
  const started = stage.occurrences.filter(({ kind }) => kind === 'started');
  const worked = started.filter(({ connection }) =>
    stage.heard.some((heard) => heard.connection === connection),
  );
  for (const { connection } of worked) {
    const kinds = stage.occurrences
      .filter((occurrence) => occurrence.connection === connection && occurrence.at < stage.stoppedAt)
      .map(({ kind }) => kind);
    // Nothing was ended yet when the time was up.
    if (kinds.length === 1) continue;
    const seen = kinds.join(', ');
    const input = kinds.indexOf('end_of_input');
    const terminate = kinds.indexOf('terminate');
    judge.judge(
      '036',
      input !== -1 && (terminate === -1 || terminate > input),
      `The server saw: ${seen}`,
      'the end of its input first, then SIGTERM, then SIGKILL',
      seen,
    );
  }
}

/** Ends itself at the first call of this method, once. */
function crashing(method: string): Behaviour {
  const usual = actor();
  let crashed = false;
  return (heard, stage) => {
    if (crashed || methodOf(heard) !== method) return usual(heard, stage);
    crashed = true;
    return { drop: true };
  };
}

/** Never answers a call; a client that stops waiting has to cancel it. */
function unanswering(): Behaviour {
  const usual = actor();
  return (heard, stage) => (methodOf(heard) === 'tools/call' ? {} : usual(heard, stage));
}

/** Acknowledges subscriptions, and dies once at the next call. */
function listening(): Behaviour {
  const usual = actor({
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: {},
    },
  });
  let crashed = false;
  return (heard, stage) => {
    if (methodOf(heard) === 'subscriptions/listen') return acknowledged(heard);
    const listened = calls(stage, 'subscriptions/listen').length > 0;
    if (crashed || !listened || methodOf(heard) !== 'tools/call') return usual(heard, stage);
    crashed = true;
    return { drop: true };
  };
}

function acknowledged(heard: StageRequest): ReturnType<Behaviour> {
  const { notifications } = paramsOf(heard);
  const params = {
    notifications: isRecord(notifications) ? notifications : {},
    _meta: { 'io.modelcontextprotocol/subscriptionId': heard.message?.id },
  };
  return { body: { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params } };
}

const framing = (revision: number): Scenario => ({
  name: `framing-${revision}`,
  revision,
  over: ['stdio'],
  ids: '030 032 033 034 037',
  behaviour: () => {
    const usual = actor({
      called: () => ({ content: [{ type: 'text', text: `${'ü€😀\n'.repeat(90_000)}` }] }),
    });
    return (heard, stage) => ({ stderr: 'ERROR: a log line, and nothing else\n', ...usual(heard, stage) });
  },
  judge: (stage, judge) => {
    const { heard } = stage;
    if (heard.length === 0) return;
    for (const { text, value } of heard) {
      const message = Array.isArray(value) || (isRecord(value) && ('jsonrpc' in value || 'method' in value));
      judge.judge('032', message, 'A line that is no message', 'messages only', text.slice(0, 500));
      judge.judge('030', message, 'A message that is not one line', 'one message a line', text.slice(0, 500));
      judge.judge('033', !text.includes('\uFFFD'), 'Bytes that are no UTF-8', 'UTF-8', text.slice(0, 500));
    }
    const went = heard.filter((item) => !['', 'initialize', 'server/discover'].includes(methodOf(item)));
    if (stage.usualRequests > 0)
      judge.judge(
        '034',
        went.some((item) => methodOf(item) !== 'notifications/initialized'),
        'The client stopped when the server wrote to stderr',
        'it goes on',
        heard.at(-1)?.text ?? '',
      );
    const called = heard.findIndex((item) => methodOf(item) === 'tools/call');
    if (called !== -1 && stage.goesOnAfter('tools/call'))
      judge.judge(
        '037',
        heard.length > called + 1,
        'The client stopped at a result of more than a megabyte',
        'it reads the answer and goes on',
        heard[called]?.text ?? '',
      );
  },
});

export const STDIO_SCENARIOS: readonly Scenario[] = [
  framing(1),
  framing(2),
  framing(3),
  framing(4),
  framing(5),
  ...[4, 5].map(
    (revision): Scenario => ({
      name: `shutdown-${revision}`,
      revision,
      over: ['stdio'],
      stubborn: true,
      ids: '036',
      behaviour: () => actor(),
      judge: judgeShutdown,
    }),
  ),
  {
    name: 'crash',
    revision: 5,
    over: ['stdio'],
    ids: '038',
    trigger: 'call a tool, then do something else',
    behaviour: () => crashing('tools/call'),
    judge: (stage, judge) => {
      const [called] = calls(stage, 'tools/call');
      if (called === undefined || !stage.goesOnAfter('tools/call')) return;
      const again = stage.heard.some(({ connection = 0 }) => connection > (called.connection ?? 0));
      judge.judge(
        '038',
        again,
        'A server that crashed was not started again',
        'another process, and the next request there',
        called.text,
      );
    },
  },
  {
    name: 'crash-while-listening',
    revision: 5,
    over: ['stdio'],
    ids: '039',
    trigger: 'subscribe to changes, then call a tool',
    behaviour: listening,
    judge: (stage, judge) => {
      const listens = calls(stage, 'subscriptions/listen');
      const [first] = listens;
      const crash = calls(stage, 'tools/call').find(({ connection }) => connection === first?.connection);
      if (first === undefined || crash === undefined) return;
      const revived = stage.heard.some(
        (heard) =>
          isModern(heard) &&
          methodOf(heard) !== 'server/discover' &&
          (heard.connection ?? 0) > (first.connection ?? 0),
      );
      // Who does not start the server again breaks another rule.
      if (!revived) return;
      judge.judge(
        '039',
        listens.some(({ connection = 0 }) => connection > (first.connection ?? 0)),
        'After the server came back the client did not listen again',
        'subscriptions/listen again',
        first.text,
      );
    },
  },
  {
    name: 'cancel-stdio',
    revision: 5,
    over: ['stdio'],
    ids: '086',
    trigger: 'call a tool, and cancel the call',
    behaviour: unanswering,
    judge: (stage, judge) => {
      const called = calls(stage, 'tools/call');
      const cancelled = calls(stage, 'notifications/cancelled');
      // A client that waits for as long as it likes has cancelled nothing.
      if (called.length === 0 || cancelled.length === 0) return;
      for (const heard of cancelled) {
        const { requestId } = paramsOf(heard);
        const known = stage.heard.some(
          ({ message, connection }) => message?.id === requestId && connection === heard.connection,
        );
        judge.judge(
          '086',
          known,
          `notifications/cancelled for ${JSON.stringify(requestId)}, which is no request`,
          'the id of the request that is cancelled',
          heard.text,
        );
      }
    },
  },
  {
    name: 'late-answer-stdio',
    revision: 4,
    over: ['stdio'],
    ids: '082 084',
    trigger: 'call a tool, cancel the call, then do something else',
    behaviour: lateAnswer,
    judge: judgeLateAnswer,
  },
];

/** Answers a cancelled call all the same, as a message that was on its way would. */
function lateAnswer(): Behaviour {
  const usual = actor();
  let waiting: StageRequest | undefined;
  return (heard, stage) => {
    if (methodOf(heard) === 'tools/call' && waiting === undefined) {
      waiting = heard;
      return {};
    }
    if (methodOf(heard) === 'notifications/cancelled' && waiting !== undefined) {
      return respond(waiting, { result: { content: [{ type: 'text', text: 'too late' }] } });
    }
    return usual(heard, stage);
  };
}

function judgeLateAnswer(stage: Stage, judge: ClientJudge): void {
  const [called] = calls(stage, 'tools/call');
  const cancelled = stage.heard.findIndex((heard) => methodOf(heard) === 'notifications/cancelled');
  const notice = stage.heard[cancelled];
  if (called === undefined || notice === undefined) return;
  judge.judge(
    '082',
    paramsOf(notice).requestId === called.message?.id,
    `${JSON.stringify(paramsOf(notice).requestId)} was cancelled, which does not run`,
    'a request of its own that still runs',
    notice.text,
  );
  const after = stage.heard.slice(cancelled + 1);
  // A client that cancels as its last action has nothing to continue with.
  const complained = after.some(({ message }) => isRecord(message) && 'error' in message);
  const went = after.some(({ message }) => typeof message?.method === 'string' && 'id' in message);
  if (!complained && !went) return;
  judge.judge(
    '084',
    !complained && went,
    'A late answer was not ignored',
    'it is dropped, and the client goes on',
    after[0]?.text ?? '',
  );
}
