/** Streamable HTTP of the handshake era: answers to each kind of message, and streams. */

import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { acrossRevisions, type Check, check, OVER_HTTP, observing, ownCheck, watch } from '../../check.js';
import type { Probe } from '../../probe.js';
import { outcomeOf } from '../../session/reply.js';
import type { ValidatorSession } from '../../session/session.js';
import { HttpConnection, JSON_TYPE, SSE_TYPE } from '../../wire/http-connection.js';
import type { RecordedEntry } from '../../wire/recorder.js';
import { cheapMethod } from '../expect.js';
import { goodRequests } from '../methods.js';
import { endOf, statusText } from './deliveries.js';

const PATIENCE_MS = 2_000;
const MALFORMED = [
  '{"jsonrpc":"2.0","method":17}',
  '{"method":"notifications/plumb/unknown"}',
  '{"jsonrpc":"2.0"}',
];

const UNKNOWN_NOTIFICATION = 'notifications/plumb/unknown';

export const httpChecks: readonly Check[] = [
  // What comes of it is looked at for 202, too.
  check(
    '197 202',
    async (probe) => {
      const session = await probe.session();
      for (const { method, params } of goodRequests(probe)) {
        const reply = await session.request(method, params);
        probe.judge(
          '197',
          reply.kind === 'result',
          `POST of ${method} to the endpoint: ${outcomeOf(reply)}`,
          'one endpoint for every message',
          reply,
        );
      }
    },
    OVER_HTTP,
  ),
  watch('202', judgeTypes, OVER_HTTP),
  ownCheck(
    '200 201 241',
    async (probe) => {
      const { session, initialized } = await probe.open({ standalone: false });
      const id = probe.stateless ? '241' : '200';
      if (initialized !== undefined)
        probe.judge(
          id,
          initialized.status === 202 && initialized.body() === '',
          `notifications/initialized was answered with ${initialized.status}`,
          '202 and no body',
          { sent: 'notifications/initialized', received: statusText(initialized) },
        );
      await accepted(probe, session, id);
      if (probe.stateless) return;
      for (const text of MALFORMED) {
        const refused = await session.connection.send(text, { hostile: true });
        if (refused !== undefined) await endOf(refused, probe.patient(PATIENCE_MS));
        probe.judge(
          '201',
          (refused?.status ?? 0) >= 400,
          `The malformed notification ${text} was answered with ${refused?.status}`,
          'an error status',
          { sent: text, received: statusText(refused) },
        );
      }
    },
    OVER_HTTP,
  ),
  ownCheck(
    '205',
    async (probe) => {
      // In a session without a stream: a second one may be refused in any way.
      const { connection } = (await probe.open({ standalone: false })).session;
      if (!(connection instanceof HttpConnection)) return;
      const delivery = await connection.fetch({
        method: 'GET',
        headers: { accept: SSE_TYPE, ...connection.standing },
      });
      const stream = delivery.status === 200 && delivery.contentType === SSE_TYPE;
      probe.judge(
        '205',
        stream || delivery.status === 405,
        `GET was answered with ${delivery.status} ${delivery.contentType}`,
        'an event stream or 405',
        { sent: 'GET', received: statusText(delivery) },
      );
      delivery.abort();
    },
    OVER_HTTP,
  ),
  ownCheck('208 244 245', judgeStreamEnds, OVER_HTTP),
  ownCheck(
    '218',
    async (probe) => {
      const { greeting } = await probe.open({ handshake: 'initialize' });
      if (greeting === undefined) return;
      probe.judge(
        '218',
        greeting.kind === 'result',
        `initialize without a version header: ${outcomeOf(greeting)}`,
        'a result',
        greeting,
      );
    },
    OVER_HTTP,
  ),
  acrossRevisions(
    ownCheck(
      '404',
      async (probe) => {
        const old = probe.spoken.find(({ lifecycle }) => lifecycle === 'handshake');
        if (old === undefined) return probe.skip('404', 'the server speaks only the stateless era');
        const { session } = await probe.open({}, old);
        for (const method of ['ping', ...(probe.declares('tools') ? ['tools/list'] : [])]) {
          const reply = await session.request(method);
          probe.judge(
            '404',
            reply.kind === 'result',
            `${method} of a session, without mirrored headers: ${outcomeOf(reply)}`,
            'a result',
            reply,
          );
        }
      },
      OVER_HTTP,
    ),
  ),
  observing(ownCheck('206 207', judgeStandalone, OVER_HTTP)),
];

