/** Conversations with the person at the terminal: one at a time, on stderr, so that stdout holds nothing but results. */

import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { StatusLine } from '../output/status.js';

export interface DialogOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly status: StatusLine;
  /** Ctrl-C: while a line is edited the terminal sends no signal. */
  readonly onInterrupt: () => void;
}

export interface TerminalConversation {
  say(text: string): void;
  /** A line of input; undefined when the user ended the input (Ctrl-D). */
  ask(prompt: string): Promise<string | undefined>;
}

export class Dialog {
  readonly #options: DialogOptions;
  readonly #lines: string[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #reader: Interface | undefined;
  #waiting: ((line: string | undefined) => void) | undefined;

  constructor(options: DialogOptions) {
    this.#options = options;
  }

  /** Servers may ask several things at once; people answer one after the other. */
  converse<T>(signal: AbortSignal, talk: (conversation: TerminalConversation) => Promise<T>): Promise<T> {
    const turn = this.#turn.then(() => this.#hold(signal, talk));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  close(): void {
    this.#reader?.close();
  }

  #hold<T>(signal: AbortSignal, talk: (conversation: TerminalConversation) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    return talk({
      say: (text) => this.#options.status.print(text),
      ask: (prompt) => this.#ask(prompt, signal),
    });
  }

  #ask(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    signal.throwIfAborted();
    this.#options.status.clear();
    const reader = this.#open();
    const typedAhead = this.#lines.shift();
    if (typedAhead !== undefined) return Promise.resolve(typedAhead);
    reader.setPrompt(prompt);
    reader.prompt();
    return new Promise((resolve, reject) => {
      const aborted = (): void => {
        this.#waiting = undefined;
        this.#options.output.write('\n');
        reject(signal.reason);
      };
      signal.addEventListener('abort', aborted, { once: true });
      this.#waiting = (line) => {
        this.#waiting = undefined;
        signal.removeEventListener('abort', aborted);
        resolve(line);
      };
    });
  }

  #open(): Interface {
    if (this.#reader !== undefined) return this.#reader;
    const { input, output, onInterrupt } = this.#options;
    const reader = createInterface({ input, output, terminal: true });
    reader.on('line', (line) => {
      // Several lines may be pasted at once: what is not asked for yet is kept.
      if (this.#waiting === undefined) this.#lines.push(line);
      else this.#waiting(line);
    });
    reader.on('SIGINT', onInterrupt);
    reader.on('close', () => {
      this.#reader = undefined;
      if (this.#waiting === undefined) return;
      output.write('\n');
      this.#waiting(undefined);
    });
    this.#reader = reader;
    return reader;
  }
}
