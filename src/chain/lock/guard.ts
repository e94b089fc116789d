/**
 * Holds a server to its lock: what it shows is compared when it is connected to, before anything of it is used, and again
 * with every list that passes. A server that shows something else after it was approved is stopped or reported.
 */

import type { Relay } from '../../client/relay.js';
import type { Revision } from '../../protocol/revisions/index.js';
import type { ListField } from '../mend.js';
import type { ServerEvent } from '../server-events.js';
import { ApprovedSurface, type Drift, DriftError } from './drift.js';
import { readSurface, type Surface } from './surface.js';

export type OnDrift = 'block' | 'warn';

/** A server that keeps inventing changes must not fill the memory. */
const MAX_REPORTED = 1000;

export interface LockGuardOptions {
  readonly server: string;
  readonly lock: Surface;
  readonly onDrift: OnDrift;
  /** For operators. */
  readonly happened: (event: ServerEvent) => void;
  /** From now on nothing of the server may be used. */
  readonly blocked: () => void;
}

export class LockGuard {
  readonly #options: LockGuardOptions;
  readonly #approved: ApprovedSurface;
  readonly #reported = new Set<string>();
  #refusal: DriftError | undefined;

  constructor(options: LockGuardOptions) {
    this.#options = options;
    this.#approved = new ApprovedSurface(options.lock);
  }

  /** Why the server may not be used; undefined while it keeps to its lock. */
  get refusal(): DriftError | undefined {
    return this.#refusal;
  }

  /** The configuration was reloaded, which counts as a review. */
  reset(): void {
    this.#refusal = undefined;
    this.#reported.clear();
  }

  /** Reads everything that a new connection shows. Rejects where it must not be used, or could not be compared. */
  async admit({ client, revision }: Relay): Promise<void> {
    try {
      const { instructions, lists } = await readSurface(client, {}, this.#approved.fields);
      const drift = this.#approved.instructionsDrift(instructions);
      for (const field of this.#approved.fields)
        drift.push(...this.#approved.listDrift(field, lists[field] ?? [], revision));
      this.#judge(drift);
    } catch (error) {
      // A server that cannot be compared is not approved; with `warn` it is used all the same.
      if (this.#options.onDrift === 'block') throw error;
    }
  }

  /** Compares what is about to be shown. Throws where it must not be. */
  check(field: ListField, entries: readonly unknown[], revision: Revision): void {
    // A list that was under way when another one was refused.
    if (this.#refusal !== undefined) throw this.#refusal;
    this.#judge(this.#approved.listDrift(field, entries, revision));
  }

  #judge(drift: readonly Drift[]): void {
    if (drift.length === 0) return;
    const { server, onDrift, happened, blocked } = this.#options;
    const error = new DriftError(server, drift);
    if (this.#isNew(drift)) happened({ type: 'drifted', server, blocked: onDrift === 'block', drift, error });
    if (onDrift === 'warn') return;
    this.#refusal = error;
    blocked();
    throw error;
  }

  #isNew(drift: readonly Drift[]): boolean {
    const key = JSON.stringify(drift);
    if (this.#reported.has(key)) return false;
    if (this.#reported.size >= MAX_REPORTED) this.#reported.clear();
    this.#reported.add(key);
    return true;
  }
}
