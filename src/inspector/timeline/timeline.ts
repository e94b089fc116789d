/**
 * Every message, in the order of its recording, bounded in number and in memory: the oldest go first. A message is known
 * by its `seq`, which is never used again. Whatever finds messages otherwise forgets those that go: a message that is
 * referred to from elsewhere would be kept without being counted.
 */

import type { MessageFilter, MessageProblem, TimelinePage, TimelineQuery, TimelineTotals } from '../api.js';
import { ExchangeRows } from './exchange-rows.js';
import { changesWithAnswers, type Predicate, predicateOf } from './filter.js';
import { FilterIndex, lowerBound } from './filter-index.js';
import { type NewMessage, plainRow, rowOf, type StoredExchange, type StoredMessage } from './stored.js';
import { exchangeBytes, INDEXED_BYTES, keptText, messageBytes } from './weight.js';

export interface TimelineLimits {
  readonly maxMessages: number;
  /** What all messages take in memory, with their HTTP exchanges. */
  readonly maxBytes: number;
  /** Of one text; the rest is cut off. */
  readonly maxTextCharacters: number;
}

export const DEFAULT_TIMELINE_LIMITS: TimelineLimits = {
  maxMessages: 200_000,
  maxBytes: 256 * 1024 * 1024,
  maxTextCharacters: 1024 * 1024,
};

const MAX_PAGE = 1_000;
/** Pages of one screen use one or two filters at a time. */
const MAX_INDEXES = 6;

export interface TimelineListener {
  /** A message was recorded, with all that is known of it at once. */
  recorded?(message: StoredMessage): void;
  /** A message is new, or has changed. */
  touched(message: StoredMessage): void;
  /** Everything may be different: it was cleared, or recording was switched. */
  changed(): void;
}

interface Kept {
  readonly message: StoredMessage;
  bytes: number;
  /** The exchange that is counted for it. */
  exchange?: StoredExchange;
  dropped?: () => void;
}

/** Messages that came in one exchange share it; it is counted once. */
interface CountedExchange {
  messages: number;
  bytes: number;
}

export class Timeline {
  readonly #limits: TimelineLimits;
  readonly #listener: TimelineListener;
  #kept: (Kept | undefined)[] = [];
  readonly #exchanges = new Map<StoredExchange, CountedExchange>();
  /** How many at the front of the array are gone. */
  #start = 0;
  #nextSeq = 1;
  #bytes = 0;
  #dropped = 0;
  #recording = true;
  readonly #indexes = new Map<string, FilterIndex>();
  readonly #exchangeRows = new Map<string, ExchangeRows>();

  constructor(listener: TimelineListener, limits: TimelineLimits = DEFAULT_TIMELINE_LIMITS) {
    this.#listener = listener;
    this.#limits = limits;
  }

  get recording(): boolean {
    return this.#recording;
  }

  set recording(recording: boolean) {
    this.#recording = recording;
    this.#listener.changed();
  }

