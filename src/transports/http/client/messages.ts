/** The messages on a stream of events, over as many connections as it takes to read it to its end. */

import { SseReader } from '../../../framing/sse-reader.js';
import type { HttpHead } from './requester.js';

export interface MessageSink {
  message(text: string): void;
  /** An event that was too long to keep. */
  oversize(sample: string, ending: string): void;
}

export class MessageStream {
  readonly #sink: MessageSink;
  readonly #maxLength: number;
  #reader: SseReader;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;

  constructor(sink: MessageSink, maxLength: number) {
    this.#sink = sink;
    this.#maxLength = maxLength;
    this.#reader = this.#open();
  }

  /** Where to resume; undefined when the server has not made the stream resumable. */
  get lastEventId(): string | undefined {
    const id = this.#reader.lastEventId ?? this.#lastEventId;
    return id === '' ? undefined : id;
  }

  /** How long the server wants us to wait before we resume. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** Whether an event is under way that is too long to keep. */
  get isSkipping(): boolean {
    return this.#reader.isSkipping;
  }

  push(chunk: Uint8Array): void {
    this.#reader.push(chunk);
  }

  /** What follows comes over a new connection; half an event from the old one is void. */
  reconnected(): void {
    this.#lastEventId = this.lastEventId;
    this.#reader = this.#open();
  }

  #open(): SseReader {
    return new SseReader({
      maxEventLength: this.#maxLength,
      onEvent: ({ type, data }) => {
        if (carriesMessage(type, data)) this.#sink.message(data);
      },
      onRetry: (milliseconds) => {
        this.#retryMs = milliseconds;
      },
      onOversize: (sample, ending) => this.#sink.oversize(sample, ending),
    });
  }
}

/**
 * Whether an event holds a message. Servers in the field name events after what is in them (`notification`, `response`,
 * `error`) as often as `message`; an event of another name counts when it holds JSON-RPC. The address of the old
 * transport never does.
 */
export function carriesMessage(type: string, data: string): boolean {
  // Events without data carry an id only; some servers mark the end the way model APIs do.
  if (type === 'message') return data !== '' && data !== '[DONE]';
  return type !== 'endpoint' && /^\s*[[{]/.test(data) && data.includes('"jsonrpc"');
}

export function isEventStream(head: HttpHead): boolean {
  return head.header('content-type')?.trimStart().toLowerCase().startsWith('text/event-stream') === true;
}
