/**
 * Named things in the order of their registration, which is also the order of every list:
 * the same for all connections, and stable across pages while entries come and go.
 */

import { invalidParams } from '../protocol/errors.js';

interface Slot<Entry> {
  readonly position: number;
  entry: Entry;
  isEnabled: boolean;
}

export interface RegistryPage<Entry> {
  readonly entries: readonly Entry[];
  readonly nextCursor: string | undefined;
}

export class Registry<Entry> {
  readonly #kind: string;
  readonly #onChange: () => void;
  readonly #slots = new Map<string, Slot<Entry>>();
  #ordered: readonly Slot<Entry>[] | undefined;
  #nextPosition = 1;
  #version = 0;

  constructor(kind: string, onChange: () => void) {
    this.#kind = kind;
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#slots.size;
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version;
  }

  get(name: string): Entry | undefined {
    const slot = this.#slots.get(name);
    return slot?.isEnabled === true ? slot.entry : undefined;
  }

  /** Whether the entry is there under its name, enabled or not. */
  holds(name: string, entry: Entry): boolean {
    return this.#slots.get(name)?.entry === entry;
  }

  /** Shows the entry, or hides it; false when it is no longer there. */
  enable(name: string, entry: Entry, isEnabled: boolean): boolean {
    const slot = this.#slots.get(name);
    if (slot?.entry !== entry) return false;
    if (slot.isEnabled === isEnabled) return true;
    slot.isEnabled = isEnabled;
    this.#changed();
    return true;
  }

  add(name: string, entry: Entry): void {
    if (this.#slots.has(name)) {
      throw new Error(
        `A ${this.#kind} named "${name}" is already registered; remove it first or choose another name`,
      );
    }
    this.#slots.set(name, { position: this.#nextPosition++, entry, isEnabled: true });
    this.#changed();
  }

  /** Exchanges an entry in place; false when it is no longer there. */
  replace(name: string, entry: Entry): boolean {
    const slot = this.#slots.get(name);
    if (slot === undefined) return false;
    slot.entry = entry;
    this.#changed();
    return true;
  }

  /** Takes an entry away; with `entry`, only while that one is still there under its name. */
  remove(name: string, entry?: Entry): boolean {
    if (entry !== undefined && !this.holds(name, entry)) return false;
    if (!this.#slots.delete(name)) return false;
    this.#changed();
    return true;
  }

  *entries(): IterableIterator<Entry> {
    for (const slot of this.#slots.values()) if (slot.isEnabled) yield slot.entry;
  }

  /** The page that begins after `cursor`. Cursors name a position, so a removed entry does not shift the rest. */
  page(cursor: unknown, size: number): RegistryPage<Entry> {
    const after = cursor === undefined ? 0 : this.#parseCursor(cursor);
    this.#ordered ??= [...this.#slots.values()].filter(({ isEnabled }) => isEnabled);
    const start = firstAfter(this.#ordered, after);
    const slots = this.#ordered.slice(start, start + size);
    const last = slots.at(-1);
    const more = start + size < this.#ordered.length;
    return {
      entries: slots.map((slot) => slot.entry),
      nextCursor: more && last !== undefined ? this.#formatCursor(last.position) : undefined,
    };
  }

  #changed(): void {
    this.#ordered = undefined;
    this.#version += 1;
    this.#onChange();
  }

  #formatCursor(position: number): string {
    return btoa(`${this.#kind}:${position}`);
  }

  #parseCursor(cursor: unknown): number {
    if (typeof cursor === 'string') {
      const position = Number(decodeBase64(cursor).split(':')[1]);
      // Base64 has many spellings of the same bytes; only ours is a cursor.
      if (Number.isSafeInteger(position) && position > 0 && this.#formatCursor(position) === cursor)
        return position;
    }
    throw invalidParams('Unknown cursor; list again without one');
  }
}

function decodeBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return '';
  }
}

/** Index of the first slot whose position is greater than `after`, by bisection. */
function firstAfter(slots: readonly Slot<unknown>[], after: number): number {
  let low = 0;
  let high = slots.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((slots[middle]?.position ?? 0) <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}
