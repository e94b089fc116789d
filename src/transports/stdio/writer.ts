/**
 * Lines to a stream. What is written before the loop has come round leaves in a single write: a write and the wake-up of
 * who reads it cost more than most messages, and calls that came over several connections each have a tick of their own.
 * While the pipe is full lines wait here, up to a limit, instead of piling up inside the stream.
 */

import type { Writable } from 'node:stream';
// Not the global one, which tests put a false clock in the place of.
import { setImmediate } from 'node:timers';
import { joinLines } from '../../framing/ndjson.js';
import { rejected, TransportError } from '../errors.js';

export const DEFAULT_MAX_QUEUE_BYTES: number = 64 * 1024 * 1024;

type WriteText = (text: string, written?: (error?: Error | null) => void) => boolean;

export interface LineWriterOptions {
  readonly stream: Writable;
  /** How text reaches the stream, for streams whose public `write` was replaced. */
  readonly write?: WriteText;
  readonly maxQueueBytes: number;
  /** The stream failed; nothing more can be written. */
  onError(error: Error): void;
}

export class LineWriter {
  readonly #stream: Writable;
  readonly #write: WriteText;
  readonly #maxQueueBytes: number;
  readonly #onError: (error: Error) => void;
  #lines: string[] = [];
  /** Characters in them, line ends included. */
  #queued = 0;
  #scheduled = false;
  #full = false;
  #failure: Error | undefined;
  #room: PromiseWithResolvers | undefined;

  constructor(options: LineWriterOptions) {
    const { stream } = options;
    this.#stream = stream;
    this.#write = options.write ?? ((text, written) => stream.write(text, written));
    this.#maxQueueBytes = options.maxQueueBytes;
    this.#onError = options.onError;
    stream.on('drain', this.#drained);
    stream.on('error', this.#failed);
  }

  /**
   * Returns nothing while the stream takes more; otherwise a promise that resolves when it does again. Beyond the limit
   * a line is refused, unless it is one that must arrive.
   */
  write(line: string, mustArrive = false): void | Promise<void> {
    if (this.#failure !== undefined) return rejected(this.#failure);
    if (!mustArrive && this.#queued > 0 && this.#exceeds(line.length)) {
      return rejected(
        new TransportError(
          'queue_full',
          `The peer is not reading: ${this.#waiting()} bytes wait for it, and the limit is ${this.#maxQueueBytes}. ` +
            'Await what send() returns, or raise maxQueueBytes.',
        ),
      );
    }
    this.#lines.push(line);
    this.#queued += line.length + 1;
    if (this.#full) {
      this.#room ??= withResolvers();
      return this.#room.promise;
    }
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#flush);
  }

  /** Hands everything to the stream. Resolves when it is written (`true`) or the stream has failed (`false`). */
  flush(): Promise<boolean> {
    const stream = this.#stream;
    if (this.#failure !== undefined || stream.destroyed || stream.writableEnded)
      return Promise.resolve(false);
    return new Promise((resolve) => {
      const onClose = (): void => resolve(false);
      stream.once('close', onClose);
      const text = this.#takeText();
      // Even an empty write calls back only after those before it.
      this.#write(text, (error) => {
        stream.off('close', onClose);
        resolve(error === undefined || error === null);
      });
    });
  }

  /** Hands everything to the stream and ends it. */
  end(): void {
    if (this.#failure !== undefined) return;
    if (this.#queued > 0) this.#write(this.#takeText());
    this.#stream.end();
    this.fail(new TransportError('connection_closed', 'The connection was closed on this side'));
  }

  /** Refuses further lines and drops those that wait. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.#lines = [];
    this.#queued = 0;
    this.#room?.reject(this.#failure);
    this.#room = undefined;
  }

  /** Takes its listeners off a stream that lives on. */
  release(): void {
    this.#stream.off('drain', this.#drained);
    this.#stream.off('error', this.#failed);
  }

  #takeText(): string {
    const lines = this.#lines;
    this.#lines = [];
    this.#queued = 0;
    return joinLines(lines);
  }

  /** Whether more waits than the limit allows, because the peer does not read. */
  get isOverfull(): boolean {
    return this.#exceeds(0);
  }

  #exceeds(more: number): boolean {
    // Only a stream that took no more says that the peer is slow: until now it had no chance to read.
    return this.#full && this.#waiting() + more > this.#maxQueueBytes;
  }

  #waiting(): number {
    return this.#queued + this.#stream.writableLength;
  }

  readonly #flush = (): void => {
    this.#scheduled = false;
    if (this.#full || this.#queued === 0) return;
    this.#full = !this.#write(this.#takeText());
  };

  readonly #drained = (): void => {
    this.#full = false;
    this.#flush();
    if (this.#full) return;
    this.#room?.resolve();
    this.#room = undefined;
  };

  readonly #failed = (error: Error): void => {
    this.fail(new TransportError('connection_closed', `Writing failed: ${error.message}`, { cause: error }));
    this.#onError(error);
  };
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
}

function withResolvers(): PromiseWithResolvers {
  let resolve = (): void => {};
  let reject = (_error: Error): void => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // Senders may ignore back-pressure; see `rejected`.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
