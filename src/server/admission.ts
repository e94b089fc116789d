/**
 * How much may run and be kept at once, whichever way it came in: stdio, memory, HTTP with a session or without,
 * batches, the old HTTP+SSE. The limits of a connection or session are checked where it is; those of an account (a
 * principal, or an address where there is none) and of the whole server are checked here.
 *
 * Only calls that do not end at once are counted, and only large messages are weighed: the number of calls bounds
 * what small ones take.
 */

import { Budget, weigh } from '../store/budget.js';
import type { LimitNumbers } from './limits.js';

/** Messages up to this many characters are covered by the limits on calls. */
const SMALL_MESSAGE = 8 * 1024;

export class Admission {
  /** What clients make the server keep beyond a call: sessions of connections, filters of streams, parked calls. */
  readonly state: Budget;
  readonly #limits: LimitNumbers;
  /** Messages of the calls that run. */
  readonly #messages: Budget;
  readonly #accounts = new Map<string, number>();
  #running = 0;

  constructor(limits: LimitNumbers) {
    this.#limits = limits;
    this.state = new Budget({ total: limits.stateBytes, perAccount: limits.peerStateBytes });
    this.#messages = new Budget({ total: limits.messageBytes, perAccount: limits.peerMessageBytes });
  }

  /** Calls that run at this moment. */
  get running(): number {
    return this.#running;
  }

  /** Why this call may not run now; undefined when it may. */
  refusal(account: string | undefined, bytes: number): string | undefined {
    if (this.#running >= this.#limits.totalCalls)
      return 'The server is busy with too many calls; try again later';
    if (account !== undefined && (this.#accounts.get(account) ?? 0) >= this.#limits.peerCalls)
      return 'Too many calls at once; wait for some to finish';
    if (bytes > 0 && !this.#messages.fits(account, bytes))
      return 'The calls that are running take too much memory; wait for some to finish, or send less';
    return undefined;
  }

  begin(account: string | undefined, bytes: number): void {
    this.#running += 1;
    if (account !== undefined) this.#accounts.set(account, (this.#accounts.get(account) ?? 0) + 1);
    if (bytes > 0) this.#messages.add(account, bytes);
  }

  end(account: string | undefined, bytes: number): void {
    this.#running -= 1;
    if (bytes > 0) this.#messages.add(account, -bytes);
    if (account === undefined) return;
    const left = (this.#accounts.get(account) ?? 0) - 1;
    if (left > 0) this.#accounts.set(account, left);
    else this.#accounts.delete(account);
  }
}

/** What a message weighs while its call runs; 0 for a small one. `text` is what it was decoded from. */
export function messageWeight(message: unknown, text: string | undefined): number {
  if (text !== undefined && text.length <= SMALL_MESSAGE) return 0;
  const weight = weigh(message);
  return weight <= SMALL_MESSAGE ? 0 : weight + (text?.length ?? 0);
}
