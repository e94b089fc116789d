/** What the user has typed in a form and not sent, by place. The process keeps it: a reload goes on with it. */

import { useRef } from 'react';
import { command } from './api-client.js';
import { setDraftHere, useInspector } from './inspector.js';
import { PAGE } from './inspector-state.js';

const PAUSE_MS = 250;
const waiting = new Map<string, { readonly timer: ReturnType<typeof setTimeout>; readonly value: unknown }>();

function send(place: string): void {
  const draft = waiting.get(place);
  if (draft === undefined) return;
  clearTimeout(draft.timer);
  waiting.delete(place);
  // A draft that cannot be kept is still in the page.
  command('drafts.set', { place, value: draft.value, page: PAGE }, { keepalive: true }).catch(
    () => undefined,
  );
}

// What was typed last is sent before the page goes.
window.addEventListener('pagehide', () => {
  for (const place of [...waiting.keys()]) send(place);
});

function setDraft(place: string, value: unknown): void {
  clearTimeout(waiting.get(place)?.timer);
  setDraftHere(place, value);
  waiting.set(place, { value, timer: setTimeout(() => send(place), PAUSE_MS) });
}

export function useDraft<T>(place: string, initial: () => T): [T, (value: T) => void] {
  const kept = useInspector((state) => state.drafts[place]) as T | undefined;
  const first = useRef<{ readonly place: string; readonly value: T } | undefined>(undefined);
  // The same value as long as nothing is typed: it may take long to make.
  if (kept === undefined && first.current?.place !== place) first.current = { place, value: initial() };
  const value = kept ?? (first.current?.place === place ? first.current.value : initial());
  return [value, (next) => setDraft(place, next)];
}
