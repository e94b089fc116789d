/** Cancellation, and what may not happen after it. */

import { isRecord } from '../../../jsonrpc/message.js';
import { type Check, check, OVER_STDIO } from '../../check.js';
import type { Use } from '../../exercise.js';
import type { Probe } from '../../probe.js';
import { cheapMethod } from '../expect.js';

export const cancellationChecks: readonly Check[] = [
  check('083', async (probe) => {
    const session = await probe.session();
    for (const slow of slowest(probe)) {
      const id = session.nextId();
      const answer = session.request(slow.method, slow.params, { id, timeoutMs: waitFor(slow, probe) });
      await session.quiet(20);
      await session.notify('notifications/cancelled', { requestId: id, reason: 'Plumb cancels' });
      // A server that answers this has read the cancellation; what came before was already on its way.
      await session.request(cheapMethod(probe));
      const over = session.inbox.some(({ value }) => isRecord(value) && value.id === id);
      const reply = await answer;
      if (over) continue;
      probe.judge('083', reply.kind === 'silence', 'A cancelled request was answered', 'no response', reply);
      return;
    }
    probe.skip('083', 'no callable tool takes long enough to be cancelled');
  }),
  check(
    '087',
    async (probe) => {
      const [slow] = slowest(probe);
      if (slow === undefined) return probe.skip('087', 'no callable tool takes long enough to be cancelled');
      const session = await probe.session();
      const id = session.nextId();
      const token = `cancel-${id}`;
      const answer = session.request(slow.method, slow.params, {
        id,
        meta: { progressToken: token },
        timeoutMs: waitFor(slow, probe),
      });
      await session.quiet(20);
      await session.notify('notifications/cancelled', { requestId: id });
      // A server that answers this has read the cancellation; what came before was already on its way.
      await session.request(cheapMethod(probe));
      const before = session.inbox.length;
      const reply = await answer;
      const late = session.inbox
        .slice(before)
        .filter(
          ({ value }) =>
            isRecord(value) &&
            (value.id === id || (isRecord(value.params) && value.params.progressToken === token)),
        );
      probe.judge('087', late.length === 0, 'Something was sent for a cancelled request', 'nothing', {
        sent: reply.sent,
        received: late.map(({ text }) => text).join('\n'),
      });
    },
    OVER_STDIO,
  ),
  check('085', async (probe) => {
    const session = await probe.session();
    const before = session.inbox.length;
    for (const params of [
      { requestId: 'plumb-never-sent' },
      { requestId: -1 },
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
    const answers = session.inbox.slice(before).filter(({ value }) => isRecord(value) && 'error' in value);
    probe.judge('085', answers.length === 0, 'A senseless cancellation was answered', 'no response', {
      received: answers.map(({ text }) => text).join('\n'),
    });
  }),
];

/** Tools that run longer than it takes to cancel them, the slowest first; long ones have run out of time. */
function slowest(probe: Probe): readonly Use[] {
  return probe.exercise.calls
    .filter(({ last }) => last.elapsedMs > 250 && isCancellable(last))
    .toSorted((a, b) => b.last.elapsedMs - a.last.elapsedMs)
    .slice(0, 3);
}

function isCancellable(last: Use['last']): boolean {
  return last.kind === 'silence' || (last.kind === 'result' && last.result.isError !== true);
}

function waitFor(slow: Use, probe: Probe): number {
  return Math.min(slow.last.elapsedMs + probe.settings.quietMs * 2, probe.settings.timeoutMs);
}
