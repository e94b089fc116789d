/** Lists in pages of every size. */

import { isRecord } from '../../jsonrpc/message.js';
import { actor, methodOf, respond, TOOL } from './actor.js';
import { calls, paramsOf, type Scenario } from './scenario.js';
import type { Behaviour, Stage } from './stage.js';

/** Pages of 1, 5 and no tools, with cursors that a client cannot guess. */
const CURSORS: readonly string[] = ['Ä =&?/ "1"', ' Padded ', ''];

export function paging(): Behaviour {
  const usual = actor();
  return (heard, stage) => {
    if (methodOf(heard) !== 'tools/list') return usual(heard, stage);
    const { cursor } = paramsOf(heard);
    const page = cursor === undefined ? 0 : CURSORS.indexOf(String(cursor)) + 1;
    const sizes = [1, 5, 0, 1];
    const tools = Array.from({ length: sizes[page] ?? 0 }, (_, index) => ({
      ...TOOL,
      name: `tool_${page}_${index}`,
    }));
    const nextCursor = CURSORS[page];
    const answer = usual(heard, stage);
    const body = isRecord(answer?.body) && isRecord(answer.body.result) ? answer.body.result : {};
    return respond(heard, {
      result: { ...body, tools, ...(nextCursor === undefined ? {} : { nextCursor }) },
    });
  };
}

export function judgePaging(stage: Stage, judge: Parameters<Scenario['judge']>[1]): void {
  const cursors = calls(stage, 'tools/list').map((heard) => paramsOf(heard).cursor);
  const given = cursors.filter((cursor) => cursor !== undefined);
  if (cursors.length === 0) return;
  const text = JSON.stringify(cursors);
  // A client that only wants one page has nothing to be judged by.
  if (given.length > 0) {
    judge.judge(
      '142',
      given.every((cursor) => CURSORS.some((known) => known === cursor)),
      'A cursor was changed',
      'the cursor as it came',
      text,
    );
    judge.judge(
      '143',
      given.includes(CURSORS[1] ?? ''),
      'Paging stopped after a page of another size',
      'following nextCursor',
      text,
    );
    judge.judge(
      '144',
      cursors.every((cursor, index) => cursor !== CURSORS[2] || cursors[index + 1] === undefined),
      'Paging went on after the last page',
      'an end',
      text,
    );
    judge.judge(
      '145',
      given.includes(CURSORS[2] ?? ''),
      'An empty cursor was taken for the end',
      'one more page',
      text,
    );
    judge.judge(
      '147',
      cursors[0] === undefined,
      'The first page was asked for with a cursor',
      'no cursor',
      text,
    );
  }
}