/** Notifications, and responses that answer nothing, get 202 and no body (or, the latter, a refusal). */
async function accepted(probe: Probe, session: ValidatorSession, id: string): Promise<void> {
  const messages: JsonObject[] = probe.stateless
    ? [{ method: 'notifications/cancelled', params: session.complete({ requestId: 'plumb-never' }) }]
    : [
        { method: UNKNOWN_NOTIFICATION },
        { method: 'notifications/cancelled', params: { requestId: 'plumb-never' } },
        { method: 'notifications/progress', params: { progressToken: 'plumb-never', progress: 1 } },
        { id: 'plumb-nobody-asked', result: {} },
        { id: 'plumb-nobody-asked', error: { code: -32603, message: 'none' } },
      ];
  for (const message of messages) {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    const params = isRecord(message.params) ? message.params : {};
    const headers = typeof message.method === 'string' ? session.headersFor(message.method, params) : {};
    const delivery = await session.connection.send(text, { headers, hostile: true });
    if (delivery !== undefined) await endOf(delivery, probe.patient(PATIENCE_MS));
    // What a server cannot accept gets an error status: a response to nothing, or a notification that it does not know.
    const strange = !('method' in message) || message.method === UNKNOWN_NOTIFICATION;
    const refused = strange && (delivery?.status ?? 0) >= 400;
    probe.judge(
      id,
      (delivery?.status === 202 && delivery.body() === '') || refused,
      `${typeof message.method === 'string' ? message.method : 'A response'} was answered with ${delivery?.status}`,
      '202 and no body',
      { sent: text, received: statusText(delivery) },
    );
  }
}

/** Every POST of a request that was answered with success. */
function judgeTypes(probe: Probe): void {
  const requests = new Map<number, RecordedEntry>();
  const typed = new Set<number>();
  for (const entry of probe.recorder.entries) {
    const { stream, direction, kind, value, text } = entry;
    if (stream === undefined) continue;
    if (direction === 'sent' && kind === 'message' && isRecord(value) && 'id' in value && 'method' in value)
      requests.set(stream, entry);
    const request = requests.get(stream);
    if (direction !== 'received' || request === undefined) continue;
    if (kind === 'noise' && typed.has(stream))
      probe.fail('202', `A body of type ${JSON_TYPE} is no JSON`, {
        sent: request.text,
        received: text,
        expected: `${JSON_TYPE} or ${SSE_TYPE}, as the type says`,
      });
    if (kind !== 'http' || !text.startsWith('HTTP 200')) continue;
    const type = /^content-type: ([^;\n]*)/im.exec(text)?.[1]?.trim().toLowerCase() ?? '';
    if (type === JSON_TYPE) typed.add(stream);
    probe.judge(
      '202',
      type === JSON_TYPE || type === SSE_TYPE,
      `A request was answered with ${type || 'no content type'}`,
      `${JSON_TYPE} or ${SSE_TYPE}`,
      { sent: request.text, received: text },
    );
  }
}

