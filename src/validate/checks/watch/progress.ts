/** Progress and log notifications, judged on everything that a server sent. */

import { isRecord, isRequestId } from '../../../jsonrpc/message.js';
import { type Check, OVER_HTTP, watch } from '../../check.js';
import type { ObservedExchange, Traffic } from '../../traffic.js';
import { sortTraffic } from '../../traffic.js';

function tokenOf(exchange: ObservedExchange): unknown {
  return isRecord(exchange.params._meta) ? exchange.params._meta.progressToken : undefined;
}

/** The request on the same connection that supplied this token. */
function owner(traffic: Traffic, connection: number, token: unknown): ObservedExchange | undefined {
  if (token === undefined) return undefined;
  return traffic.exchanges.find(
    (exchange) => exchange.request.connection === connection && tokenOf(exchange) === token,
  );
}

export const progressWatches: readonly Check[] = [
  watch('092 093 094 095', (probe) => {
    const traffic = sortTraffic(probe.recorder.entries);
    const last = new Map<string, number>();
    const reports = traffic.notifications.filter(({ method }) => method === 'notifications/progress');
    for (const { params, entry } of reports) {
      const { progressToken, progress } = params;
      const received = entry.text;
      probe.judge(
        '092',
        isRequestId(progressToken),
        'A progress token that is neither string nor integer',
        'the token of the request',
        { received },
      );
      const request = owner(traffic, entry.connection, progressToken);
      probe.judge(
        '093',
        request !== undefined,
        'Progress for a token that no request supplied',
        'progress only for supplied tokens',
        { received },
      );
      const key = `${entry.connection} ${JSON.stringify(progressToken)}`;
      const before = last.get(key);
      const increases = typeof progress === 'number' && (before === undefined || progress > before);
      probe.judge(
        '094',
        increases,
        `Progress did not increase (${before} then ${JSON.stringify(progress)})`,
        'a greater value every time',
        { received },
      );
      if (typeof progress === 'number') last.set(key, progress);
      const done = request?.response;
      const late = done !== undefined && traffic.entries.indexOf(done) < traffic.entries.indexOf(entry);
      probe.judge('095', !late, 'Progress after the response', 'no progress once the request is answered', {
        sent: request?.request.text ?? '',
        received: `${done?.text ?? ''}\n${received}`,
      });
    }
    if (reports.length > 0) return;
    for (const id of ['092', '093', '094', '095']) probe.skip(id, 'no callable tool reports progress');
  }),
  watch(
    '096 243',
    (probe) => {
      const traffic = sortTraffic(probe.recorder.entries);
      for (const { method, params, entry } of traffic.notifications) {
        if (method === 'notifications/progress') {
          const request = owner(traffic, entry.connection, params.progressToken)?.request;
          const ok = request === undefined || request.stream === entry.stream;
          probe.judge(
            '096',
            ok,
            'Progress on the stream of another request',
            'the stream of its own request',
            { received: entry.text },
          );
          probe.judge(
            '243',
            ok,
            'A stream carries a notification of another request',
            'only related notifications',
            { received: entry.text },
          );
        }
      }
      const listens = new Set(
        traffic.exchanges
          .filter(({ method }) => method === 'subscriptions/listen')
          .map(({ request }) => request.stream),
      );
      for (const { method, entry } of [...traffic.notifications, ...traffic.requests]) {
        const news = /list_changed$|resources\/updated$/.test(method) && !listens.has(entry.stream);
        probe.judge(
          '243',
          !news && !traffic.requests.some((sent) => sent.entry === entry),
          `${method} on the stream of another request`,
          'notifications about the request, then its response',
          { received: entry.text },
        );
      }
      for (const { method, request, response } of traffic.exchanges) {
        if (method === 'subscriptions/listen' || response === undefined) continue;
        const after = traffic.entries.slice(traffic.entries.indexOf(response) + 1);
        const late = after.find(({ stream, kind }) => stream === response.stream && kind === 'message');
        probe.judge(
          '243',
          late === undefined,
          'A stream goes on after the response',
          'the response is the last message',
          {
            sent: request.text,
            received: late?.text ?? '',
          },
        );
      }
      probe.skip('096', 'no callable tool reports progress');
    },
    OVER_HTTP,
  ),
  watch('089', (probe) => {
    const { notifications, exchanges } = sortTraffic(probe.recorder.entries);
    if (exchanges.length > 0) probe.pass('089');
    for (const { method, params, entry } of notifications) {
      if (method !== 'notifications/cancelled') continue;
      const listened = exchanges.some(
        ({ method: name, request }) =>
          name === 'subscriptions/listen' && isRecord(request.value) && request.value.id === params.requestId,
      );
      probe.judge(
        '089',
        listened,
        'notifications/cancelled for something that is no subscription',
        'only the id of a listen request',
        { received: entry.text },
      );
    }
  }),
  watch('082', (probe) => {
    const { notifications, requests, exchanges } = sortTraffic(probe.recorder.entries);
    if (exchanges.length > 0) probe.pass('082');
    for (const { method, params, entry } of notifications) {
      if (method !== 'notifications/cancelled') continue;
      const own = requests.some(({ message }) => message.id === params.requestId);
      const ours = exchanges.some(
        ({ request }) => isRecord(request.value) && request.value.id === params.requestId,
      );
      // Over HTTP a request may go to a stream that nobody has open, and be cancelled when its time is over.
      if (probe.transport === 'http' && !own && !ours) continue;
      probe.judge(
        '082',
        own,
        'The server cancelled a request that it never sent',
        'only own requests in flight',
        { received: entry.text },
      );
    }
  }),
];
