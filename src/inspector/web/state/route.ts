/** Follows where the page is. */

import { useSyncExternalStore } from 'react';
import { type PageRoute, parseRoute } from './route-path.js';

export { type PanelName, parseRoute, routeHash } from './route-path.js';

export function goTo(hash: string): void {
  location.hash = hash;
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

let last: { hash: string; route: PageRoute } | undefined;

function current(): PageRoute {
  if (last?.hash !== location.hash) last = { hash: location.hash, route: parseRoute(location.hash) };
  return last.route;
}

export function useRoute(): PageRoute {
  return useSyncExternalStore(subscribe, current);
}
