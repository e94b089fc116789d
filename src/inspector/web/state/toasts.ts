/** Short messages that go away by themselves. */

import { createStore, useStore, type ValueStore } from './store.js';

export interface Toast {
  readonly id: number;
  readonly tone: 'info' | 'good' | 'bad';
  readonly text: string;
}

const SHOWN_MS = 6_000;
const MAX_TOASTS = 4;

const toasts: ValueStore<readonly Toast[]> = createStore<readonly Toast[]>([]);
let count = 0;

export function toast(tone: Toast['tone'], text: string): void {
  count += 1;
  const id = count;
  toasts.update((shown) => [...shown, { id, tone, text }].slice(-MAX_TOASTS));
  setTimeout(() => toasts.update((shown) => shown.filter((each) => each.id !== id)), SHOWN_MS);
}

export function useToasts(): readonly Toast[] {
  return useStore(toasts, (shown) => shown);
}
