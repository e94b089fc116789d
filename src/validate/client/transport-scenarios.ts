/** Resuming, and the old transport. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { actor, methodOf } from './actor.js';
import { calls, type Scenario } from './scenario.js';
import type { Behaviour } from './stage.js';

const RETRY_MS = 300;

/** Cuts the stream of the first tools/list, and answers it when the client resumes. */
function interrupting(): Behaviour {
  const usual = actor();
  let waiting: JsonObject | undefined;
  return (heard, stage) => {
    const id = heard.headers['last-event-id'];
    if (heard.method === 'GET' && id === 'cut-1' && waiting !== undefined) return { events: [waiting] };
    if (methodOf(heard) !== 'tools/list' || waiting !== undefined) return usual(heard, stage);
    const answer = usual(heard, stage);
    waiting = isRecord(answer?.body) ? answer.body : {};
    return { events: [`id: cut-1\nretry: ${RETRY_MS}\ndata: \n\n`], drop: true };
  };
}

/** The two-endpoint transport of the first revision. */
function oldTransport(): Behaviour {
  const usual = actor();
  return (heard, stage) => {
    if (heard.method === 'GET')
      return { events: ['event: endpoint\ndata: /messages?session=1\n\n'], open: true };
    if (heard.path.startsWith('/mcp')) return { status: 405 };
    const answer = usual(heard, stage);
    if (isRecord(answer?.body)) stage.push(answer.body);
    return { status: 202 };
  };
}

export const TRANSPORT_SCENARIOS: readonly Scenario[] = [
  {
    name: 'resuming',
    revision: 4,
    ids: '223 230 232',
    behaviour: interrupting,
    judge: (stage, judge) => {
      const [cut] = calls(stage, 'tools/list');
      if (cut === undefined) return;
      const resumed = stage.heard.find(
        ({ method, headers }) => method === 'GET' && headers['last-event-id'] === 'cut-1',
      );
      for (const id of ['223', '232'])
        judge.judge(
          id,
          resumed !== undefined,
          'A lost stream was not resumed',
          'GET with Last-Event-ID',
          cut.text,
        );
      if (resumed !== undefined)
        judge.judge(
          '230',
          resumed.at - cut.at >= RETRY_MS * 0.9,
          `The client came back after ${Math.round(resumed.at - cut.at)} ms`,
          `${RETRY_MS} ms, as retry says`,
          '',
        );
    },
  },
  {
    name: 'old-transport',
    revision: 1,
    ids: '192',
    behaviour: oldTransport,
    judge: (stage, judge) => {
      const opened = stage.heard.findIndex(({ method }) => method === 'GET');
      const later =
        opened === -1 ? [] : stage.heard.slice(opened + 1).filter(({ method }) => method === 'POST');
      if (later.length === 0) return;
      const ok = later.every(({ path }) => path.startsWith('/messages'));
      judge.judge('192', ok, `POST to ${later[0]?.path}`, '/messages?session=1', later[0]?.text ?? '');
    },
  },
  {
    name: 'fallback-old-transport',
    revision: 1,
    as: 4,
    ids: '233',
    behaviour: oldTransport,
    judge: (stage, judge) => {
      const [first] = stage.heard;
      if (first === undefined) return;
      const opened = stage.heard.some(({ method }) => method === 'GET');
      judge.judge(
        '233',
        opened,
        'After 405 the old transport was not tried',
        'GET for an endpoint event',
        first.text,
      );
    },
  },
];
