/** A connection over lines: a child process, or anything that a program under test can be given as. */

import { type Delivery, Listeners, type WireConnection, type WireSendOptions } from './connection.js';
import { parseJson, type RecordedEntry, type Recorder } from './recorder.js';

/** Both ends of a byte pipe, seen from ours. */
export interface LinePipe {
  /** Writes the bytes as they are; the caller adds the newline. */
  write(data: string | Uint8Array): Promise<void>;
  endInput(): void;
  /** Asks the server to stop, as its host would; absent where that is not possible. */
  terminate?(): void;
  /** Stops reading, so that a server that writes without end is held up by its pipe. */
  pause?(): void;
  close(): Promise<void>;
}

export interface PipeEvents {
  line(text: string): void;
  /** Bytes arrived, whether or not they end a line. */
  bytes?(count: number): void;
  /** A line that the program wrote beside its messages. */
  stderr(text: string): void;
  ended(epitaph: string): void;
}

export type OpenPipe = (events: PipeEvents) => Promise<LinePipe>;

export async function openLineConnection(recorder: Recorder, open: OpenPipe): Promise<LineConnection> {
  const connection = new LineConnection(recorder);
  connection.attach(await open(connection.events));
  return connection;
}

/** Enough for a stack trace and its causes; a program that writes more is cut off. */
const MAX_STDERR_CHARACTERS = 64 * 1024;
/** More than this between two messages of ours is output without end. */
const MAX_UNASKED_BYTES = 24 * 1024 * 1024;
const MAX_UNASKED_LINES = 20_000;

const SUBSCRIBES = /"method":"(subscriptions\/listen|resources\/subscribe)"/;

export const FLOODED = 'the server writes to stdout without end';

export class LineConnection implements WireConnection {
  readonly kind = 'stdio';
  readonly number: number;
  readonly #recorder: Recorder;
  readonly #listeners = new Listeners();
  #pipe: LinePipe | undefined;
  #epitaph: string | undefined;
  #stderr = '';
  #printed = 0;
  #leaving = false;
  #subscribed = false;
  #lastSent = '';
  #bytes = 0;
  #lines = 0;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
    this.number = recorder.nextConnection();
  }

  get ended(): boolean {
    return this.#epitaph !== undefined;
  }

  get epitaph(): string {
    return this.#epitaph ?? '';
  }

  /** It ended, and nobody asked it to. */
  get crashed(): boolean {
    return this.#epitaph !== undefined && !this.#leaving;
  }

  /** Something was asked for that goes on. */
  get subscribed(): boolean {
    return this.#subscribed;
  }

  /** The last text that was sent. */
  get lastSent(): string {
    return this.#lastSent;
  }

  /** What the program has written to stderr so far, up to a limit. */
  get stderr(): string {
    return this.#stderr;
  }

  /** How many characters the program has written to stderr, kept or not. */
  get printed(): number {
    return this.#printed;
  }

  readonly events: PipeEvents = {
    line: (text) => this.#received(text),
    bytes: (count) => {
      this.#bytes += count;
      if (this.#bytes > MAX_UNASKED_BYTES) this.#flooded();
    },
    stderr: (text) => {
      this.#printed += text.length;
      if (this.#stderr.length < MAX_STDERR_CHARACTERS) this.#stderr += `${text}\n`;
    },
    ended: (epitaph) => this.#end(epitaph),
  };

  attach(pipe: LinePipe): void {
    this.#pipe = pipe;
  }

  async send(text: string, options: WireSendOptions = {}): Promise<Delivery | undefined> {
    this.#note(text, options);
    this.#bytes = 0;
    this.#lines = 0;
    await this.#pipe?.write(`${text}\n`);
    return undefined;
  }

  /** Bytes without a newline of our own, for tests of framing. The record gets the text with the first of them. */
  async sendBytes(bytes: Uint8Array, text?: string): Promise<void> {
    if (text !== undefined) this.#note(text, { hostile: true });
    await this.#pipe?.write(bytes);
  }

  listen(listener: (entry: RecordedEntry) => void): () => void {
    return this.#listeners.add(listener);
  }

  endInput(): void {
    this.#leaving ||= !this.ended;
    this.#pipe?.endInput();
  }

  /** False where the server cannot be asked. */
  terminate(): boolean {
    if (this.#pipe?.terminate === undefined) return false;
    this.#leaving ||= !this.ended;
    this.#pipe.terminate();
    return true;
  }

  async close(): Promise<void> {
    this.#leaving ||= !this.ended;
    await this.#pipe?.close();
  }

  #flooded(): void {
    if (this.ended) return;
    this.#pipe?.pause?.();
    this.#end(FLOODED);
    void this.#pipe?.close();
  }

  #note(text: string, { hostile = false }: WireSendOptions): void {
    this.#lastSent = text;
    this.#subscribed ||= SUBSCRIBES.test(text);
    this.#recorder.add({
      connection: this.number,
      direction: 'sent',
      kind: 'message',
      text,
      value: parseJson(text),
      hostile,
    });
  }

  #received(text: string): void {
    if (this.ended && this.#epitaph === FLOODED) return;
    this.#lines += 1;
    if (this.#lines > MAX_UNASKED_LINES) {
      this.#flooded();
      return;
    }
    // A byte order mark is a finding, and no reason to lose the message behind it.
    const value = parseJson(text.replace(/^\ufeff/, ''));
    const kind = value === undefined ? 'noise' : 'message';
    this.#tell({ connection: this.number, direction: 'received', kind, text, value });
  }

  #end(epitaph: string): void {
    if (this.#epitaph !== undefined) return;
    this.#epitaph = epitaph;
    this.#tell({ connection: this.number, direction: 'received', kind: 'end', text: epitaph });
  }

  #tell(entry: Omit<RecordedEntry, 'at'>): void {
    this.#listeners.tell(this.#recorder.add(entry));
  }
}