async function judgeStreamEnds(probe: Probe): Promise<void> {
  const { session } = await probe.open();
  const uses = probe.exercise.calls
    .filter(({ last }) => last.delivery?.contentType === SSE_TYPE && last.kind === 'result')
    .toSorted((a, b) => a.last.elapsedMs - b.last.elapsedMs);
  for (const use of uses.slice(0, 2)) {
    const reply = await session.request(use.method, use.params, {
      meta: { progressToken: `sse-${session.nextId()}` },
    });
    if (reply.delivery === undefined || reply.delivery.contentType !== SSE_TYPE) continue;
    const ended = await endOf(reply.delivery, probe.patient(PATIENCE_MS));
    probe.judge(
      probe.stateless ? '244' : '208',
      ended,
      'The stream stays open after the response',
      'it ends',
      { sent: reply.sent, received: reply.received, timed: true },
    );
    const buffering = reply.delivery.headers['x-accel-buffering'];
    probe.judge(
      '245',
      buffering === 'no',
      `X-Accel-Buffering is ${buffering ?? 'absent'}`,
      'X-Accel-Buffering: no',
      reply,
    );
  }
  probe.skipAll('208 244 245', 'no answer came as an event stream');
}

/** The GET stream carries no responses, and nothing that went elsewhere or belongs to another session. */
async function judgeStandalone(probe: Probe): Promise<void> {
  const { session, standalone } = await probe.open();
  const { session: other, standalone: foreign } = await probe.open();
  if (standalone === undefined) return probe.skipAll('206 207', 'the server has no GET stream');
  const uses = probe.goodCalls.filter(({ last }) => last.elapsedMs < 1_500);
  // One of each kind: a tool that logs, and those that ask.
  const asking = [
    probe.seen(({ logs }) => logs.length > 0)[0],
    ...['elicitation/create', 'sampling/createMessage', 'roots/list'].map(
      (method) => probe.seen(({ asks }) => asks.has(method))[0],
    ),
  ].flatMap((effects) => effects?.use ?? []);
  const mark = other.inbox.length;
  for (const { method, params } of goodRequests(probe)) await session.request(method, params);
  for (const use of new Set([...uses.slice(0, 3), ...asking]))
    await session.request(use.method, use.params, { meta: { progressToken: `get-${session.nextId()}` } });
  await session.quiet(probe.settings.quietMs / 2);
  const onGet = session.inbox.filter(({ stream }) => stream === standalone.stream);
  const responses = onGet.filter(({ value }) => isRecord(value) && !('method' in value));
  probe.judge(
    '206',
    responses.length === 0,
    'A response on the GET stream',
    'responses on the stream of their POST',
    { sent: cheapMethod(probe), received: responses.map(({ text }) => text).join('\n') },
  );
  const elsewhere = new Set(
    session.inbox
      .filter(({ stream, value }) => stream !== standalone.stream && isRecord(value) && 'method' in value)
      .map(({ text }) => text),
  );
  const twice = onGet.filter(({ text, value }) => elsewhere.has(text) && isPersonal(value));
  probe.judge('207', twice.length === 0, 'A message was sent on two streams', 'one stream for each message', {
    received: twice.map(({ text }) => text).join('\n'),
  });
  // The other session has called nothing: progress in it is not its own, nor is a question or a log message that came
  // on the stream of a call in the first one. What a server says to every client that arrives may well be.
  if (foreign === undefined || !(other.connection instanceof HttpConnection)) return;
  const personal = new Set(
    session.inbox
      .filter(({ stream }) => stream !== standalone.stream)
      .flatMap(({ value }) => (isPersonal(value) && value.method !== 'roots/list' ? [keyOf(value)] : [])),
  );
  const leaked = other.inbox
    .slice(mark)
    .filter(
      ({ stream, value }) =>
        stream === foreign.stream &&
        isPersonal(value) &&
        (value.method === 'notifications/progress' || personal.has(keyOf(value))),
    );
  probe.judge(
    '207',
    leaked.length === 0,
    'A message of one session was sent to another',
    'one stream for each message',
    { received: leaked.map(({ text }) => text).join('\n') },
  );
}

/** What a message says; its id is one of the session. */
function keyOf({ method, params }: JsonObject): string {
  return JSON.stringify([method, params]);
}

/** Progress, log messages and requests belong to one client. */
function isPersonal(value: unknown): value is JsonObject {
  if (!isRecord(value) || typeof value.method !== 'string') return false;
  if ('id' in value) return value.method !== 'ping';
  return value.method === 'notifications/progress' || value.method === 'notifications/message';
}
