/** A raw connection: text goes out as it is given, and everything that comes back is kept with its place. */

import type { RecordedEntry } from './recorder.js';

export type TransportKind = 'stdio' | 'http' | 'sse';

/** What an HTTP request was answered with. Absent where the transport has no answers of its own. */
export interface Delivery {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  /** Which entries of the record came in its body. */
  readonly stream: number;
  /** The body so far, when it is no event stream. */
  body(): string;
  /** Resolves when the body has ended, on either side. */
  readonly ended: Promise<void>;
  /** Drops the connection in the middle. */
  abort(): void;
}

export interface WireSendOptions {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly hostile?: boolean;
  /** Over HTTP: how long the status may take. Default: the time-out of the connection. */
  readonly timeoutMs?: number;
}

export interface WireConnection {
  readonly kind: TransportKind;
  readonly number: number;
  /** True once the peer has gone. */
  readonly ended: boolean;
  /** How it ended, in words; empty while it lasts. */
  readonly epitaph: string;
  /** Resolves when the text has left and, over HTTP, when the status has come. */
  send(text: string, options?: WireSendOptions): Promise<Delivery | undefined>;
  /** Called for every later message (and for the end, with `kind: 'end'`); returns how to stop. */
  listen(listener: (entry: RecordedEntry) => void): () => void;
  /** Ends our side only: the end of input. */
  endInput(): void;
  close(): Promise<void>;
}

/** Bookkeeping that every kind of connection shares. */
export class Listeners {
  readonly #listeners = new Set<(entry: RecordedEntry) => void>();

  add(listener: (entry: RecordedEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(entry: RecordedEntry): void {
    for (const listener of [...this.#listeners]) listener(entry);
  }
}
