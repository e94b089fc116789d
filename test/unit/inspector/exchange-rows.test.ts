/** A request and its answer are one row, and what belongs to a call follows it, whatever happens in between. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredMessage } from '../../../src/inspector/timeline/stored.js';
import { Timeline } from '../../../src/inspector/timeline/timeline.js';

const COMMON = {
  at: 0,
  server: 's',
  source: 'inspector',
  hop: 'direct',
  connection: 1,
  transport: 'stdio',
  streamed: false,
  failed: false,
} as const;

function timeline(maxMessages = 10_000): Timeline {
  const limits = { maxMessages, maxBytes: 100_000_000, maxTextCharacters: 1_000 };
  return new Timeline({ touched: () => {}, changed: () => {} }, limits);
}

function request(on: Timeline, group?: number): StoredMessage {
  const text = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}';
  return on.add({
    ...COMMON,
    direction: 'to-server',
    kind: 'request',
    method: 'tools/call',
    status: 'pending',
    text,
    ...(group === undefined ? {} : { group }),
  });
}

function answer(on: Timeline, to: StoredMessage, failed = false): StoredMessage {
  const text = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"two\\nlines"}]}}';
  const stored = on.add({ ...COMMON, direction: 'to-client', kind: 'result', failed, text, group: to.group });
  on.pair(to, stored);
  return stored;
}

function progress(on: Timeline, of: StoredMessage): StoredMessage {
  const text =
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"total":2,"message":"half"}}';
  return on.add({
    ...COMMON,
    direction: 'to-client',
    kind: 'notification',
    method: 'notifications/progress',
    text,
    group: of.group,
  });
}

const rows = (on: Timeline, filter = {}) =>
  on.query({ filter, rows: 'exchanges', offset: 0, limit: 1_000 }).messages;

describe('rows of exchanges', () => {
  it('have the answer in the row of its request, and what came meanwhile below it', () => {
    const on = timeline();
    const first = request(on);
    const second = request(on);
    progress(on, first);
    answer(on, second);
    answer(on, first, true);
    expect(rows(on)).toMatchObject([
      { seq: first.seq, status: 'error', preview: 'a: 1', parts: 1, answer: { preview: 'two lines' } },
      { method: 'notifications/progress', preview: '1/2 half' },
      { seq: second.seq, status: 'ok' },
    ]);
    expect(rows(on, { failedOnly: true })).toMatchObject([{ seq: first.seq }]);
  });

  it('appear in a filter when what they wait for has happened', () => {
    const on = timeline();
    const lost = request(on);
    const late = request(on);
    expect(rows(on, { failedOnly: true })).toEqual([]);
    on.ended(lost, 'lost');
    answer(on, late);
    on.broke(late.pair ?? 0, [{ path: 'result', message: 'is missing' }]);
    expect(rows(on, { failedOnly: true })).toMatchObject([
      { seq: lost.seq, status: 'lost' },
      { seq: late.seq, status: 'error', answer: { problems: [{ path: 'result' }] } },
    ]);
    expect(on.locate({}, late.pair ?? 0, 'exchanges')).toBe(1);
  });

  it('are the same whether they were asked for once or after every message', () => {
    const step = fc.tuple(fc.constantFrom('request', 'answer', 'progress', 'ask'), fc.nat(30));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 5, max: 60 }), (steps, kept) => {
        const watched = timeline(kept);
        const unwatched = timeline(kept);
        const open: [StoredMessage, StoredMessage][] = [];
        for (const [what, which] of steps) {
          const pair = open[which % Math.max(1, open.length)];
          if (what === 'request' || pair === undefined) open.push([request(watched), request(unwatched)]);
          else if (what === 'ask')
            open.push([request(watched, pair[0].group), request(unwatched, pair[1].group)]);
          else if (what === 'progress') {
            progress(watched, pair[0]);
            progress(unwatched, pair[1]);
          } else if (pair[0].pair === undefined) {
            answer(watched, pair[0]);
            answer(unwatched, pair[1]);
          }
          rows(watched);
        }
        const seqs = rows(watched).map(({ seq }) => seq);
        expect(seqs).toEqual(rows(unwatched).map(({ seq }) => seq));
        const groups = rows(watched).map(({ group }) => group);
        expect(groups).toEqual(groups.toSorted((one, other) => one - other));
      }),
    );
  });
});