  get #size(): number {
    return this.#kept.length - this.#start;
  }

  get #first(): number {
    return this.#nextSeq - this.#size;
  }

  add(message: NewMessage): StoredMessage {
    const seq = this.#nextSeq;
    const { maxTextCharacters } = this.#limits;
    const stored: StoredMessage = {
      ...message,
      seq,
      group: message.group ?? seq,
      bytes: Buffer.byteLength(message.text),
      text: keptText(message.text, maxTextCharacters),
      truncated: message.text.length > maxTextCharacters,
    };
    const kept: Kept = { message: stored, bytes: messageBytes(stored) };
    this.#nextSeq += 1;
    this.#kept.push(kept);
    this.#bytes += kept.bytes;
    this.#count(kept);
    this.#join(stored);
    this.#listener.recorded?.(stored);
    this.#evict();
    this.#listener.touched(stored);
    return stored;
  }

  /** What belongs to a call is counted there, so that its row can say so. */
  #join({ seq, group, kind, hop, upstream }: StoredMessage): void {
    const call = group === seq ? undefined : this.get(group);
    if (call === undefined || kind === 'result' || kind === 'error') return;
    call.parts = (call.parts ?? 0) + 1;
    if (hop === 'upstream' && kind === 'request' && upstream !== undefined) {
      const known = call.upstreams ?? [];
      if (!known.includes(upstream)) call.upstreams = [...known, upstream];
    }
    this.#rowChanged(call.seq);
  }

  #rowChanged(seq: number): void {
    for (const rows of this.#exchangeRows.values()) rows.changed(seq);
  }

  /** The answer to a request has come. */
  pair(request: StoredMessage, answer: StoredMessage): void {
    request.pair = answer.seq;
    answer.pair = request.seq;
    const durationMs = Math.max(0, answer.at - request.at);
    request.durationMs = durationMs;
    answer.durationMs = durationMs;
    // One that was given up stays so, also when its answer comes all the same.
    if (request.status !== 'cancelled') request.status = answer.failed ? 'error' : 'ok';
    for (const index of this.#indexes.values()) index.answered();
    this.#rowChanged(request.seq);
    this.#listener.touched(request);
    this.#listener.touched(answer);
  }

  /** A request will not be answered. */
  ended(request: StoredMessage, status: 'cancelled' | 'lost'): void {
    request.status = status;
    if (status === 'lost') request.failed = true;
    for (const index of this.#indexes.values()) index.answered();
    this.#rowChanged(request.seq);
    this.#listener.touched(request);
  }

  /** A message breaks rules of its schema. Returns the request that fails by that, where none had failed before. */
  broke(seq: number, problems: readonly MessageProblem[]): StoredMessage | undefined {
    const message = this.get(seq);
    if (message === undefined) return undefined;
    const isAnswer = message.kind === 'result' && message.pair !== undefined;
    const request = message.kind === 'request' ? message : isAnswer ? this.get(message.pair ?? 0) : undefined;
    const failsNow = request !== undefined && !request.failed && request.status !== 'error';
    message.problems = problems;
    message.failed = true;
    if (isAnswer && request?.status === 'ok') request.status = 'error';
    for (const index of this.#indexes.values()) index.answered();
    for (const each of [message, request]) {
      if (each === undefined) continue;
      this.#rowChanged(each.seq);
      this.#listener.touched(each);
    }
    return failsNow ? request : undefined;
  }

  /** Something else about it has changed, such as its HTTP exchange. Nothing happens when it is gone. */
  touched(seq: number): void {
    const kept = this.#at(seq);
    if (kept === undefined) return;
    this.#count(kept);
    this.#rowChanged(seq);
    this.#evict();
    this.#listener.touched(kept.message);
  }

  /** The message is found by an index too, which is counted, and has to forget it when it goes for newer ones. */
  indexed({ seq }: StoredMessage, dropped: () => void): void {
    const kept = this.#at(seq);
    if (kept === undefined) {
      dropped();
      return;
    }
    kept.dropped = dropped;
    kept.bytes += INDEXED_BYTES;
    this.#bytes += INDEXED_BYTES;
    this.#evict();
  }

  get(seq: number): StoredMessage | undefined {
    return this.#at(seq)?.message;
  }

  query({ filter, offset, limit, rows = 'messages' }: TimelineQuery): TimelinePage {
    const count = Math.max(0, Math.min(limit, MAX_PAGE));
    const from = Math.max(0, offset);
    if (rows === 'exchanges') {
      const seqs = this.#rowsOf(filter).upTo(this.#first, this.#nextSeq, this.#find);
      const messages = seqs.slice(from, from + count).flatMap((seq) => {
        const message = this.get(seq);
        if (message === undefined) return [];
        const { kind, pair } = message;
        return [rowOf(message, kind === 'request' && pair !== undefined ? this.get(pair) : undefined)];
      });
      return { total: seqs.length, offset: from, messages };
    }
    const predicate = predicateOf(filter);
    if (filter === undefined || predicate === undefined) {
      const begin = this.#start + from;
      const kept = this.#kept.slice(begin, begin + count);
      const messages = kept.flatMap((entry) => (entry === undefined ? [] : [plainRow(entry.message)]));
      return { total: this.#size, offset: from, messages };
    }
    const matching = this.#matching(filter, predicate);
    const messages = matching.slice(from, from + count).flatMap((seq) => {
      const message = this.get(seq);
      return message === undefined ? [] : [plainRow(message)];
    });
    return { total: matching.length, offset: from, messages };
  }

  /** The position of a message among those that match; of the next one where it does not match itself. */
  locate(
    filter: MessageFilter | undefined,
    seq: number,
    rows: TimelineQuery['rows'] = 'messages',
  ): number | null {
    if (this.get(seq) === undefined) return null;
    if (rows === 'exchanges') {
      const found = this.#rowsOf(filter);
      found.upTo(this.#first, this.#nextSeq, this.#find);
      return found.locate(seq, this.#find);
    }
    const predicate = predicateOf(filter);
    if (filter === undefined || predicate === undefined) return seq - this.#first;
    const matching = this.#matching(filter, predicate);
    const position = lowerBound(matching, seq);
    return position < matching.length ? position : null;
  }

  *select(filter: MessageFilter | undefined): Generator<StoredMessage> {
    const predicate = predicateOf(filter);
    for (let index = this.#start; index < this.#kept.length; index += 1) {
      const message = this.#kept[index]?.message;
      if (message !== undefined && (predicate === undefined || predicate(message))) yield message;
    }
  }

  totals(): TimelineTotals {
    const { maxMessages, maxBytes } = this.#limits;
    const messages = this.#size;
    return {
      messages,
      bytes: this.#bytes,
      first: messages === 0 ? 0 : this.#first,
      last: messages === 0 ? 0 : this.#nextSeq - 1,
      dropped: this.#dropped,
      maxMessages,
      maxBytes,
      recording: this.#recording,
    };
  }

  clear(): void {
    this.#kept = [];
    this.#exchanges.clear();
    this.#start = 0;
    this.#bytes = 0;
    this.#dropped = 0;
    this.#indexes.clear();
    this.#exchangeRows.clear();
    this.#listener.changed();
  }

  #at(seq: number): Kept | undefined {
    const first = this.#first;
    return seq < first ? undefined : this.#kept[this.#start + seq - first];
  }

  #evict(): void {
    const { maxMessages, maxBytes } = this.#limits;
    while (this.#size > 1 && (this.#size > maxMessages || this.#bytes > maxBytes)) {
      const kept = this.#kept[this.#start];
      this.#kept[this.#start] = undefined;
      this.#start += 1;
      this.#dropped += 1;
      if (kept !== undefined) this.#drop(kept);
    }
    // Moving the rest to the front now and then keeps the work for each message constant.
    if (this.#start <= 1_024 || this.#start <= this.#kept.length / 2) return;
    this.#kept = this.#kept.slice(this.#start);
    this.#start = 0;
  }

  #drop(kept: Kept): void {
    this.#bytes -= kept.bytes;
    this.#release(kept);
    kept.dropped?.();
  }

  /**
   * An exchange belongs to a message later than the message is recorded, grows by the headers of the answer, and gives
   * way to another when the request is sent again.
   */
  #count(kept: Kept): void {
    const { exchange } = kept.message;
    if (exchange === undefined) return;
    const counted = this.#exchanges.get(exchange) ?? { messages: 0, bytes: 0 };
    if (kept.exchange !== exchange) {
      this.#release(kept);
      kept.exchange = exchange;
      counted.messages += 1;
      this.#exchanges.set(exchange, counted);
    }
    const bytes = exchangeBytes(exchange);
    this.#bytes += bytes - counted.bytes;
    counted.bytes = bytes;
  }

  #release({ exchange }: Kept): void {
    const counted = exchange === undefined ? undefined : this.#exchanges.get(exchange);
    if (exchange === undefined || counted === undefined) return;
    counted.messages -= 1;
    if (counted.messages > 0) return;
    this.#exchanges.delete(exchange);
    this.#bytes -= counted.bytes;
  }

  readonly #find = (seq: number): StoredMessage | undefined => this.get(seq);

  #rowsOf(filter: MessageFilter | undefined): ExchangeRows {
    const key = JSON.stringify(filter ?? {});
    const rows = this.#exchangeRows.get(key) ?? new ExchangeRows(predicateOf(filter));
    this.#exchangeRows.delete(key);
    this.#exchangeRows.set(key, rows);
    const [oldest] = this.#exchangeRows.keys();
    if (this.#exchangeRows.size > MAX_INDEXES && oldest !== undefined) this.#exchangeRows.delete(oldest);
    return rows;
  }

  #matching(filter: MessageFilter, predicate: Predicate): readonly number[] {
    const key = JSON.stringify(filter);
    const known = this.#indexes.get(key);
    const index = known ?? new FilterIndex(predicate, changesWithAnswers(filter));
    this.#indexes.delete(key);
    this.#indexes.set(key, index);
    const [oldest] = this.#indexes.keys();
    if (this.#indexes.size > MAX_INDEXES && oldest !== undefined) this.#indexes.delete(oldest);
    return index.upTo(this.#first, this.#nextSeq, (seq) => this.get(seq));
  }
}
