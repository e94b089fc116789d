/** Messages that the user wants to keep at hand, to compare them. */

import { createStore, type Store, useStore } from '../../state/store.js';

const MAX_PINS = 50;

const pins: Store<readonly number[]> = createStore<readonly number[]>([]);

export function togglePin(seq: number): void {
  pins.update((now) =>
    now.includes(seq) ? now.filter((each) => each !== seq) : [...now, seq].slice(-MAX_PINS),
  );
}

export function usePins(): readonly number[] {
  return useStore(pins, (now) => now);
}

export function usePinned(seq: number): boolean {
  return useStore(pins, (now) => now.includes(seq));
}
