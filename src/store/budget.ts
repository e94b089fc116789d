/**
 * Bytes that peers can make this process keep. A budget has a total and a share for each account (a principal, or an
 * address where there is none): what does not fit is refused before it is kept, and what was charged is released once.
 */

export interface BudgetLimits {
  /** Bytes of all accounts together. */
  readonly total: number;
  /** Bytes of one account. */
  readonly perAccount: number;
}

/** What is kept is paid for: release it when it is let go. */
export interface Charge {
  /** Charges another amount instead; false, and nothing changes, when there is no room for it. */
  resize(bytes: number): boolean;
  /** Doing it twice does no harm. */
  release(): void;
}

export class Budget {
  readonly #limits: BudgetLimits;
  readonly #accounts = new Map<string, number>();
  #used = 0;

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  get used(): number {
    return this.#used;
  }

  /** Whether that many more bytes fit. Without an account the total alone counts. */
  fits(account: string | undefined, bytes: number): boolean {
    const { total, perAccount } = this.#limits;
    if (this.#used + bytes > total) return false;
    return account === undefined || (this.#accounts.get(account) ?? 0) + bytes <= perAccount;
  }

  /** Undefined when there is no room. */
  charge(account: string | undefined, bytes: number): Charge | undefined {
    if (!this.fits(account, bytes)) return undefined;
    this.add(account, bytes);
    let charged = bytes;
    return {
      resize: (next) => {
        const more = next - charged;
        if (more > 0 && !this.fits(account, more)) return false;
        this.add(account, more);
        charged = next;
        return true;
      },
      release: () => {
        this.add(account, -charged);
        charged = 0;
      },
    };
  }

  /** Charges, or with less than nothing releases, without asking: for callers that have asked before. */
  add(account: string | undefined, bytes: number): void {
    this.#used += bytes;
    if (account === undefined) return;
    const used = (this.#accounts.get(account) ?? 0) + bytes;
    if (used === 0) this.#accounts.delete(account);
    else this.#accounts.set(account, used);
  }
}

/** About what an empty object, array or boxed number takes in memory, and each entry of one. */
const IN_MEMORY = { text: 24, primitive: 8, node: 48, entry: 16 };
/** The same as characters of JSON. */
const AS_TEXT = { text: 2, primitive: 4, node: 2, entry: 1 };

/**
 * About how many bytes a JSON value takes in memory, which may be twenty times its text (`[{},{},{}]`).
 * Stops counting beyond `limit`.
 */
export function weigh(value: unknown, limit: number = Number.POSITIVE_INFINITY): number {
  return measure(value, limit, IN_MEMORY);
}

/** About how many characters a JSON value has as text. Stops counting beyond `limit`. */
export function textLength(value: unknown, limit: number): number {
  return measure(value, limit, AS_TEXT);
}

function measure(value: unknown, limit: number, sizes: typeof IN_MEMORY): number {
  let size = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0 && size <= limit) {
    const next = rest.pop();
    if (typeof next === 'string') size += sizes.text + next.length;
    else if (typeof next !== 'object' || next === null) size += sizes.primitive;
    else if (Array.isArray(next)) {
      size += sizes.node + next.length * sizes.entry;
      // Beyond the limit the rest need not be looked at.
      if (size <= limit) for (const item of next) rest.push(item);
    } else {
      size += sizes.node;
      for (const [key, item] of Object.entries(next)) {
        size += sizes.entry + sizes.text + key.length;
        rest.push(item);
      }
    }
  }
  return size;
}
