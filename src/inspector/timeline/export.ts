/** The timeline as a file: JSON lines with everything, to be read back; HAR with the HTTP exchanges, for other tools. */

import { maskText } from '../../protocol/secrets.js';
import { PLUMB_VERSION } from '../../protocol/version.js';
import type { HeaderView } from '../api.js';
import { detailOf, exchangeView, type StoredExchange, type StoredMessage } from './stored.js';

/** The first line of a file of ours. */
export const FILE_KIND = 'plumb-timeline';

export function* jsonLines(
  messages: Iterable<StoredMessage>,
  names: ReadonlyMap<string, string>,
): Generator<string> {
  yield `${JSON.stringify({ kind: FILE_KIND, version: 1, plumb: PLUMB_VERSION, servers: Object.fromEntries(names) })}\n`;
  for (const message of messages) yield `${JSON.stringify(detailOf(message))}\n`;
}

interface HarExchange {
  readonly exchange: StoredExchange;
  readonly sent: StoredMessage[];
  readonly received: StoredMessage[];
}

export function harText(messages: Iterable<StoredMessage>): string {
  const exchanges = new Map<number, HarExchange>();
  for (const message of messages) {
    const { exchange, direction } = message;
    if (exchange === undefined) continue;
    const known = exchanges.get(exchange.id) ?? { exchange, sent: [], received: [] };
    exchanges.set(exchange.id, known);
    if (message.kind !== 'http') (direction === 'to-server' ? known.sent : known.received).push(message);
  }
  const entries = [...exchanges.values()].map(entryOf);
  return JSON.stringify({
    log: { version: '1.2', creator: { name: 'Plumb', version: PLUMB_VERSION }, entries },
  });
}

function entryOf({ exchange, sent, received }: HarExchange): unknown {
  const {
    method,
    url,
    status = 0,
    startedAt,
    headMs = 0,
    durationMs,
    requestHeaders,
    responseHeaders,
  } = exchangeView(exchange);
  const body = sent.map(({ text }) => maskText(text).text).join('\n');
  const streamed = received.some((message) => message.streamed);
  const answer = received.map(({ text }) => maskText(text).text);
  const content = streamed ? answer.map((text) => `data: ${text}\n\n`).join('') : answer.join('\n');
  const time = durationMs ?? headMs;
  return {
    startedDateTime: new Date(startedAt).toISOString(),
    time,
    request: {
      method,
      url: absolute(url),
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: plain(requestHeaders),
      queryString: [],
      headersSize: -1,
      bodySize: Buffer.byteLength(body),
      ...(body === '' ? {} : { postData: { mimeType: 'application/json', text: body } }),
    },
    response: {
      status,
      statusText: exchange.failure ?? '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: plain(responseHeaders),
      content: {
        size: Buffer.byteLength(content),
        mimeType: streamed ? 'text/event-stream' : 'application/json',
        text: content,
      },
      redirectURL: '',
      headersSize: -1,
      bodySize: Buffer.byteLength(content),
    },
    cache: {},
    timings: { send: 0, wait: headMs, receive: Math.max(0, time - headMs) },
  };
}

function plain(headers: readonly HeaderView[]): { name: string; value: string }[] {
  return headers.map(({ name, value }) => ({ name, value }));
}

/** Readers of HAR want whole addresses; on the client side of a chain only the path is known. */
function absolute(url: string): string {
  return url.startsWith('/') ? `http://chain.invalid${url}` : url;
}
