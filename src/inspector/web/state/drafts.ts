/** What the user has typed in a form and not sent, by place; it is still there when they come back. */

import { createStore, type Store, useStore } from './store.js';

const MAX_DRAFTS = 200;

const drafts: Store<ReadonlyMap<string, unknown>> = createStore<ReadonlyMap<string, unknown>>(new Map());

export function useDraft<T>(place: string, initial: () => T): [T, (value: T) => void] {
  const kept = useStore(drafts, (all) => all.get(place)) as T | undefined;
  const set = (value: T) =>
    drafts.update((before) => {
      const after = new Map(before);
      after.delete(place);
      after.set(place, value);
      const oldest = after.keys().next();
      if (after.size > MAX_DRAFTS && !oldest.done) after.delete(oldest.value);
      return after;
    });
  return [kept ?? initial(), set];
}
