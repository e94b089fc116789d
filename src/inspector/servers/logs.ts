/** The newest log messages of all servers, and what their programs wrote to stderr. */

import type { LogLevel, LogMessageParams } from '../../protocol/model/logging.js';
import { maskText } from '../../protocol/secrets.js';
import { weigh } from '../../store/budget.js';
import type { LogEntry, ServerId } from '../api.js';
import { type EventSink, Throttle } from '../events.js';
import { keptField, keptText } from '../timeline/weight.js';

const MAX_ENTRIES = 5_000;
/** A page that opens gets this many. */
const MAX_SHOWN = 1_000;
/** Entries that wait to be sent; a flood is not sent in full. */
const MAX_PENDING = 1_000;
const TELL_MS = 50;
const MAX_TEXT = 16 * 1024;
/** What all entries take in memory. */
const MAX_BYTES = 32 * 1024 * 1024;
/** An entry without its data. */
const ENTRY_BYTES = 256;

export class LogBook {
  readonly #emit: EventSink;
  readonly #tell: Throttle;
  #entries: LogEntry[] = [];
  #bytes = 0;
  /** The last one that pages know. */
  #told = 0;
  #last = 0;

  constructor(emit: EventSink) {
    this.#emit = emit;
    this.#tell = new Throttle(TELL_MS, () => this.#flush());
  }

  newest(): readonly LogEntry[] {
    return this.#entries.slice(-MAX_SHOWN);
  }

  message(server: ServerId, { level, logger, data }: LogMessageParams): void {
    this.#add({
      server,
      source: 'log',
      level,
      ...(logger === undefined ? {} : { logger: keptField(logger) }),
      data: tidy(data),
    });
  }

  stderr(server: ServerId, line: string): void {
    this.#add({ server, source: 'stderr', level: 'info', data: tidy(line) });
  }

  stop(): void {
    this.#tell.stop();
  }

  #add(entry: Omit<LogEntry, 'seq' | 'at'> & { readonly level: LogLevel }): void {
    this.#last += 1;
    const whole: LogEntry = { ...entry, seq: this.#last, at: Date.now() };
    this.#entries.push(whole);
    this.#bytes += bytesOf(whole);
    if (this.#entries.length > MAX_ENTRIES * 2 || this.#bytes > MAX_BYTES) this.#shorten();
    this.#tell.request();
  }

  /** Half of them at a time keeps the work for each entry constant. */
  #shorten(): void {
    let kept = this.#entries.length;
    let bytes = 0;
    while (kept > 0 && this.#entries.length - kept < MAX_ENTRIES) {
      const next = bytesOf(this.#entries[kept - 1]);
      if (bytes + next > MAX_BYTES / 2) break;
      bytes += next;
      kept -= 1;
    }
    this.#entries = this.#entries.slice(kept);
    this.#bytes = bytes;
  }

  #flush(): void {
    const entries = this.#entries.slice(-MAX_PENDING).filter(({ seq }) => seq > this.#told);
    this.#told = this.#last;
    this.#emit({ type: 'logs', entries });
  }
}

/** Secrets masked, and not longer than anybody reads. */
function tidy(data: unknown): unknown {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
  const { text: clean, masked } = maskText(text);
  if (typeof data === 'string' || text.length > MAX_TEXT) return keptText(clean, MAX_TEXT);
  return masked ? parsed(clean) : data;
}

function bytesOf(entry: LogEntry | undefined): number {
  return entry === undefined ? 0 : ENTRY_BYTES + weigh(entry.data) + weigh(entry.logger);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
