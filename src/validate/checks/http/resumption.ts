/** Event ids, priming events, and streams that go on after a lost connection. */

import { isRecord, type JsonObject, type RequestId } from '../../../jsonrpc/message.js';
import { type Check, check, loneCheck, OVER_HTTP, ownCheck } from '../../check.js';
import type { Use } from '../../exercise.js';
import type { Probe } from '../../probe.js';
import type { ValidatorSession } from '../../session/session.js';
import type { Delivery } from '../../wire/connection.js';
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
  loneCheck(
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
  ownCheck(
    '209 222',
    async (probe) => {
      const use = streaming(probe);
      if (use === undefined)
        return probe.skipAll('209 222', 'no callable tool answers over a stream for long enough');
      const { session } = await probe.open({ standalone: false });
      const { connection } = session;
      if (!(connection instanceof HttpConnection)) return;
      // Two streams side by side, of which the first is interrupted.
      const mine = await begin(session, connection, use, 'plumb-mine');
      const other = await begin(session, connection, use, 'plumb-other');
      const eventId = await firstId(connection, mine.delivery.stream, probe.patient(400));
      // Where nothing came on the other stream yet, nothing of it could be replayed.
      await session.waitFor((message) => isAbout(message, 'plumb-other'), probe.patient(RESUME_MS));
      mine.delivery.abort();
      if (eventId === undefined) return probe.skipAll('209 222', 'the server uses no event ids');
      const resumed = await resume(connection, connection.standing, eventId);
      if (resumed.status !== 200)
        return probe.skipAll('209 222', `resuming was answered with ${resumed.status}`);
      const answer = await session.waitFor((message) => message.id === mine.id, probe.patient(RESUME_MS));
      await session.waitFor((message) => message.id === other.id, probe.patient(RESUME_MS));
      // Both may have been answered before: what is replayed gets time to come.
      await session.quiet(probe.settings.quietMs);
      resumed.abort();
      probe.judge(
        '209',
        answer !== undefined,
        'After a lost connection the answer never came',
        'the request goes on and is answered on the resumed stream',
        { sent: mine.body, received: answer?.text ?? '(nothing)', timed: true },
      );
      // Once more, now that there is something of the other stream that a careless store would bring.
      const again =
        answer === undefined
          ? undefined
          : await resume(connection, connection.standing, eventId).catch(() => undefined);
      if (again !== undefined) await session.quiet(probe.settings.quietMs);
      again?.abort();
      const streams = new Set([resumed.stream, again?.stream]);
      const foreign = session.inbox.filter(
        ({ stream, text }) =>
          stream !== undefined &&
          streams.has(stream) &&
          (text.includes('"plumb-other"') || text.includes(JSON.stringify(other.id))),
      );
      probe.judge(
        '222',
        foreign.length === 0,
        'Events of another stream were replayed',
        'only events of the interrupted stream',
        { sent: `GET with Last-Event-ID: ${eventId}`, received: foreign.map(({ text }) => text).join('\n') },
      );
      await stolen(probe, eventId, mine.id);
    },
    OVER_HTTP,
  ),
];

interface Begun {
  readonly id: RequestId;
  readonly body: string;
  readonly delivery: Delivery;
}

async function begin(
  session: ValidatorSession,
  connection: HttpConnection,
  use: Use,
  progressToken: string,
): Promise<Begun> {
  const id = session.nextId();
  const params = session.complete(use.params, { meta: { progressToken } });
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: use.method, params });
  return { id, body, delivery: await connection.send(body) };
}

function resume(
  connection: HttpConnection,
  standing: Readonly<Record<string, string>>,
  eventId: string,
): Promise<Delivery> {
  const headers = { accept: SSE_TYPE, ...standing, 'last-event-id': eventId };
  return connection.fetch({ method: 'GET', headers });
}

function isAbout({ params }: JsonObject, token: string): boolean {
  return isRecord(params) && params.progressToken === token;
}

/** A new session has asked for nothing: every response in it is another's. */
function isOld(message: JsonObject, id: RequestId): boolean {
  return message.id === id || !('method' in message) || message.method === 'notifications/progress';
}

/** The event id of one session is worth nothing in another. */
async function stolen(probe: Probe, eventId: string, id: RequestId): Promise<void> {
  const { session } = await probe.open({ standalone: false });
  const { connection } = session;
  if (!(connection instanceof HttpConnection)) return;
  const delivery = await resume(connection, connection.standing, eventId);
  await session.quiet(probe.settings.quietMs);
  const leaked = session.inbox.filter(
    ({ stream, value }) => stream === delivery.stream && isRecord(value) && isOld(value, id),
  );
  delivery.abort();
  probe.judge('222', leaked.length === 0, 'Events of another session were replayed', 'nothing', {
    sent: `GET with Last-Event-ID: ${eventId} of another session`,
    received: leaked.map(({ text }) => text).join('\n'),
  });
}

function byStream(events: readonly StreamedEvent[]): ReadonlyMap<number, StreamedEvent[]> {
  const streams = new Map<number, StreamedEvent[]>();
  for (const event of events) streams.set(event.stream, [...(streams.get(event.stream) ?? []), event]);
  return streams;
}

async function firstId(
  connection: HttpConnection,
  stream: number,
  patienceMs: number,
): Promise<string | undefined> {
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    const found = connection.events.find((event) => event.stream === stream && event.id !== undefined)?.id;
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return undefined;
}
