/** Cancellation, and what may not happen after it. */

import { isRecord } from '../../../jsonrpc/message.js';
import { type Check, check, OVER_STDIO, ownCheck } from '../../check.js';
import type { Use } from '../../exercise.js';
import type { Probe } from '../../probe.js';
import type { RecordedEntry } from '../../wire/recorder.js';
import { cheapMethod } from '../expect.js';

/** How long a request may take to arrive. */
const TAKEN_MS = 150;
/** Ids of requests that were never sent. */
const SENSELESS = ['plumb-never-sent', -1];

export const cancellationChecks: readonly Check[] = [
  ownCheck('083', async (probe) => {
    await cancelSlow(probe, '083');
  }),
  ownCheck(
    '087',
    async (probe) => {
      await cancelSlow(probe, '087');
    },
    OVER_STDIO,
  ),
  check('085', async (probe) => {
    const session = await probe.session();
    const finished = session.nextId();
    await session.request(cheapMethod(probe), {}, { id: finished });
    const before = session.inbox.length;
    for (const params of [
      ...[...SENSELESS, finished].map((requestId) => ({ requestId })),
      {},
      { requestId: null },
      { requestId: {} },
    ]) {
      await session.notify('notifications/cancelled', params, { hostile: true }).catch(() => undefined);
    }
    const reply = await session.request(cheapMethod(probe));
    probe.judge(
      '085',
      reply.kind === 'result',
      'After senseless cancellations the server no longer answers',
      'they are ignored',
      reply,
    );
    await session.quiet(probe.settings.quietMs / 2);
    if (probe.transport === 'http') return;
    // The session is shared: what others asked may still be refused meanwhile.
    const named: readonly unknown[] = [undefined, null, ...SENSELESS, finished];
    const answers = session.inbox
      .slice(before)
      .filter(({ value }) => isRecord(value) && 'error' in value && named.includes(value.id));
    probe.judge('085', answers.length === 0, 'A senseless cancellation was answered', 'no response', {
      received: answers.map(({ text }) => text).join('\n'),
      timed: true,
    });
  }),
];

/** Calls a tool that takes its time, cancels it, and watches for longer than it would have taken. */
async function cancelSlow(probe: Probe, id: '083' | '087'): Promise<void> {
  for (const slow of slowest(probe)) {
    const { session } = await probe.open();
    const requestId = session.nextId();
    const token = `cancel-${requestId}`;
    // Over HTTP progress has a stream of its own, and may still be on its way when the ping is answered.
    const ordered = probe.transport !== 'http';
    const about = (entry: RecordedEntry): boolean => concerns(entry, requestId, ordered ? token : undefined);
    const lasted = Math.max(slow.last.elapsedMs, probe.settings.quietMs);
    const params = session.complete(slow.params, { meta: { progressToken: token } });
    const sent = JSON.stringify({ jsonrpc: '2.0', id: requestId, method: slow.method, params });
    const headers = session.headersFor(slow.method, params);
    const taken = session.connection.send(sent, { headers }).catch(() => undefined);
    // Over HTTP requests can overtake one another: the call has to be there before it is cancelled.
    await Promise.race([taken, session.quiet(probe.patient(TAKEN_MS))]);
    await session.quiet(20);
    const started = performance.now();
    const mark = session.inbox.length;
    await session.notify('notifications/cancelled', { requestId, reason: 'Plumb cancels' });
    // A server that answers this has read the cancellation; what came before was already on its way.
    await session.request(cheapMethod(probe));
    const before = session.inbox.length;
    const over = session.inbox.some(({ value }) => isRecord(value) && value.id === requestId);
    const limit = Math.min(lasted * 1.5 + probe.settings.quietMs, probe.patient(5_000));
    if (!over) await session.waitFor((message) => message.id === requestId, limit);
    // An answer long before the tool could be done is an answer to the cancellation.
    const hasty = over && performance.now() - started < slow.last.elapsedMs / 2;
    if (over && !hasty) continue;
    const late = session.inbox.slice(hasty ? mark : before).filter(about);
    probe.judge(id, late.length === 0, 'Something was sent for a cancelled request', 'nothing', {
      sent,
      received: late.map(({ text }) => text).join('\n'),
      timed: true,
    });
    return;
  }
  probe.skip(id, 'no callable tool takes long enough to be cancelled');
}

function concerns({ value }: RecordedEntry, id: unknown, token: string | undefined): boolean {
  if (!isRecord(value)) return false;
  if (value.id === id) return true;
  return token !== undefined && isRecord(value.params) && value.params.progressToken === token;
}

/** Long enough to be cancelled on any machine, and short enough to wait until it would have ended. */
const HANDY_MS = 400;

/** Tools that run longer than it takes to cancel them: first the shortest of the handy ones, then the slowest. */
function slowest(probe: Probe): readonly Use[] {
  const slow = probe.exercise.calls
    .filter(({ last }) => last.elapsedMs > 150 && isCancellable(last))
    .toSorted((a, b) => b.last.elapsedMs - a.last.elapsedMs);
  const handy = slow.findLast(({ last }) => last.elapsedMs >= HANDY_MS && last.kind === 'result');
  const first = handy === undefined ? [] : [handy];
  return [...first, ...slow.filter((use) => use !== handy)].slice(0, 3);
}

function isCancellable(last: Use['last']): boolean {
  return last.kind === 'silence' || (last.kind === 'result' && last.result.isError !== true);
}
