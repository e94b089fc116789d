/** Light or dark: as the system has it, unless chosen here. */

import { createStore, useStore, type ValueStore } from './store.js';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'plumb.theme';
const system = window.matchMedia('(prefers-color-scheme: dark)');

function remembered(): Theme {
  const value = localStorage.getItem(KEY);
  return value === 'light' || value === 'dark' ? value : 'system';
}

const theme: ValueStore<Theme> = createStore(remembered());

function apply(): void {
  const chosen = theme.get();
  const dark = chosen === 'dark' || (chosen === 'system' && system.matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
}

export function startTheme(): void {
  apply();
  system.addEventListener('change', apply);
  theme.subscribe(apply);
}

export function setTheme(next: Theme): void {
  localStorage.setItem(KEY, next);
  theme.update(() => next);
}

export function useTheme(): Theme {
  return useStore(theme, (value) => value);
}

/** The colours that the page has at this moment. */
export function shownColours(): 'light' | 'dark' {
  return document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light';
}

/** Calls back when the system changes its colours; returns what ends that. */
export function followColours(changed: () => void): () => void {
  system.addEventListener('change', changed);
  return () => system.removeEventListener('change', changed);
}
