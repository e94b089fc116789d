/** One HTTP answer while it arrives: status and headers at once, then text and events as they come. */

import { EventParser, messageOf, type SentEvent } from './sse-events.js';
import { jsonRpcFault, type WireMessage } from './wire-peer.js';

type Predicate = (event: SentEvent) => boolean;

/** `end`: properly ended. `cut`: the connection was lost first. */
export type Ending = 'end' | 'cut';

export class HttpAnswer {
  readonly status: number;
  /** Every event that came, in order. */
  readonly events: SentEvent[] = [];
  readonly ending: Promise<Ending>;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #drop: () => void;
  readonly #parser = new EventParser();
  readonly #waiting = new Set<{
    predicate: Predicate;
    resolve(event: SentEvent): void;
    reject(error: Error): void;
  }>();
  #text = '';
  #read = 0;
  #ended: Ending | undefined;
  #settle: (ending: Ending) => void = () => {};

  /** `drop` makes the client go away. */
  constructor(status: number, headers: Readonly<Record<string, string>>, drop: () => void) {
    this.status = status;
    this.#headers = headers;
    this.#drop = drop;
    this.ending = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  header(name: string): string | undefined {
    return this.#headers[name.toLowerCase()];
  }

  get headerNames(): string[] {
    return Object.keys(this.#headers);
  }

  get isStream(): boolean {
    return this.header('content-type') === 'text/event-stream';
  }

  /** The whole body. */
  async text(): Promise<string> {
    const ending = await this.ending;
    if (ending === 'cut') throw new Error(`The answer was cut off after ${this.#text.length} characters`);
    return this.#text;
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  /** Every message of the answer, whichever form it has; waits for its end. */
  async messages(): Promise<WireMessage[]> {
    const text = await this.text();
    const value: unknown = this.isStream ? this.received : JSON.parse(text);
    const fault = Array.isArray(value) && value.length === 0 ? undefined : jsonRpcFault(value);
    if (fault !== undefined) throw new Error(`The server answered with ${fault}: ${text.slice(0, 200)}`);
    return (Array.isArray(value) ? value : [value]) as WireMessage[];
  }

  /** The one response in the answer. */
  async response(): Promise<WireMessage> {
    const responses = (await this.messages()).filter((message) => message.method === undefined);
    if (responses.length !== 1) throw new Error(`${responses.length} responses instead of one`);
    return responses[0] as WireMessage;
  }

  async result(): Promise<NonNullable<WireMessage['result']>> {
    const { result, error } = await this.response();
    if (result === undefined) throw new Error(`Refused: ${JSON.stringify(error)}`);
    return result;
  }

  async error(): Promise<NonNullable<WireMessage['error']>> {
    const { result, error } = await this.response();
    if (error === undefined) throw new Error(`Not refused: ${JSON.stringify(result)}`);
    return error;
  }

  /** Messages of the events so far. */
  get received(): WireMessage[] {
    return this.events.map(messageOf).filter((message) => message !== undefined);
  }

  /** The next event that fits, from where the last one was taken. */
  event(predicate: Predicate = () => true): Promise<SentEvent> {
    for (; this.#read < this.events.length; ) {
      const event = this.events[this.#read++] as SentEvent;
      if (predicate(event)) return Promise.resolve(event);
    }
    if (this.#ended !== undefined) return Promise.reject(new Error(`The stream is over (${this.#ended})`));
    return new Promise((resolve, reject) => this.#waiting.add({ predicate, resolve, reject }));
  }

  /** The next message on the stream, or the next one with this method. */
  async message(method?: string): Promise<WireMessage> {
    const event = await this.event((candidate) => {
      const message = messageOf(candidate);
      return message !== undefined && (method === undefined || message.method === method);
    });
    return messageOf(event) as WireMessage;
  }

  drop(): void {
    this.#drop();
  }

  // The adapter's side.

  push(text: string): void {
    this.#text += text;
    if (!this.isStream) return;
    for (const event of this.#parser.push(text)) {
      this.events.push(event);
      for (const waiter of this.#waiting) {
        this.#read = this.events.length;
        if (!waiter.predicate(event)) continue;
        this.#waiting.delete(waiter);
        waiter.resolve(event);
        break;
      }
    }
  }

  finish(ending: Ending): void {
    if (this.#ended !== undefined) return;
    this.#ended = ending;
    for (const waiter of this.#waiting) waiter.reject(new Error(`The stream is over (${ending})`));
    this.#waiting.clear();
    this.#settle(ending);
  }
}
