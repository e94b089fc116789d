/** Event ids, priming events, and streams that go on after a lost connection. */

import { isRecord } from '../../../jsonrpc/message.js';
import { type Check, check, OVER_HTTP } from '../../check.js';
import type { Use } from '../../exercise.js';
import type { Probe } from '../../probe.js';
import { HttpConnection, SSE_TYPE, type StreamedEvent } from '../../wire/http-connection.js';

const RESUME_MS = 4_000;
/** A silence that was shorter than our patience is the server's doing. */
const EARLY_MS = 1_900;

/** A tool that answers over an event stream, and takes its time. */
function streaming(probe: Probe): Use | undefined {
  return probe.exercise.calls
    .filter(
      ({ last }) => last.delivery?.contentType === SSE_TYPE && last.kind === 'result' && last.elapsedMs > 150,
    )
    .toSorted((a, b) => a.last.elapsedMs - b.last.elapsedMs)[0];
}

export const resumptionChecks: readonly Check[] = [
  check(
    '221 227 228',
    async (probe) => {
      const { connection } = await probe.session();
      if (!(connection instanceof HttpConnection)) return;
      const ids = connection.events.flatMap(({ id }) => (id === undefined ? [] : [id]));
      if (ids.length === 0) {
        probe.skip('221', 'the server uses no event ids');
        probe.skip('227', 'the server uses no event ids, so nothing can be resumed');
      } else {
        const twice = ids.find((id, index) => ids.indexOf(id) !== index);
        probe.judge('221', twice === undefined, `The event id ${twice} was used twice`, 'every id once', {
          received: String(twice),
        });
        for (const events of byStream(connection.events).values()) {
          const [first] = events;
          if (first === undefined) continue;
          const primed = first.id !== undefined && (first.data ?? '') === '';
          const received = JSON.stringify(first);
          probe.judge(
            '227',
            primed,
            'A stream did not open with an event that has an id and no data',
            'id, and empty data',
            { received },
          );
        }
      }
      const priming = connection.events.find(({ id, data }) => id !== undefined && (data ?? '') === '');
      probe.judge(
        '228',
        priming === undefined,
        'A priming event to a client of an older revision',
        'events with data only',
        { received: JSON.stringify(priming) },
      );
    },
    OVER_HTTP,
  ),
  check(
    '231',
    async (probe) => {
      const { connection } = await probe.session();
      if (!(connection instanceof HttpConnection)) return;
      const early = probe.exercise.calls.filter(
        ({ last }) =>
          last.kind === 'silence' && last.delivery?.contentType === SSE_TYPE && last.elapsedMs < EARLY_MS,
      );
      if (early.length === 0) return probe.skip('231', 'no stream was closed before its answer');
      for (const { last } of early) {
        const events = connection.events.filter(({ stream }) => stream === last.delivery?.stream);
        probe.judge(
          '231',
          events.some(({ retry }) => retry !== undefined),
          'A stream was closed before its answer without a word about when to come back',
          'an event with retry before the end',
          { sent: last.sent, received: JSON.stringify(events) },
        );
      }
    },
    OVER_HTTP,
  ),
  check(
    '209 222',
    async (probe) => {
      const use = streaming(probe);
      if (use === undefined) {
        for (const id of ['209', '222'])
          probe.skip(id, 'no callable tool answers over a stream for long enough');
        return;
      }
      const { session } = await probe.open({ standalone: false });
      const { connection } = session;
      if (!(connection instanceof HttpConnection)) return;
      const id = session.nextId();
      const params = session.complete(use.params, { meta: { progressToken: `resume-${id}` } });
      const body = JSON.stringify({ jsonrpc: '2.0', id, method: use.method, params });
      const other = session.request('ping');
      const delivery = await connection.send(body);
      await other;
      const eventId = await firstId(connection, delivery.stream);
      if (eventId === undefined) {
        delivery.abort();
        for (const skipped of ['209', '222']) probe.skip(skipped, 'the server uses no event ids');
        return;
      }
      delivery.abort();
      const resumed = await connection.fetch({
        method: 'GET',
        headers: { accept: SSE_TYPE, ...connection.standing, 'last-event-id': eventId },
      });
      if (resumed.status !== 200) return probe.skip('209', `resuming was answered with ${resumed.status}`);
      const answer = await session.waitFor((message) => message.id === id, RESUME_MS);
      resumed.abort();
      probe.judge(
        '209',
        answer !== undefined,
        'After a lost connection the answer never came',
        'the request goes on and is answered on the resumed stream',
        { sent: body, received: answer?.text ?? '(nothing)' },
      );
      const foreign = session.inbox.filter(
        ({ stream, value }) =>
          stream === resumed.stream && isRecord(value) && !('method' in value) && value.id !== id,
      );
      probe.judge(
        '222',
        foreign.length === 0,
        'Events of another stream were replayed',
        'only events of the interrupted stream',
        { received: foreign.map(({ text }) => text).join('\n') },
      );
    },
    OVER_HTTP,
  ),
];

function byStream(events: readonly StreamedEvent[]): ReadonlyMap<number, StreamedEvent[]> {
  const streams = new Map<number, StreamedEvent[]>();
  for (const event of events) streams.set(event.stream, [...(streams.get(event.stream) ?? []), event]);
  return streams;
}

async function firstId(connection: HttpConnection, stream: number): Promise<string | undefined> {
  const deadline = performance.now() + 400;
  while (performance.now() < deadline) {
    const found = connection.events.find((event) => event.stream === stream && event.id !== undefined)?.id;
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return undefined;
}
