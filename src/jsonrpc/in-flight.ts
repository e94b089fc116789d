/**
 * What is under way, by request id: a map for entries that come and go with every call.
 *
 * V8's Map does badly at this. It outgrows its table every few calls, and each table it leaves behind points to the
 * next. Once a collection has moved one of them to the old generation, all later tables hang on it, and with them
 * whatever was in them at the time: nearly every call then survives, is copied twice, and waits for a full collection.
 * A client with 64 calls in flight spent a third of its time on that. Here ids, which mostly count up, choose a slot.
 */

import type { RequestId } from './message.js';

const FIRST_SLOTS = 8;
const MAX_SLOTS = 4096;

export class InFlight<V extends object> {
  #ids: (number | undefined)[] = [];
  #values: (V | undefined)[] = [];
  #mask = -1;
  #slotted = 0;
  /** Ids that are strings, and numbers whose slot is taken. */
  #others: Map<RequestId, V> | undefined;

  get size(): number {
    return this.#slotted + (this.#others?.size ?? 0);
  }

  get(id: RequestId): V | undefined {
    if (typeof id === 'number') {
      const slot = id & this.#mask;
      if (this.#ids[slot] === id) return this.#values[slot];
    }
    return this.#others?.get(id);
  }

  has(id: RequestId): boolean {
    return this.get(id) !== undefined;
  }

  set(id: RequestId, value: V): void {
    if (typeof id !== 'number' || !this.#place(id, value)) this.#setOther(id, value);
  }

  /** The entry that was there. */
  take(id: RequestId): V | undefined {
    if (typeof id === 'number') {
      const slot = id & this.#mask;
      if (this.#ids[slot] === id) {
        const value = this.#values[slot];
        this.#ids[slot] = undefined;
        this.#values[slot] = undefined;
        this.#slotted -= 1;
        return value;
      }
    }
    const value = this.#others?.get(id);
    if (value !== undefined) this.#others?.delete(id);
    return value;
  }

  values(): V[] {
    return [...this.#values.filter((value) => value !== undefined), ...(this.#others?.values() ?? [])];
  }

  clear(): void {
    this.#ids = [];
    this.#values = [];
    this.#mask = -1;
    this.#slotted = 0;
    this.#others = undefined;
  }

  /** False when something else is in its slot, and more slots would not help. */
  #place(id: number, value: V): boolean {
    // It may be there already, from a time when its slot was taken.
    if (this.#others?.has(id) === true) return false;
    for (;;) {
      const slot = id & this.#mask;
      if (this.#mask >= 0) {
        if (this.#ids[slot] === undefined) {
          this.#ids[slot] = id;
          this.#values[slot] = value;
          this.#slotted += 1;
          return true;
        }
        if (this.#ids[slot] === id) {
          this.#values[slot] = value;
          return true;
        }
      }
      // A few that stay for long are in the way of others; that is no reason to grow.
      const slots = this.#mask + 1;
      if (slots >= MAX_SLOTS || this.#slotted * 2 < slots) return false;
      this.#grow(Math.max(slots * 2, FIRST_SLOTS));
    }
  }

  #grow(slots: number): void {
    const ids = this.#ids;
    const values = this.#values;
    this.#mask = slots - 1;
    this.#ids = new Array<number | undefined>(slots).fill(undefined);
    this.#values = new Array<V | undefined>(slots).fill(undefined);
    for (const [index, id] of ids.entries()) {
      if (id === undefined) continue;
      this.#ids[id & this.#mask] = id;
      this.#values[id & this.#mask] = values[index];
    }
  }

  #setOther(id: RequestId, value: V): void {
    this.#others ??= new Map();
    this.#others.set(id, value);
  }
}
