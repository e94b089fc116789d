/** Progress: tokens of both types, calls without one, and calls side by side. What came of it is watched. */

import { isRecord } from '../../../jsonrpc/message.js';
import { type Check, OVER_HTTP, observing, ownCheck } from '../../check.js';
import type { Effects } from '../../observe.js';
import type { Probe } from '../../probe.js';
import type { ValidatorSession } from '../../session/session.js';
import type { RecordedEntry } from '../../wire/recorder.js';

const NONE = 'no callable tool reports progress';

function reporting(probe: Probe): Effects | undefined {
  return probe.seen(({ progress }) => progress > 0).toSorted((a, b) => elapsed(a) - elapsed(b))[0];
}

function elapsed({ use }: Effects): number {
  return use.last.elapsedMs;
}

export const progressChecks: readonly Check[] = [
  observing(
    ownCheck('092 093', async (probe) => {
      const found = reporting(probe);
      if (found === undefined) return probe.skipAll('092 093', NONE);
      const { session } = await probe.open();
      const tokens = ['plumb-0', 41, 0, '42'];
      // Each report has the token of its call, so the calls can run side by side.
      const calls = [...tokens, undefined].map((token) => reports(probe, session, found, token));
      const [first = [], ...others] = await Promise.all(calls);
      const unasked = others.pop() ?? [];
      const all = [first, ...others].map((came, index) =>
        came.filter((entry) => tokenOf(entry) === tokens[index]),
      );
      // Where no call came to its end, nothing follows from that.
      if (all.every((right) => right.length === 0)) return probe.skipAll('092 093', NONE);
      for (const [index, came] of [first, ...others].entries()) {
        const token = tokens[index];
        const right = all[index] ?? [];
        probe.judge(
          '092',
          right.length > 0,
          `No progress for the token ${JSON.stringify(token)}`,
          'tokens that are texts and tokens that are integers',
          { sent: `progressToken ${JSON.stringify(token)}`, received: texts(came), timed: true },
        );
      }
      // What comes of the other calls has their tokens.
      const without = unasked.filter((entry) => !tokens.some((token) => token === tokenOf(entry)));
      probe.judge('093', without.length === 0, 'Progress for a request without a token', 'no progress', {
        sent: 'a call without progressToken',
        received: texts(without),
      });
    }),
  ),
  observing(
    ownCheck(
      '096 243 207',
      async (probe) => {
        const found = reporting(probe);
        if (found === undefined) return probe.skipAll('096 243 207', NONE);
        const { session, standalone } = await probe.open();
        const { session: other, standalone: foreign } = await probe.open();
        const { use } = found;
        const tokens = ['plumb-left', 'plumb-right'];
        const [left, right] = await Promise.all(
          tokens.map((progressToken) => session.request(use.method, use.params, { meta: { progressToken } })),
        );
        await other.request(use.method, use.params, { meta: { progressToken: 'plumb-other' } });
        const streams = new Map([
          ['plumb-left', left?.delivery?.stream],
          ['plumb-right', right?.delivery?.stream],
        ]);
        const strange = session.inbox.filter((entry) => {
          const token = tokenOf(entry);
          return typeof token === 'string' && streams.has(token) && streams.get(token) !== entry.stream;
        });
        const id = probe.stateless ? '096' : '207';
        probe.judge(id, strange.length === 0, 'Progress on the stream of another request', 'its own stream', {
          received: texts(strange),
        });
        // Nothing of one client reaches another.
        const leaked = [
          ...session.inbox.filter((entry) => tokenOf(entry) === 'plumb-other'),
          ...other.inbox.filter((entry) => tokens.includes(String(tokenOf(entry)))),
        ];
        if (standalone === undefined && foreign === undefined && probe.ordinal < 5 && leaked.length === 0)
          return;
        probe.judge(
          id,
          leaked.length === 0,
          'Progress of one client was sent to another',
          'only the client that asked',
          { received: texts(leaked) },
        );
      },
      OVER_HTTP,
    ),
  ),
];

/** Progress that comes while the tool runs with this token. */
async function reports(
  probe: Probe,
  session: ValidatorSession,
  { use }: Effects,
  token: string | number | undefined,
): Promise<readonly RecordedEntry[]> {
  const mark = session.inbox.length;
  await session.request(use.method, use.params, {
    meta: { progressToken: token },
    timeoutMs: probe.patient(use.last.elapsedMs + 2_000),
  });
  await session.quiet(20);
  return session.inbox
    .slice(mark)
    .filter(({ value }) => isRecord(value) && value.method === 'notifications/progress');
}

function tokenOf({ value }: RecordedEntry): unknown {
  if (!isRecord(value) || value.method !== 'notifications/progress') return undefined;
  return isRecord(value.params) ? value.params.progressToken : undefined;
}

function texts(entries: readonly RecordedEntry[]): string {
  return entries.map(({ text }) => text).join('\n') || '(nothing)';
}
