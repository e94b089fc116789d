/** Everything that was sent and received, in order: the evidence behind every finding. */

export interface RecordedEntry {
  /** Milliseconds since the recorder was made. */
  readonly at: number;
  /** Counts the connections of a run, from 1. */
  readonly connection: number;
  readonly direction: 'sent' | 'received';
  /** `noise` is output that is no JSON; `http` is a request line or a status with headers. */
  readonly kind: 'message' | 'noise' | 'http' | 'end';
  /** Over HTTP: which response body it belongs to. */
  readonly stream?: number;
  readonly text: string;
  /** The parsed JSON of a message. */
  readonly value?: unknown;
  /** Sent in order to be refused: rules for well-behaved senders do not apply. */
  readonly hostile?: boolean;
  /** Came before, and comes again because a stream was resumed: the same message, not another. */
  readonly replayed?: boolean;
}

export type NewEntry = Omit<RecordedEntry, 'at'>;

/** Long enough for any evidence, short enough for a run of a thousand exchanges. */
const MAX_TEXT = 64 * 1024;
/** What a whole run may keep; past it only the beginning of each text is kept. */
const MAX_TOTAL = 32 * 1024 * 1024;
const MAX_LATE_TEXT = 200;

export class Recorder {
  readonly #entries: RecordedEntry[] = [];
  readonly #started = performance.now();
  readonly #onEntry: ((entry: RecordedEntry) => void) | undefined;
  #connections = 0;
  #streams = 0;
  #total = 0;

  constructor(onEntry?: (entry: RecordedEntry) => void) {
    this.#onEntry = onEntry;
  }

  get entries(): readonly RecordedEntry[] {
    return this.#entries;
  }

  now(): number {
    return Math.round((performance.now() - this.#started) * 10) / 10;
  }

  nextConnection(): number {
    this.#connections += 1;
    return this.#connections;
  }

  nextStream(): number {
    this.#streams += 1;
    return this.#streams;
  }

  add(entry: NewEntry): RecordedEntry {
    const limit = this.#total > MAX_TOTAL ? MAX_LATE_TEXT : MAX_TEXT;
    const text = entry.text.length > limit ? `${entry.text.slice(0, limit)}...` : entry.text;
    const recorded = { ...entry, text, at: this.now() };
    // A large value weighs at least as much as its text.
    this.#total += entry.text.length > limit ? entry.text.length : text.length;
    const kept = this.#total > MAX_TOTAL ? withoutValue(recorded) : recorded;
    this.#entries.push(kept);
    this.#onEntry?.(kept);
    return recorded;
  }

  of(connection: number): readonly RecordedEntry[] {
    return this.#entries.filter((entry) => entry.connection === connection);
  }
}

function withoutValue({ value: _, ...entry }: RecordedEntry): RecordedEntry {
  return entry;
}

/** The JSON value of a text, or undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
