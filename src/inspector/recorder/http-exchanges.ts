/** The HTTP exchanges of one connection: their headers and statuses, joined with the messages that they carry. */

import type {
  HttpCall,
  HttpCallEvents,
  HttpCallHandle,
  HttpHead,
  HttpRequester,
} from '../../transports/http/client/requester.js';
import type { StoredExchange, StoredMessage } from '../timeline/stored.js';
import type { HeardMessage, RecordedConversation } from './conversation.js';
import { digest } from './digest.js';
import type { Recording } from './recording.js';

export interface HttpWatcher {
  /** The head of an answer is there. */
  answered?(exchange: StoredExchange): void;
  /** The server speaks only the first transport over HTTP. */
  fellBack?(): void;
}

/** A refused message may never leave; those that wait for their request are not kept for ever. */
const MAX_EXPECTED = 1_000;

interface Reading {
  readonly exchange: StoredExchange;
  readonly streamed: boolean;
  /** A message was found in it. */
  heard: boolean;
}

export class HttpExchanges {
  readonly #recording: Recording;
  readonly #conversation: RecordedConversation;
  readonly #watcher: HttpWatcher;
  /** The `seq` of messages that were handed to the transport, by their text: bodies of requests to come. */
  readonly #expected = new Map<string, number>();
  #current: Reading | undefined;
  /** Where the first request went. */
  #place: string | undefined;

  constructor(recording: Recording, conversation: RecordedConversation, watcher: HttpWatcher) {
    this.#recording = recording;
    this.#conversation = conversation;
    this.#watcher = watcher;
  }

  /** The exchange whose answer is being read at this moment. */
  current(): Pick<HeardMessage, 'exchange' | 'streamed'> {
    const current = this.#current;
    if (current === undefined) return {};
    current.heard = true;
    return { exchange: current.exchange, streamed: current.streamed };
  }

  expect(text: string, message: StoredMessage): void {
    const [oldest] = this.#expected.keys();
    if (this.#expected.size >= MAX_EXPECTED && oldest !== undefined) this.#expected.delete(oldest);
    this.#expected.set(digest(text), message.seq);
  }

  tap(requester: HttpRequester): HttpRequester {
    return {
      usualHeaders: requester.usualHeaders,
      request: (call, events) => this.#request(requester, call, events),
      close: () => requester.close(),
    };
  }

  #request(requester: HttpRequester, call: HttpCall, events: HttpCallEvents): HttpCallHandle {
    const { method, url, headers, body } = call;
    this.#locate(method, url);
    const started = this.#recording.now();
    // The requester adds its own headers to this very array.
    const exchange: StoredExchange = {
      id: this.#recording.nextExchange(),
      method,
      url: url.href,
      requestHeaders: headers,
      startedAt: started,
    };
    const { timeline } = this.#recording;
    const key = body === undefined ? undefined : digest(body);
    const seq = key === undefined ? undefined : this.#expected.get(key);
    const message = seq === undefined ? undefined : timeline.get(seq);
    if (message !== undefined) message.exchange = exchange;
    // Beyond this the message is known by its number: an exchange may outlast what the timeline keeps.
    const group = message?.group;
    const touched = (): void => {
      if (seq !== undefined) timeline.touched(seq);
    };
    touched();
    let streamed = false;
    const elapsed = (): number => this.#recording.now() - started;
    const reading = (work: () => void): boolean => {
      const current: Reading = { exchange, streamed, heard: false };
      this.#current = current;
      try {
        work();
      } finally {
        this.#current = undefined;
      }
      return current.heard;
    };
    const over = (): void => {
      exchange.durationMs = elapsed();
      if (key !== undefined && (exchange.status ?? 0) !== 401) this.#expected.delete(key);
      touched();
    };
    const lost = (): void => {
      if (seq !== undefined) this.#conversation.abandon(seq, 'lost');
    };
    const handle = requester.request(call, {
      head: (head) => {
        exchange.headMs = elapsed();
        exchange.status = head.status;
        exchange.responseHeaders = head.headers();
        touched();
        this.#head(exchange, head, group);
        const mode = events.head(head);
        streamed = mode === 'chunks';
        return mode;
      },
      text: (text) => {
        over();
        const heard = reading(() => events.text(text));
        if (!heard && (exchange.status ?? 0) >= 400) this.#note(exchange, text, group);
        // A refusal for want of credentials is often followed by the same request with some.
        if (!heard && (exchange.status ?? 0) >= 400 && exchange.status !== 401) lost();
      },
      chunk: (bytes) => {
        reading(() => events.chunk(bytes));
      },
      end: () => {
        over();
        reading(() => events.end());
      },
      failed: (error) => {
        exchange.failure = error.message;
        over();
        if (exchange.status === undefined) this.#note(exchange, error.message, group);
        lost();
        reading(() => events.failed(error));
      },
    });
    return {
      get hasLeft() {
        return handle.hasLeft;
      },
      abort: () => {
        // Closing the exchange is how a stateless request is cancelled.
        if (exchange.durationMs === undefined) over();
        if (seq !== undefined) this.#conversation.abandon(seq, 'cancelled');
        handle.abort();
      },
    };
  }

  /** Only the first transport names another place for messages than that of its stream. */
  #locate(method: string, { pathname, search }: URL): void {
    const place = pathname + search;
    this.#place ??= place;
    if (method === 'POST' && place !== this.#place) this.#watcher.fellBack?.();
  }

  #head(exchange: StoredExchange, head: HttpHead, group: number | undefined): void {
    this.#watcher.answered?.(exchange);
    // An exchange that carries a message is covered by that message; a refusal is reported once its body has
    // been read.
    const { method, status = 0 } = exchange;
    if (method === 'POST' || status >= 400) return;
    this.#note(exchange, `${method} ${status} ${head.header('content-type') ?? ''}`.trim(), group);
  }

  #note(exchange: StoredExchange, text: string, group: number | undefined): void {
    this.#conversation.http('to-client', text, exchange, group);
  }
}
