/**
 * Server-sent events, reading side: bytes cut anywhere go in, whole events come out.
 *
 * eventsource-parser reads the fields. It gets whole events with LF line ends only, for two reasons: left to itself it
 * holds a CR at the end of a chunk back (the event would wait for the next one), and it forgets the id of an event
 * without data, which is exactly what a stream to be resumed may open with.
 */

import { createParser, type EventSourceParser } from 'eventsource-parser';

const SAMPLE_CHARACTERS = 200;
const MAX_LATEST_PIECES = 1_024;

export interface SseEvent {
  /** `message` where the server named none. */
  readonly type: string;
  /** May be empty: some events only carry an id. */
  readonly data: string;
}

export interface SseReaderOptions {
  /** Longest event that is kept, in characters. A longer one is skipped, and reading goes on behind it. */
  readonly maxEventLength: number;
  onEvent(event: SseEvent): void;
  /** How long the server wants us to wait before we come back. */
  onRetry(milliseconds: number): void;
  /** An event that was too long has ended: how its data began, and how the event ended. */
  onOversize(sample: string, ending: string): void;
}

export class SseReader {
  readonly #options: SseReaderOptions;
  readonly #parser: EventSourceParser;
  /** Strips a byte order mark, and keeps the first half of a character cut in two. */
  readonly #decoder = new TextDecoder();
  /** The pieces of an event that has not ended. The latest are joined now and then, lest tiny ones pile up. */
  #pending: string[] = [];
  #latest: string[] = [];
  #pendingLength = 0;
  #atLineStart = true;
  #afterReturn = false;
  /** How an event began and, so far, ended that is too long to keep. */
  #skipped: { readonly sample: string; ending: string } | undefined;
  #lastEventId: string | undefined;

  constructor(options: SseReaderOptions) {
    this.#options = options;
    this.#parser = createParser({
      onEvent: ({ event, data }) => {
        // One that came in a single piece has not been measured yet.
        if (data.length > options.maxEventLength) {
          options.onOversize(data.slice(0, SAMPLE_CHARACTERS), data.slice(-SAMPLE_CHARACTERS));
        } else options.onEvent({ type: event || 'message', data });
      },
      onRetry: (milliseconds) => options.onRetry(milliseconds),
    });
  }

  /** Of the last event that arrived whole; resuming behind a torn one would lose it. */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  /** Whether an event is under way that is too long to keep. */
  get isSkipping(): boolean {
    return this.#skipped !== undefined;
  }

  push(chunk: Uint8Array): void {
    this.pushText(this.#decoder.decode(chunk, { stream: true }));
  }

  /** The same for a reader whose stream is text already. */
  pushText(piece: string): void {
    let text = this.#withLineFeeds(piece);
    if (text === '') return;
    // The blank line that ends an event can itself be cut in two.
    const split = this.#atLineStart && text.startsWith('\n');
    this.#atLineStart = text.endsWith('\n');
    const skipped = this.#skipped;
    if (skipped !== undefined) {
      const rest = split ? 1 : text.indexOf('\n\n') + 2;
      const isOver = split || rest !== 1;
      skipped.ending = (skipped.ending + text.slice(0, isOver ? rest : text.length)).slice(
        -SAMPLE_CHARACTERS,
      );
      if (!isOver) return;
      this.#skipped = undefined;
      this.#options.onOversize(skipped.sample, skipped.ending.trimEnd());
      text = text.slice(rest);
    }
    const blank = text.lastIndexOf('\n\n');
    const end = blank === -1 ? (split && text.startsWith('\n') ? 1 : 0) : blank + 2;
    if (end > 0) this.#read(text.slice(0, end));
    if (end < text.length) this.#keep(text.slice(end));
  }

  #read(ending: string): void {
    const events = this.#pendingLength === 0 ? ending : this.#takePending() + ending;
    this.#lastEventId = lastId(events) ?? this.#lastEventId;
    this.#parser.feed(events);
  }

  #keep(piece: string): void {
    this.#latest.push(piece);
    if (this.#latest.length === MAX_LATEST_PIECES) {
      this.#pending.push(this.#latest.join(''));
      this.#latest = [];
    }
    this.#pendingLength += piece.length;
    if (this.#pendingLength <= this.#options.maxEventLength) return;
    const begun = this.#takePending();
    const data = /(?:^|\n)data: ?/.exec(begun);
    const start = data === null ? 0 : data.index + data[0].length;
    this.#skipped = {
      sample: begun.slice(start, start + SAMPLE_CHARACTERS),
      ending: begun.slice(-SAMPLE_CHARACTERS),
    };
  }

  #takePending(): string {
    const text = this.#pending.concat(this.#latest).join('');
    this.#pending = [];
    this.#latest = [];
    this.#pendingLength = 0;
    return text;
  }

  /** CR and CRLF end lines too, and a CRLF can be cut in two. */
  #withLineFeeds(text: string): string {
    if (text === '') return text;
    const rest = this.#afterReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.#afterReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  }
}

/**
 * The value of the last `id` line. Lines are found by LF alone, not by a multi-line pattern: that would take U+2028
 * inside the data for a line end, and let data forge an id.
 */
function lastId(events: string): string | undefined {
  for (let end = events.length; end > 0; ) {
    const feed = events.lastIndexOf('\nid', end - 1);
    const start = feed + 1;
    const line = events.slice(start, events.indexOf('\n', start));
    // A NUL in an id makes it void (HTML, event stream interpretation).
    if (/^id(:|$)/.test(line) && !line.includes('\0')) return line.slice(line.charAt(3) === ' ' ? 4 : 3);
    end = feed;
  }
  return undefined;
}
