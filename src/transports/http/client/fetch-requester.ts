/** Outgoing HTTP over `fetch`, for runtimes that have nothing else and for users who bring their own. */

import { decodeUtf8 } from '../../../framing/line-buffer.js';
import { BodyBytes } from '../body-bytes.js';
import {
  type Fetch,
  type HttpCall,
  type HttpCallEvents,
  type HttpCallHandle,
  type HttpHead,
  type HttpRequester,
  networkError,
  tooLarge,
} from './requester.js';

export function createFetchRequester(fetch: Fetch, maxBodyBytes: number): HttpRequester {
  const open = new Set<FetchHandle>();
  return {
    usualHeaders: [],
    request(call, events) {
      const handle = new FetchHandle(call, events, maxBodyBytes);
      open.add(handle);
      void handle.run(fetch).finally(() => open.delete(handle));
      return handle;
    },
    close() {
      for (const handle of open) handle.abort();
    },
  };
}

class FetchHandle implements HttpCallHandle {
  readonly #call: HttpCall;
  readonly #events: HttpCallEvents;
  readonly #maxBodyBytes: number;
  readonly #controller = new AbortController();

  constructor(call: HttpCall, events: HttpCallEvents, maxBodyBytes: number) {
    this.#call = call;
    this.#events = events;
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** `fetch` does not say when it begins to send. */
  readonly hasLeft = true;

  abort(): void {
    this.#controller.abort();
  }

  get #over(): boolean {
    return this.#controller.signal.aborted;
  }

  async run(fetch: Fetch): Promise<void> {
    const { method, url, headers, body } = this.#call;
    let finish: () => void;
    try {
      const response = await fetch(url, {
        method,
        headers: pairs(headers),
        signal: this.#controller.signal,
        // Redirects are judged by the caller: the headers of this call are for this origin only.
        redirect: 'manual',
        ...(body === undefined ? {} : { body }),
      });
      if (this.#over) return;
      finish = await this.#read(response);
    } catch (error) {
      finish = () => this.#events.failed(networkError(url, error));
    }
    // Outside the try: what the listener throws is no network failure.
    if (!this.#over) finish();
  }

  async #read(response: Response): Promise<() => void> {
    const head: HttpHead = {
      status: response.status,
      header: (name) => response.headers.get(name) ?? undefined,
      headers: () => [...response.headers].flat(),
    };
    const mode = this.#events.head(head);
    if (mode === 'none') {
      await response.body?.cancel();
      return () => this.#events.end();
    }
    const body = new BodyBytes();
    for await (const chunk of chunksOf(response.body)) {
      if (this.#over) break;
      if (mode === 'chunks') {
        this.#events.chunk(chunk);
        continue;
      }
      if (body.length + chunk.byteLength > this.#maxBodyBytes) {
        return () => this.#events.failed(tooLarge(this.#call.url, this.#maxBodyBytes));
      }
      body.add(chunk);
    }
    if (mode === 'chunks') return () => this.#events.end();
    const text = decodeUtf8(body.take());
    return () => this.#events.text(text);
  }
}

/** Not every runtime lets a stream be iterated directly. Leaving the loop early gives the connection up. */
async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function pairs(flat: readonly string[]): [string, string][] {
  const result: [string, string][] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) {
    result.push([flat[index] ?? '', flat[index + 1] ?? '']);
  }
  return result;
}
