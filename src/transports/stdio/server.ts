/**
 * The server's end of stdio: lines on our own stdin and stdout.
 * The end of input means that the client is gone or leaving, so `closed` is called; answers to what it asked before
 * can still be sent until `close`, because a client may end its input and read on (`printf ... | server`).
 */

import type { Readable, Writable } from 'node:stream';
import { encodeLine } from '../../framing/ndjson.js';
import { decodeText } from '../../jsonrpc/decode.js';
import type { Message } from '../../jsonrpc/message.js';
import { byteCount, type Size } from '../../protocol/size.js';
import { rejected, TransportError } from '../errors.js';
import type { CloseReason, Receiver, SendOptions, Transport } from '../transport.js';
import { protectStdout } from './protect-stdout.js';
import { createStdioReader, type StdioReaderOptions } from './reader.js';
import { DEFAULT_MAX_QUEUE_BYTES, LineWriter } from './writer.js';

/** How long `close` waits for a client to take what was already sent. */
const FLUSH_MS = 2_000;

export interface StdioServerTransportOptions extends StdioReaderOptions {
  /** Default: `process.stdin`. */
  readonly input?: Readable | undefined;
  /** Default: `process.stdout`. */
  readonly output?: Writable | undefined;
  /** Redirect what other code writes to stdout to stderr. Default: true. */
  readonly protectStdout?: boolean | undefined;
  /** How much may wait for a client that does not read, before nothing more is read from it. Default: 64 MiB. */
  readonly maxQueueBytes?: Size | undefined;
}

/** The server's end of stdio; `server.stdio()` uses it. */
export function createStdioServerTransport(options: StdioServerTransportOptions = {}): Transport {
  return new StdioServerTransport(options);
}

class StdioServerTransport implements Transport {
  readonly label = 'stdio';
  readonly #options: StdioServerTransportOptions;
  readonly #input: Readable;
  readonly #output: Writable;
  #receiver: Receiver | undefined;
  #writer: LineWriter | undefined;
  #detach: () => void = () => {};
  #closing: Promise<void> | undefined;
  #closed = false;
  /** Nothing is read from a client that does not read: its requests would only add to what waits for it. */
  #holdsBack = false;

  constructor(options: StdioServerTransportOptions) {
    this.#options = options;
    this.#input = options.input ?? process.stdin;
    this.#output = options.output ?? process.stdout;
  }

  start(receiver: Receiver): Promise<void> {
    if (this.#receiver !== undefined || this.#closing !== undefined) {
      return rejected(
        new TransportError('already_started', 'This stdio transport was already started or closed'),
      );
    }
    this.#receiver = receiver;
    if (this.#options.input === undefined && process.stdin.isTTY) explainToUser();
    this.#openOutput();
    const started = Promise.resolve();
    // Reading starts in a microtask and delivers in a tick after it, after the code that awaits `started` has
    // continued.
    void started.then(() => {
      if (this.#closing === undefined) this.#openInput(receiver);
    });
    return started;
  }

  send(message: Message | string, options?: SendOptions): void | Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) {
      return rejected(new TransportError('connection_closed', 'This stdio transport is not started'));
    }
    const sent = writer.write(encodeLine(message), options?.expendable !== true);
    if (sent !== undefined && writer.isOverfull && !this.#holdsBack) this.#holdBackUntil(sent);
    return sent;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #openOutput(): void {
    const output = this.#output;
    const write = output.write.bind(output);
    this.#writer = new LineWriter({
      stream: output,
      // Taken before stdout is protected: the protocol itself must still get through.
      write: (text, written) => write(text, written),
      maxQueueBytes: byteCount(this.#options.maxQueueBytes ?? DEFAULT_MAX_QUEUE_BYTES),
      onError: (error) => this.#finish({ kind: 'error', error }),
    });
    if (output === process.stdout && this.#options.protectStdout !== false) this.#detach = protectStdout();
  }

  #openInput(receiver: Receiver): void {
    const input = this.#input;
    const reader = createStdioReader(this.#options, this.#deliver, (fault) => {
      if (!this.#closed) receiver.fault(fault);
    });
    const onData = (chunk: Uint8Array | string): void => {
      reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    };
    const onEnd = (): void => {
      reader.end();
      this.#finish({ kind: 'remote', halfClosed: true });
    };
    const onError = (error: Error): void => this.#finish({ kind: 'error', error });
    const onClose = (): void => this.#finish({ kind: 'remote' });
    input.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
    // A stream that was paused before does not flow on its own.
    input.resume();

    const restoreStdout = this.#detach;
    this.#detach = () => {
      restoreStdout();
      input.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
    };
  }

  readonly #deliver = (text: string): void => {
    if (!this.#closed) this.#receiver?.message(decodeText(text), text);
  };

  #holdBackUntil(room: Promise<void>): void {
    this.#holdsBack = true;
    this.#input.pause();
    const goOn = (): void => {
      this.#holdsBack = false;
      if (this.#closing === undefined) this.#input.resume();
    };
    room.then(goOn, goOn);
  }

  #finish(reason: CloseReason): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#receiver?.closed(reason);
  }

  async #close(): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    const flushed = await flushWithin(writer, FLUSH_MS);
    writer.fail(new TransportError('connection_closed', 'This stdio transport was closed'));
    this.#detach();
    // A broken output can fail again at the next write, ours or not, and an unheard error would end the process.
    if (flushed) writer.release();
    // A paused stdin no longer keeps the process alive. Streams that were made for us are ours to end.
    if (this.#input === process.stdin) this.#input.pause();
    else this.#input.destroy();
    if (this.#output !== process.stdout) this.#output.end();
    this.#finish({ kind: 'local' });
  }
}

function flushWithin(writer: LineWriter, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds, false);
    void writer.flush().then((flushed) => {
      clearTimeout(timer);
      resolve(flushed);
    });
  });
}

/** Whoever starts a server in a terminal sees nothing happen: its client would be the program that starts it. */
function explainToUser(): void {
  const command = [process.argv0, ...process.argv.slice(1)].join(' ');
  console.error(
    `This MCP server reads messages from stdin, as a client that starts it writes them. To try it: npx plumb inspect -- ${command}`,
  );
}
