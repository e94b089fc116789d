/** The middleware of a server, and which of it a message passes. */

import { type Call, type FilteredMiddleware, type Middleware, matches } from '../middleware/compose.js';

const NONE: readonly Middleware[] = [];

export class Layers {
  readonly #entries: FilteredMiddleware[] = [];
  /** What each call passes, for methods that we know; others are matched each time. */
  readonly #chains = new Map<string, readonly Middleware[]>();
  readonly #isKnown: (method: string) => boolean;

  /** Method names from outside must not fill the memory: only what is known here is remembered. */
  constructor(isKnown: (method: string) => boolean) {
    this.#isKnown = isKnown;
  }

  add(entry: FilteredMiddleware): void {
    this.#entries.push(entry);
    this.#chains.clear();
  }

  /** Others from the next call on; calls under way keep what they began with. */
  replace(entries: readonly FilteredMiddleware[]): void {
    this.#entries.splice(0, this.#entries.length, ...entries);
    this.#chains.clear();
  }

  around(direction: Call['direction'], kind: Call['kind'], method: string): readonly Middleware[] {
    if (this.#entries.length === 0) return NONE;
    const key = `${direction} ${kind} ${method}`;
    const known = this.#chains.get(key);
    if (known !== undefined) return known;
    const chain = this.#entries
      .filter(({ filter }) => matches(filter, { direction, kind, method }))
      .map(({ middleware }) => middleware);
    if (direction === 'outbound' || this.#isKnown(method)) this.#chains.set(key, chain);
    return chain;
  }
}
