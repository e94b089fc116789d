/**
 * Warns, while a server is developed, of handlers that do something before they ask. In the stateless revision a handler
 * starts over after each answer, so what it did before is done again; with a client of an older revision nothing of that
 * shows.
 */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { logWord } from '../protocol/display.js';

/** What may happen between the end of a promise of ours and the code that awaits it, in turns of the microtask queue. */
const TURNS = 8;
const MAX_WARNED = 1000;
const warned = new Set<string>();

/** A call, as far as warnings name it. */
export interface AskingHandler {
  readonly method: string;
  readonly params: JsonObject;
  readonly isStarting: boolean | undefined;
  /** Of a task, whose handler waits for answers and does not start over. */
  readonly background: object | undefined;
}

export class RepeatWarning {
  readonly #isOn = isDevelopment();
  /** The handler goes on after something that the context did for it. */
  #isFresh = false;
  #hasAsked = false;

  /** What is awaited through the context is not repeated. */
  follow(promise: Promise<unknown>): void {
    if (!this.#isOn) return;
    const settled = (): void => this.#freshen();
    promise.then(settled, settled);
  }

  /** A question of a call, of which the first counts. */
  asking({ method, params, isStarting, background }: AskingHandler): void {
    if (this.#hasAsked) return;
    this.#hasAsked = true;
    if (!this.#isOn || isStarting !== false || this.#isFresh || background !== undefined) return;
    const named = method === 'resources/read' ? undefined : params.name;
    const what = typeof named === 'string' ? `${KINDS[method] ?? method} ${logWord(named)}` : method;
    if (warned.has(what) || warned.size >= MAX_WARNED) return;
    warned.add(what);
    console.warn(
      `plumb: the handler of ${what} awaited something before its first question. With clients of stateless revisions ` +
        'a handler starts over after each answer, and does that work again. Put it into ctx.once(key, fn) or ' +
        'ctx.step(name, fn), or ask first.',
    );
  }

  #freshen(): void {
    this.#isFresh = true;
    let turns = TURNS;
    const pass = (): void => {
      turns -= 1;
      if (turns > 0) queueMicrotask(pass);
      else this.#isFresh = false;
    };
    queueMicrotask(pass);
  }
}

/** Runs a handler up to the first thing that it awaits. */
export function starting<T>(ctx: { isStarting: boolean | undefined }, run: () => T): T {
  ctx.isStarting = true;
  try {
    return run();
  } finally {
    ctx.isStarting = false;
  }
}

const KINDS: Readonly<Record<string, string>> = { 'tools/call': 'tool', 'prompts/get': 'prompt' };

/** Where there is no environment, nothing says that it is development. */
function isDevelopment(): boolean {
  const environment: unknown = typeof process === 'undefined' ? undefined : process.env;
  return isRecord(environment) && environment.NODE_ENV !== 'production';
}
