/**
 * The client's end of HTTP+SSE, the transport of the first revision: one GET stream brings everything that the server
 * says, beginning with the address that messages are posted to. The connection ends with that stream.
 */

import { SseReader } from '../../framing/sse-reader.js';
import { PARSE_ERROR } from '../../jsonrpc/codes.js';
import { decodeText } from '../../jsonrpc/decode.js';
import type { Message } from '../../jsonrpc/message.js';
import { answeredBy } from '../../jsonrpc/truncated.js';
import { rejected, TransportError } from '../errors.js';
import { HttpAttempt } from '../http/client/attempt.js';
import type { Endpoint } from '../http/client/endpoint.js';
import { carriesMessage, isEventStream } from '../http/client/messages.js';
import { describeOutgoing } from '../http/client/outgoing.js';
import { excerptOf, httpError, refusalFailure } from '../http/client/refusal.js';
import type { BodyMode, HttpCallEvents, HttpCallHandle, HttpHead } from '../http/client/requester.js';
import type { CloseReason, Receiver, Transport } from '../transport.js';
import { MessagePost } from './client-post.js';

export interface LegacySseOptions {
  readonly label: string;
  readonly endpoint: Endpoint;
  /** How long the server may take to name the address for messages. */
  readonly openTimeoutMs: number;
  readonly maxEventLength: number;
}

export function openLegacySse(options: LegacySseOptions): Transport {
  return new LegacySseTransport(options);
}

const SAMPLE_CHARACTERS = 200;

class LegacySseTransport implements Transport, HttpCallEvents {
  readonly label: string;
  readonly #options: LegacySseOptions;
  readonly #reader: SseReader;
  readonly #posts = new Set<MessagePost>();
  #receiver: Receiver | undefined;
  #handle: HttpCallHandle | undefined;
  #head: HttpHead | undefined;
  /** Where messages go; known once the server has said so. */
  #target: Endpoint | undefined;
  /** Until the server has received `notifications/initialized`, nothing may overtake that message. */
  #gate: Promise<void> | undefined;
  #opened: ((error?: TransportError) => void) | undefined;
  #ended = false;

  constructor(options: LegacySseOptions) {
    this.#options = options;
    this.label = options.label;
    this.#reader = new SseReader({
      maxEventLength: options.maxEventLength,
      onEvent: ({ type, data }) => {
        if (type === 'endpoint') this.#located(data);
        else if (carriesMessage(type, data)) this.#message(data);
      },
      onRetry: () => {},
      onOversize: (sample, ending) => {
        const answers = answeredBy(sample, ending);
        const message = `${this.label} sent an event of more than ${options.maxEventLength} characters; raise maxBodyBytes`;
        this.#receiver?.fault({
          kind: 'oversize',
          message,
          sample,
          ...(answers === undefined ? {} : { answers }),
        });
      },
    });
  }

  async start(receiver: Receiver): Promise<void> {
    if (this.#handle !== undefined || this.#ended) {
      throw new TransportError(
        'already_started',
        `${this.label} was already started or closed; create a new transport`,
      );
    }
    const { endpoint, openTimeoutMs } = this.#options;
    const opening = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => this.#opened?.(this.#noEndpoint()), openTimeoutMs);
      this.#opened = (error) => {
        this.#opened = undefined;
        clearTimeout(timer);
        if (error === undefined) return resolve();
        this.#ended = true;
        this.#handle?.abort();
        reject(error);
      };
    });
    this.#receiver = receiver;
    this.#handle = HttpAttempt.begin(endpoint, 'GET', ['accept', 'text/event-stream'], undefined, this);
    await opening;
  }

  send(message: Message | string): Promise<void> {
    const target = this.#target;
    if (target === undefined || this.#ended) {
      return rejected(new TransportError('connection_closed', `The connection to ${this.label} is not open`));
    }
    const post = new MessagePost(describeOutgoing(message), this.label);
    this.#posts.add(post);
    const sent = post.done.finally(() => this.#posts.delete(post));
    if (this.#gate === undefined) post.start(target);
    else void this.#gate.then(() => post.start(target));
    if (post.outgoing.method === 'notifications/initialized') {
      const opened = (): void => {
        this.#gate = undefined;
      };
      this.#gate = sent.then(opened, opened);
    }
    const delivered = sent.then((refusal) => {
      if (refusal !== undefined && !this.#ended)
        this.#receiver?.message(refusal, JSON.stringify(refusal.error));
    });
    // A sender who does not look at the outcome must not bring the process down.
    delivered.catch(() => {});
    return delivered;
  }

  async close(): Promise<void> {
    this.#opened?.(new TransportError('connection_closed', `The connection to ${this.label} was closed`));
    this.#end({ kind: 'local' });
  }

  head(head: HttpHead): BodyMode {
    this.#head = head;
    return head.status === 200 && isEventStream(head) ? 'chunks' : 'text';
  }

  text(body: string): void {
    const head = this.#head;
    if (head === undefined) return;
    const excerpt = excerptOf(body);
    this.#opened?.(refusalFailure(head, excerpt, this.label) ?? httpError(this.label, head.status, excerpt));
  }

  chunk(bytes: Uint8Array): void {
    this.#reader.push(bytes);
  }

  end(): void {
    this.#opened?.(this.#noEndpoint());
    this.#end({ kind: 'remote', detail: 'its event stream ended' });
  }

  failed(error: TransportError): void {
    this.#opened?.(error);
    this.#end({ kind: 'error', error });
  }

  #located(address: string): void {
    // Said once; a second address in the middle of a conversation is not followed.
    if (this.#target !== undefined) return;
    const { endpoint } = this.#options;
    try {
      this.#target = endpoint.at(new URL(address.trim(), endpoint.url));
      this.#opened?.();
    } catch (error) {
      this.#opened?.(error instanceof TransportError ? error : this.#noEndpoint(error));
    }
  }

  #message(text: string): void {
    // The first event is the address (HTTP with SSE); a server that begins otherwise does not use this
    // transport.
    if (this.#target === undefined) this.#opened?.(this.#noEndpoint());
    if (this.#ended) return;
    const decoded = decodeText(text);
    if (decoded.kind === 'malformed' && decoded.code === PARSE_ERROR) {
      const sample = text.slice(0, SAMPLE_CHARACTERS);
      this.#receiver?.fault({
        kind: 'noise',
        message: `${this.label} sent an event that is not JSON`,
        sample,
      });
    } else this.#receiver?.message(decoded, text);
  }

  #noEndpoint(cause?: unknown): TransportError {
    const message = `${this.label} opened a stream that does not say where to send messages; check the URL`;
    return new TransportError('http_status', message, cause === undefined ? {} : { cause });
  }

  #end(reason: CloseReason): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#handle?.abort();
    for (const post of this.#posts) post.abort();
    this.#receiver?.closed(reason);
  }
}
