/** How a chain is put together: options, middleware, then the servers behind it. */

import type { Middleware } from '../middleware/compose.js';
import type { Layer } from '../middleware/layer.js';
import { assertOptionNames } from '../protocol/option-names.js';
import { Chain } from './chain.js';
import { CHAIN_OPTIONS, type ChainOptions } from './options.js';
import type { Destination, Destinations } from './targets.js';

/** Puts middleware in front of servers: `createChain().use(log()).to({ files: { command: 'files-server' } })`. */
export function createChain(options: ChainOptions = {}): ChainBuilder {
  assertOptionNames('createChain', options, CHAIN_OPTIONS);
  return new ChainBuilder(options);
}

export class ChainBuilder {
  readonly #options: ChainOptions;
  readonly #layers: (Layer | Middleware)[] = [];

  constructor(options: ChainOptions) {
    this.#options = options;
  }

  /** Adds middleware; the first one added is outermost. */
  use(...layers: (Layer | Middleware)[]): this {
    this.#layers.push(...layers);
    return this;
  }

  /** The servers behind: one, or several by name. */
  to(destinations: Destination | Destinations): Chain {
    return new Chain(this.#options, this.#layers, destinations);
  }
}
