/**
 * The client's end of stdio: starts the server as a child process and speaks lines with it.
 * The connection ends with the child, whatever ends it; `closed` comes after the last line that it wrote.
 */

import { encodeLine } from '../../framing/ndjson.js';
import { PARSE_ERROR } from '../../jsonrpc/codes.js';
import { decodeText } from '../../jsonrpc/decode.js';
import type { Message } from '../../jsonrpc/message.js';
import { maskCommand } from '../../protocol/secrets.js';
import { byteCount, type Size } from '../../protocol/size.js';
import { rejected, TransportError } from '../errors.js';
import type { Receiver, Transport, TransportFault } from '../transport.js';
import { type Child, type ChildEnd, type ChildOptions, spawnChild } from './child.js';
import { createStdioReader, type StdioReaderOptions } from './reader.js';
import { DEFAULT_MAX_QUEUE_BYTES, LineWriter } from './writer.js';

const SAMPLE_CHARACTERS = 200;

export interface StdioTransportOptions extends ChildOptions, StdioReaderOptions {
  /** How much may wait for a server that does not read. Default: 64 MiB. */
  readonly maxQueueBytes?: Size | undefined;
}

/** A connection to a program that was started. */
export interface StdioTransport extends Transport {
  /** The process id of the server, once it runs. */
  readonly pid: number | undefined;
  /** The last 64 KiB that the server wrote to stderr. */
  stderrTail(): string;
}

/** Starts a program and talks to it over its standard input and output. */
export function createStdioTransport(options: StdioTransportOptions): StdioTransport {
  return new StdioClientTransport(options);
}

class StdioClientTransport implements StdioTransport {
  readonly label: string;
  readonly #options: StdioTransportOptions;
  #receiver: Receiver | undefined;
  #child: Child | undefined;
  #writer: LineWriter | undefined;
  #starting: Promise<Child> | undefined;
  #closing: Promise<void> | undefined;
  #closed = false;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
    this.label = maskCommand([options.command, ...(options.args ?? [])]);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  stderrTail(): string {
    return this.#child?.stderrTail() ?? '';
  }

  async start(receiver: Receiver): Promise<void> {
    if (this.#starting !== undefined || this.#closing !== undefined) {
      throw new TransportError(
        'already_started',
        `${this.label} was already started or closed; create a new transport`,
      );
    }
    this.#receiver = receiver;
    this.#starting = spawnChild(this.#options);
    this.#connect(await this.#starting);
  }

  send(message: Message | string): void | Promise<void> {
    if (this.#writer === undefined || this.#closed) {
      return rejected(new TransportError('connection_closed', `${this.label} is not running`));
    }
    return this.#writer.write(encodeLine(message));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #connect(child: Child): void {
    const { stdin, stdout } = child;
    const reader = createStdioReader(this.#options, this.#deliver, (fault) => this.#report(fault));
    this.#child = child;
    this.#writer = new LineWriter({
      stream: stdin,
      maxQueueBytes: byteCount(this.#options.maxQueueBytes ?? DEFAULT_MAX_QUEUE_BYTES),
      onError: (error) => {
        if (this.#closing === undefined) {
          this.#report({
            kind: 'write',
            message: `${this.label} no longer reads its input: ${error.message}`,
          });
        }
        void child.shutdown();
      },
    });
    stdout.on('data', (chunk: Uint8Array) => reader.push(chunk));
    stdout.on('error', (error) =>
      this.#report({ kind: 'noise', message: `Reading failed: ${error.message}` }),
    );
    stdout.on('end', () => {
      reader.end();
      // Usually the process is exiting; one that only closed its output can never answer again.
      this.#writer?.end();
      void child.shutdown();
    });
    void child.ended.then((end) => this.#finish(child, end));
  }

  readonly #deliver = (text: string): void => {
    if (this.#closed || this.#receiver?.take?.(text) !== undefined) return;
    const decoded = decodeText(text);
    if (decoded.kind === 'malformed' && decoded.code === PARSE_ERROR) {
      const sample = text.slice(0, SAMPLE_CHARACTERS);
      this.#report({
        kind: 'noise',
        message: `${this.label} wrote a line to stdout that is not JSON`,
        sample,
      });
      return;
    }
    this.#receiver?.message(decoded, text);
  };

  #report(fault: TransportFault): void {
    if (!this.#closed) this.#receiver?.fault(fault);
  }

  #finish(child: Child, end: ChildEnd): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#writer?.fail(new TransportError('connection_closed', `${this.label} has ended`));
    this.#receiver?.closed(
      this.#closing === undefined ? { kind: 'exit', ...end, stderr: child.stderrTail() } : { kind: 'local' },
    );
  }

  async #close(): Promise<void> {
    if (this.#starting === undefined) return;
    try {
      await this.#starting;
    } catch {
      return;
    }
    this.#writer?.end();
    await this.#child?.shutdown();
    await this.#child?.ended;
  }
}
