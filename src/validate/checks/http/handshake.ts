/** Streamable HTTP of the handshake era: answers, sessions and the version header. */

import { isRecord } from '../../../jsonrpc/message.js';
import { SESSION_HEADER, VERSION_HEADER } from '../../../protocol/mirrored-headers.js';
import { type Check, check, OVER_HTTP } from '../../check.js';
import type { Probe } from '../../probe.js';
import { outcomeOf } from '../../session/reply.js';
import type { Delivery } from '../../wire/connection.js';
import { HttpConnection, JSON_TYPE, SSE_TYPE } from '../../wire/http-connection.js';
import { cheapMethod } from '../expect.js';

const PATIENCE_MS = 2_000;

function statusOf(delivery: Delivery | undefined): { received: string } {
  return {
    received: `HTTP ${delivery?.status ?? '(none)'} ${delivery?.contentType ?? ''}\n${delivery?.body() ?? ''}`,
  };
}

async function endOf(delivery: Delivery): Promise<boolean> {
  return Promise.race([
    delivery.ended.then(() => true),
    new Promise<false>((resolve) => setTimeout(resolve, PATIENCE_MS, false)),
  ]);
}

async function connectionOf(probe: Probe): Promise<HttpConnection | undefined> {
  const { connection } = await probe.session();
  return connection instanceof HttpConnection ? connection : undefined;
}

