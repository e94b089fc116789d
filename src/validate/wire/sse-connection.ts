/** The HTTP+SSE transport of the first revision: one GET that stays open, and POSTs to the URI that it names. */

import { type Delivery, Listeners, type WireConnection, type WireSendOptions } from './connection.js';
import { HttpConnection, type HttpConnectionOptions, JSON_TYPE, SSE_TYPE } from './http-connection.js';
import type { RecordedEntry, Recorder } from './recorder.js';

export class SseConnection implements WireConnection {
  readonly kind = 'sse';
  readonly http: HttpConnection;
  readonly #listeners = new Listeners();
  #endpoint: URL | undefined;
  #ended = false;

  private constructor(http: HttpConnection) {
    this.http = http;
  }

  /** Rejects when the answer is no event stream, or names no endpoint in time. */
  static async open(
    recorder: Recorder,
    options: HttpConnectionOptions,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<SseConnection> {
    const connection = new SseConnection(new HttpConnection(recorder, options));
    await connection.#connect(options.timeoutMs, headers);
    return connection;
  }

  get number(): number {
    return this.http.number;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get epitaph(): string {
    return this.#ended ? 'the server closed the event stream' : '';
  }

  get endpoint(): URL | undefined {
    return this.#endpoint;
  }

  send(text: string, options: WireSendOptions = {}): Promise<Delivery> {
    const headers = { 'content-type': JSON_TYPE, ...options.headers };
    const hostile = options.hostile ?? false;
    return this.http.fetch({
      method: 'POST',
      url: this.#endpoint ?? this.http.url,
      headers,
      body: text,
      hostile,
    });
  }

  listen(listener: (entry: RecordedEntry) => void): () => void {
    return this.#listeners.add(listener);
  }

  endInput(): void {}

  close(): Promise<void> {
    return this.http.close();
  }

  async #connect(timeoutMs: number, headers: Readonly<Record<string, string>>): Promise<void> {
    const delivery = await this.http.fetch({ method: 'GET', headers: { accept: SSE_TYPE, ...headers } });
    if (delivery.status !== 200 || delivery.contentType !== SSE_TYPE) {
      await this.http.close();
      throw new Error(
        `GET was answered with ${delivery.status} ${delivery.contentType}, not an event stream`,
      );
    }
    void delivery.ended.then(() => {
      this.#ended = true;
    });
    // POST bodies are only acknowledgements: what counts comes on the stream.
    this.http.listen((entry) => {
      if (entry.stream === delivery.stream) this.#listeners.tell(entry);
    });
    const deadline = performance.now() + timeoutMs;
    while (this.#endpoint === undefined && performance.now() < deadline && !this.#ended) {
      const first = this.http.events.find((event) => event.event === 'endpoint');
      if (first?.data !== undefined) this.#endpoint = new URL(first.data, this.http.url);
      else await new Promise((resolve) => setTimeout(resolve, 10));
    }
    if (this.#endpoint === undefined) throw new Error('the event stream named no endpoint');
  }
}
