/** The height of a row in long lists: the same as `--row` in the style sheet, which the lists have to know. */

import { useSyncExternalStore } from 'react';

const large = window.matchMedia('(min-width: 2400px)');

function subscribe(listener: () => void): () => void {
  large.addEventListener('change', listener);
  return () => large.removeEventListener('change', listener);
}

export function useRowHeight(): number {
  return useSyncExternalStore(subscribe, () => (large.matches ? 34 : 30));
}
