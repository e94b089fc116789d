/** A value that components watch. A component renders again only when what it selected has changed. */

import { useCallback, useRef, useSyncExternalStore } from 'react';

export interface ValueStore<T> {
  get(): T;
  update(change: (value: T) => T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): ValueStore<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    update(change) {
      const next = change(value);
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** What `select` returns has to be the same object as long as nothing in it has changed. */
export function useStore<T, S>(store: ValueStore<T>, select: (value: T) => S): S {
  const latest = useRef(select);
  latest.current = select;
  const read = useCallback(() => latest.current(store.get()), [store]);
  return useSyncExternalStore(store.subscribe, read);
}
