/** Streamable HTTP without any opinion: each message is one POST, and GET and DELETE are there for who wants them. */

import { decodeUtf8 } from '../../framing/line-buffer.js';
import { BodyBytes } from '../../transports/http/body-bytes.js';
import { type Delivery, Listeners, type WireConnection, type WireSendOptions } from './connection.js';
import { type HttpAnswer, PlainHttpClient } from './http-call.js';
import { parseJson, type RecordedEntry, type Recorder } from './recorder.js';
import { type RawSseEvent, SseEventReader } from './sse-events.js';

export interface HttpConnectionOptions {
  readonly url: URL;
  /** Sent with every request: credentials of the user, for example. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface FetchOptions {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly url?: URL;
  readonly hostile?: boolean;
  /** How long the status may take. Default: the time-out of the connection. */
  readonly timeoutMs?: number | undefined;
  /** The answer is a document, not a message. Default: whatever is not at the endpoint. */
  readonly apart?: boolean;
}

/** An event with the stream that it came on. */
export interface StreamedEvent extends RawSseEvent {
  readonly stream: number;
  readonly at: number;
}

/** A server may answer without end; the longest answer that is judged. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_STREAM_BYTES = 24 * 1024 * 1024;

export const JSON_TYPE = 'application/json';
export const SSE_TYPE = 'text/event-stream';
const BOTH_TYPES = `${JSON_TYPE}, ${SSE_TYPE}`;

export class HttpConnection implements WireConnection {
  readonly kind = 'http';
  readonly number: number;
  readonly url: URL;
  readonly events: StreamedEvent[] = [];
  /** Added to every request: the session and the version once they are known. */
  readonly standing: Record<string, string> = {};
  readonly #options: HttpConnectionOptions;
  readonly #recorder: Recorder;
  readonly #listeners = new Listeners();
  readonly #caller = new PlainHttpClient();
  /** Ends each answer that is still coming. */
  readonly #open = new Set<() => void>();
  /** Streams that were asked to go on after an event, and may bring again what came before. */
  readonly #resumed = new Set<number>();
  readonly ended = false;
  readonly epitaph = '';
  /** The last body (or request line) that was sent before connections were refused. */
  lastAnswered = '';
  /** A connection was refused: nothing listens there any more. */
  refused = false;

  constructor(recorder: Recorder, options: HttpConnectionOptions) {
    this.#recorder = recorder;
    this.#options = options;
    this.url = options.url;
    this.number = recorder.nextConnection();
  }

  send(text: string, options: WireSendOptions = {}): Promise<Delivery> {
    const usual = { accept: BOTH_TYPES, 'content-type': JSON_TYPE };
    const headers = mergeHeaders(usual, this.standing, options.headers ?? {});
    const { hostile = false, timeoutMs } = options;
    return this.fetch({ method: 'POST', headers, body: text, hostile, timeoutMs });
  }

  /** Any request at all; only what is given here is sent, beside the user's own headers. */
  async fetch(request: FetchOptions): Promise<Delivery> {
    const { method, body, hostile = false, timeoutMs = this.#options.timeoutMs } = request;
    const url = request.url ?? this.url;
    const headers = mergeHeaders(this.#options.headers, request.headers ?? {});
    const stream = this.#recorder.nextStream();
    this.#note(
      'sent',
      'http',
      stream,
      `${method} ${url.pathname}${hiddenQuery(url.search)}\n${headerLines(headers)}`,
    );
    if (body !== undefined) this.#note('sent', 'message', stream, body, hostile);
    const call = { url, method, headers, timeoutMs };
    let answer: HttpAnswer;
    try {
      answer = await this.#caller.call(body === undefined ? call : { ...call, body });
    } catch (error) {
      if (isRefusal(error)) this.refused = true;
      else this.lastAnswered = body ?? `${method} ${url.pathname}`;
      throw error;
    }
    this.lastAnswered = body ?? `${method} ${url.pathname}`;
    this.#note('received', 'http', stream, `HTTP ${answer.status}\n${headerLines(answer.headers)}`);
    // A document beside the endpoint is no message of the protocol, whatever it looks like.
    const apart = request.apart ?? url.pathname !== this.url.pathname;
    if (method === 'GET' && resumes(headers)) this.#resumed.add(stream);
    return this.#receive(answer, stream, apart);
  }

  listen(listener: (entry: RecordedEntry) => void): () => void {
    return this.#listeners.add(listener);
  }

  endInput(): void {}

  async close(): Promise<void> {
    for (const abort of this.#open) abort();
    this.#caller.destroy();
  }

  /** Whether nothing listens there now. */
  async isGone(): Promise<boolean> {
    try {
      const call = { url: this.url, method: 'OPTIONS', headers: {}, timeoutMs: this.#options.timeoutMs };
      (await this.#caller.call(call)).abort();
      return false;
    } catch (error) {
      return isRefusal(error);
    }
  }

  #receive(answer: HttpAnswer, stream: number, apart: boolean): Delivery {
    const contentType = (answer.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
    const received = new BodyBytes();
    const body = (): string => decodeUtf8(received.bytes());
    const sse = contentType === SSE_TYPE;
    const reader = new SseEventReader((event) => this.#event(event, stream));
    let streamed = 0;
    let abandoned = false;
    const abort = (): void => {
      abandoned = true;
      answer.abort();
    };
    this.#open.add(abort);
    answer.message.on('data', (chunk: Buffer) => {
      streamed += chunk.length;
      if (sse && streamed > MAX_STREAM_BYTES) answer.abort();
      else if (sse) reader.push(chunk);
      else if (received.length + chunk.length <= MAX_BODY_BYTES) received.add(chunk);
      // What comes before the cut is judged, and is no JSON.
      else answer.abort();
    });
    const ended = new Promise<void>((resolve) => {
      answer.message.on('close', () => {
        this.#open.delete(abort);
        // What we did not wait for says nothing: half of it is no JSON.
        if (!sse && !apart && (!abandoned || answer.message.complete))
          this.#body(body(), stream, contentType);
        this.#tell('end', stream, '');
        resolve();
      });
    });
    const { status, headers } = answer;
    return { status, headers, contentType, stream, body, ended, abort };
  }

  #body(text: string, stream: number, contentType: string): void {
    if (text === '') return;
    const value = contentType === JSON_TYPE ? parseJson(text) : undefined;
    // A batch may be answered with one array: each member is a message of its own.
    if (Array.isArray(value)) {
      for (const item of value) this.#tell('message', stream, JSON.stringify(item), item);
    } else {
      this.#tell(value === undefined ? 'noise' : 'message', stream, text, value);
    }
  }

  #event(event: RawSseEvent, stream: number): void {
    const replayed = this.#resumed.has(stream) && isReplay(this.events, event, stream);
    this.events.push({ ...event, stream, at: this.#recorder.now() });
    // The old transport names its endpoint in an event of its own, which is no message.
    if (event.data === undefined || event.data === '' || event.event === 'endpoint') return;
    const value = parseJson(event.data);
    for (const item of Array.isArray(value) ? value : [value]) {
      this.#tell(item === undefined ? 'noise' : 'message', stream, event.data, item, replayed);
    }
  }

  #tell(kind: RecordedEntry['kind'], stream: number, text: string, value?: unknown, replayed = false): void {
    const entry = { connection: this.number, direction: 'received', kind, stream, text, value } as const;
    this.#listeners.tell(this.#recorder.add(replayed ? { ...entry, replayed } : entry));
  }

  #note(
    direction: RecordedEntry['direction'],
    kind: RecordedEntry['kind'],
    stream: number,
    text: string,
    hostile = false,
  ): void {
    const value = kind === 'message' ? parseJson(text) : undefined;
    this.#recorder.add({ connection: this.number, direction, kind, stream, text, value, hostile });
  }
}

function headerLines(headers: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(headers)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${hidden(name, value)}`]))
    .join('\n');
}

/** Names of headers are compared without case; the later value wins, and undefined takes a header out. */
function mergeHeaders(
  ...all: readonly Readonly<Record<string, string | undefined>>[]
): Record<string, string | undefined> {
  const merged = new Map<string, [string, string | undefined]>();
  for (const [name, value] of all.flatMap(Object.entries)) merged.set(name.toLowerCase(), [name, value]);
  return Object.fromEntries(merged.values());
}

function resumes(headers: Readonly<Record<string, string | undefined>>): boolean {
  return Object.entries(headers).some(
    ([name, value]) => name.toLowerCase() === 'last-event-id' && value !== undefined,
  );
}

/**
 * Whether an event of a resumed stream came before on another one. Servers keep the event id or give a new one, so the
 * text decides; each stream brings an event again at most as often as another has brought it.
 */
function isReplay(before: readonly StreamedEvent[], { data }: RawSseEvent, stream: number): boolean {
  const times = new Map<number, number>();
  for (const event of before)
    if (event.data === data) times.set(event.stream, (times.get(event.stream) ?? 0) + 1);
  const here = times.get(stream) ?? 0;
  return [...times].some(([other, count]) => other !== stream && count > here);
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}

function hiddenQuery(search: string): string {
  return search.replace(/((?:access_)?token=)[^&]+/g, '$1(hidden)');
}

/** Reports are shared; credentials are not. */
function hidden(name: string, value: string): string {
  return /^(authorization|cookie|set-cookie)$/i.test(name) ? value.replace(/\S{4,}$/, '(hidden)') : value;
}
