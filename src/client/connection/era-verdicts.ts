/**
 * How servers behind a URL talked the last time, so that a new connection need not find out again (versioning, finding
 * the era). Kept per address rather than per origin, because a gateway has servers of both kinds behind one origin.
 * A verdict is a hint: it expires, and a connection that it misleads asks anew.
 */

import { type Duration, milliseconds } from '../../protocol/duration.js';
import { given } from '../../protocol/given.js';
import type { InNumbers } from '../../protocol/in-numbers.js';
import type { Revision } from '../../protocol/revisions/index.js';

const MAX_ENTRIES = 1_000;
const LIFETIME_MS = 60 * 60 * 1_000;

export interface EraVerdictsOptions {
  readonly maxEntries?: number | undefined;
  readonly lifetime?: Duration | undefined;
  /** Milliseconds that only grow. */
  readonly clock?: (() => number) | undefined;
  /** Addresses that are not worth remembering. */
  readonly ignores?: ((address: string) => boolean) | undefined;
}

interface Verdict {
  readonly lifecycle: Revision['lifecycle'];
  readonly until: number;
}

/**
 * Remembers which era servers speak, so that the next connection need not find out. Pass one to several `connect`
 * calls.
 */
export class EraVerdicts {
  readonly #options: InNumbers<EraVerdictsOptions>;
  /** Oldest first. */
  readonly #verdicts = new Map<string, Verdict>();

  constructor(options: EraVerdictsOptions = {}) {
    this.#options = {
      maxEntries: MAX_ENTRIES,
      clock: () => performance.now(),
      ignores: () => false,
      ...given(options),
      lifetime: milliseconds(options.lifetime ?? LIFETIME_MS),
    };
  }

  recall(address: string): Revision['lifecycle'] | undefined {
    const verdict = this.#verdicts.get(address);
    return verdict === undefined || verdict.until <= this.#options.clock() ? undefined : verdict.lifecycle;
  }

  remember(address: string, lifecycle: Revision['lifecycle']): void {
    const { clock, ignores, lifetime, maxEntries } = this.#options;
    if (ignores(address)) return;
    this.#verdicts.delete(address);
    this.#verdicts.set(address, { lifecycle, until: clock() + lifetime });
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > maxEntries && oldest !== undefined) this.#verdicts.delete(oldest);
  }

  forget(address: string): void {
    this.#verdicts.delete(address);
  }
}

const LOOPBACK = /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/;

/** A server on this machine is another one after its next start, and asking it costs next to nothing. */
export const SHARED_VERDICTS: EraVerdicts = new EraVerdicts({ ignores: (address) => LOOPBACK.test(address) });
