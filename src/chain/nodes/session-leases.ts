/**
 * Which node has the connections of a session. The first one that needs them claims the session; the others
 * address that one. When it is gone, the next node that needs the session takes it over and opens new
 * connections.
 */

import type { NodeMessenger } from './node-messenger.js';

/** A session that was idle for this long has no owner; the longest that one lives idle is less. */
const CLAIM_MS = 2 * 60 * 60_000;
/** How often within a lease an owner checks that no other node took over because it seemed dead. */
const CHECKS = 3;

/** Sessions that end on another node are not reported here. */
const MAX_REMEMBERED = 10_000;

export interface Owner {
  readonly address: string;
  /** This node has become the owner just now. */
  readonly isNew: boolean;
}

export class SessionLeases {
  readonly #messenger: NodeMessenger;
  /** Sessions of this node, with the time of the last look. */
  readonly #own = new Map<string, number>();
  /** Where the others were last found. Only a hint: the store decides. */
  readonly #others = new Map<string, string>();

  constructor(messenger: NodeMessenger) {
    this.#messenger = messenger;
  }

  /** `instead` of an owner that turned out not to be there. */
  async find(session: string, instead?: string): Promise<Owner> {
    const { address, store } = this.#messenger;
    const looked = this.#own.get(session);
    const fresh = looked !== undefined && performance.now() - looked < store.nodes.leaseMs / CHECKS;
    if (fresh && instead === undefined) return { address, isNew: false };
    await this.#messenger.ready();
    let owner = await this.#claim(session, instead);
    if (owner !== address && owner !== instead && !(await this.#messenger.isThere(owner)))
      owner = await this.#claim(session, owner);
    if (owner !== address) {
      this.#own.delete(session);
      this.#remember(session, owner);
      return { address: owner, isNew: false };
    }
    this.#others.delete(session);
    this.#own.set(session, performance.now());
    return { address, isNew: looked === undefined };
  }

  /** Where the session was when it was last looked for. */
  async lastKnown(session: string): Promise<string> {
    if (this.#own.has(session)) return this.#messenger.address;
    return this.#others.get(session) ?? (await this.find(session)).address;
  }

  async release(session: string): Promise<void> {
    this.#others.delete(session);
    if (this.#own.delete(session))
      await this.#messenger.store.values.delete(keyOf(session), this.#messenger.address);
  }

  async releaseAll(): Promise<void> {
    await Promise.all([...this.#own.keys()].map((session) => this.release(session)));
  }

  #remember(session: string, owner: string): void {
    const [oldest] = this.#others.size < MAX_REMEMBERED ? [] : this.#others.keys();
    if (oldest !== undefined) this.#others.delete(oldest);
    this.#others.set(session, owner);
  }

  async #claim(session: string, instead: string | undefined): Promise<string> {
    const { address, store } = this.#messenger;
    return store.values.claim(keyOf(session), address, CLAIM_MS, instead);
  }
}

function keyOf(session: string): string {
  return `chain-session:${session}`;
}