export const httpChecks: readonly Check[] = [
  check(
    '197 202',
    async (probe) => {
      const session = await probe.session();
      const reply = await session.request(cheapMethod(probe));
      const type = reply.delivery?.contentType ?? '';
      probe.judge(
        '202',
        type === JSON_TYPE || type === SSE_TYPE,
        `A request was answered with ${type || 'no content type'}`,
        `${JSON_TYPE} or ${SSE_TYPE}`,
        reply,
      );
      probe.judge(
        '197',
        reply.kind === 'result',
        `POST to the endpoint: ${outcomeOf(reply)}`,
        'one endpoint for every message',
        reply,
      );
    },
    OVER_HTTP,
  ),
  check(
    '200 201 241',
    async (probe) => {
      const session = await probe.session();
      const method = probe.stateless ? 'notifications/cancelled' : 'notifications/plumb/unknown';
      const accepted = await session.notify(method, probe.stateless ? { requestId: 'never' } : {});
      if (accepted !== undefined) await endOf(accepted);
      const ok = accepted?.status === 202 && accepted.body() === '';
      const id = probe.stateless ? '241' : '200';
      probe.judge(
        id,
        ok,
        `A notification was answered with ${accepted?.status}`,
        '202 and no body',
        statusOf(accepted),
      );
      if (probe.stateless) return;
      const refused = await session.connection.send('{"jsonrpc":"2.0","method":17}', { hostile: true });
      if (refused !== undefined) await endOf(refused);
      const error = (refused?.status ?? 0) >= 400;
      probe.judge(
        '201',
        error,
        `A malformed notification was answered with ${refused?.status}`,
        'an error status',
        statusOf(refused),
      );
    },
    OVER_HTTP,
  ),
  check(
    '205',
    async (probe) => {
      const connection = await connectionOf(probe);
      const delivery = await connection?.fetch({
        method: 'GET',
        headers: { accept: SSE_TYPE, ...connection.standing },
      });
      const stream = delivery?.status === 200 && delivery.contentType === SSE_TYPE;
      // A second stream beside ours may be refused.
      const refused = delivery?.status === 405 || delivery?.status === 409;
      probe.judge(
        '205',
        stream || refused,
        `GET was answered with ${delivery?.status} ${delivery?.contentType}`,
        'an event stream or 405',
        statusOf(delivery),
      );
      delivery?.abort();
    },
    OVER_HTTP,
  ),
  check(
    '208 244 245',
    async (probe) => {
      const session = await probe.session();
      const uses = probe.exercise.calls.filter(
        ({ last }) => last.delivery?.contentType === SSE_TYPE && last.kind === 'result',
      );
      const [use] = uses.toSorted((a, b) => a.last.elapsedMs - b.last.elapsedMs);
      if (use === undefined) {
        for (const id of ['208', '244', '245']) probe.skip(id, 'no answer came as an event stream');
        return;
      }
      const reply = await session.request(use.method, use.params, {
        meta: { progressToken: `sse-${session.nextId()}` },
      });
      if (reply.delivery === undefined) return;
      if (reply.delivery.contentType !== SSE_TYPE)
        return probe.skip('208', 'the answer came as JSON this time');
      const ended = await endOf(reply.delivery);
      probe.judge(
        probe.stateless ? '244' : '208',
        ended,
        'The stream stays open after the response',
        'it ends',
        reply,
      );
      const buffering = reply.delivery.headers['x-accel-buffering'];
      probe.judge(
        '245',
        buffering === 'no',
        `X-Accel-Buffering is ${buffering ?? 'absent'}`,
        'X-Accel-Buffering: no',
        reply,
      );
    },
    OVER_HTTP,
  ),
  check(
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
  check(
    '219 220',
    async (probe) => {
      const session = await probe.session();
      const bad = await session.request('ping', {}, { headers: { [VERSION_HEADER]: '1999-01-01' } });
      probe.judge(
        '219',
        bad.delivery?.status === 400,
        `An unknown version header: HTTP ${bad.delivery?.status}`,
        '400',
        bad,
      );
      const absent = await session.request('ping', {}, { headers: { [VERSION_HEADER]: undefined } });
      probe.judge(
        '220',
        absent.kind === 'result',
        `Without the version header: ${outcomeOf(absent)}`,
        'a result',
        absent,
      );
    },
    OVER_HTTP,
  ),
  check(
    '404',
    async (probe) => {
      const old = probe.spoken.find(({ lifecycle }) => lifecycle === 'handshake');
      if (old === undefined) return probe.skip('404', 'the server speaks only the stateless era');
      const { session } = await probe.open({}, old);
      const reply = await session.request('ping');
      const refused = reply.kind === 'error' && reply.code === -32020;
      probe.judge(
        '404',
        !refused && reply.kind === 'result',
        `A session request without mirrored headers: ${outcomeOf(reply)}`,
        'a result',
        reply,
      );
    },
    OVER_HTTP,
  ),
];

export const sessionChecks: readonly Check[] = [
  check(
    '210 226',
    async (probe) => {
      const ids: string[] = [];
      for (const _ of [1, 2, 3, 4]) {
        const { greeting } = await probe.open({ standalone: false });
        const id = greeting?.delivery?.headers[SESSION_HEADER];
        if (id !== undefined) ids.push(id);
      }
      if (ids.length === 0) {
        for (const id of ['210', '226']) probe.skip(id, 'the server has no sessions');
        return;
      }
      for (const id of ids)
        probe.judge(
          '210',
          /^[\x21-\x7e]+$/.test(id),
          'A session id with other than visible ASCII',
          '0x21 to 0x7E',
          { received: id },
        );
      const random =
        new Set(ids).size === ids.length &&
        ids.every((id) => id.length >= 16 && new Set(id).size >= 6) &&
        !sequential(ids);
      probe.judge('226', random, 'Session ids can be guessed', 'long random ids', {
        received: ids.join('\n'),
      });
    },
    OVER_HTTP,
  ),
  check(
    '212 213 216',
    async (probe) => {
      const { session } = await probe.open({ standalone: false });
      const { connection } = session;
      if (!(connection instanceof HttpConnection) || connection.standing[SESSION_HEADER] === undefined) {
        for (const id of ['212', '213', '216']) probe.skip(id, 'the server has no sessions');
        return;
      }
      const without = await session.request('ping', {}, { headers: { [SESSION_HEADER]: undefined } });
      probe.judge(
        '212',
        without.delivery?.status === 400,
        `Without the session id: HTTP ${without.delivery?.status}`,
        '400',
        without,
      );
      const deleted = await connection.fetch({ method: 'DELETE', headers: { ...connection.standing } });
      await endOf(deleted);
      const ok = (deleted.status >= 200 && deleted.status < 300) || deleted.status === 405;
      probe.judge(
        '216',
        ok,
        `DELETE was answered with ${deleted.status}`,
        'a success or 405',
        statusOf(deleted),
      );
      if (deleted.status === 405) return probe.skip('213', 'sessions cannot be ended');
      const after = await session.request('ping');
      probe.judge(
        '213',
        after.delivery?.status === 404,
        `A terminated session: HTTP ${after.delivery?.status}`,
        '404',
        after,
      );
    },
    OVER_HTTP,
  ),
  check(
    '206 207',
    async (probe) => {
      const { session, standalone } = await probe.open();
      if (standalone === undefined) {
        for (const id of ['206', '207']) probe.skip(id, 'the server has no GET stream');
        return;
      }
      const use = probe.exercise.calls.find(({ last }) => last.kind === 'result' && last.elapsedMs < 1_500);
      const reply =
        use === undefined
          ? await session.request('ping')
          : await session.request(use.method, use.params, { meta: { progressToken: 'get-stream' } });
      await session.quiet(probe.settings.quietMs / 2);
      const onGet = session.inbox.filter(({ stream }) => stream === standalone.stream);
      const responses = onGet.filter(({ value }) => isRecord(value) && !('method' in value));
      probe.judge(
        '206',
        responses.length === 0,
        'A response on the GET stream',
        'responses on the stream of their POST',
        { sent: reply.sent, received: responses.map(({ text }) => text).join('\n') },
      );
      const elsewhere = new Set(
        session.inbox
          .filter(({ stream, value }) => stream !== standalone.stream && isRecord(value) && 'method' in value)
          .map(({ text }) => text),
      );
      const twice = onGet.filter(({ text }) => elsewhere.has(text) && text.includes('get-stream'));
      probe.judge(
        '207',
        twice.length === 0,
        'A message was sent on two streams',
        'one stream for each message',
        { received: twice.map(({ text }) => text).join('\n') },
      );
    },
    OVER_HTTP,
  ),
];

/** Ids that count up share everything but their end. */
function sequential(ids: readonly string[]): boolean {
  const numbers = ids.map((id) => Number.parseInt(id.replace(/\D/g, '').slice(-9), 10));
  return numbers.every((value, index) => index === 0 || value === (numbers[index - 1] ?? Number.NaN) + 1);
}
