/** What `server.use` accepts: layers and functions, or a method and the function for it. */

import type { CallFilter, FilteredMiddleware, Middleware } from '../middleware/compose.js';
import { entriesOf, type Layer } from '../middleware/layer.js';
import { methodMiddleware } from '../middleware/typed-call.js';
import { REVISIONS } from '../protocol/revisions/index.js';

/** The compiler has read what typed code passes; the rest is checked here. */
export function middlewareEntries(given: readonly unknown[]): FilteredMiddleware[] {
  const [first, second] = given;
  if (typeof first === 'string' || isFilter(first)) {
    if (!isMiddleware(second))
      throw new TypeError('use(filter, middleware) needs a middleware: a function of (call, next)');
    if (typeof first !== 'string') return [{ filter: first, middleware: second }];
    assertKnown(first);
    return [methodMiddleware(first, second)];
  }
  return given.flatMap((layer) => {
    if (isMiddleware(layer) || isLayer(layer)) return entriesOf(layer);
    throw new TypeError(`use() takes functions of (call, next) and layers, and not a ${typeof layer}`);
  });
}

function isMiddleware(value: unknown): value is Middleware {
  return typeof value === 'function';
}

function isLayer(value: unknown): value is Layer {
  return typeof value === 'object' && value !== null;
}

/** A filter says which calls; a layer has functions for them. */
function isFilter(given: unknown): given is CallFilter {
  if (!isLayer(given)) return false;
  return Object.values(given).every((part) => typeof part === 'string' || Array.isArray(part));
}

function assertKnown(method: string): void {
  const prefix = method.endsWith('*') ? method.slice(0, -1) : undefined;
  const isKnown = (known: string): boolean =>
    prefix === undefined ? known === method : known.startsWith(prefix);
  if (
    REVISIONS.some(({ clientRequests, serverRequests, clientNotifications, serverNotifications }) =>
      [clientRequests, serverRequests, clientNotifications, serverNotifications].some((methods) =>
        [...methods].some(isKnown),
      ),
    )
  )
    return;
  throw new TypeError(
    `The protocol has no method "${method}"; check the spelling, or pass { method: "${method}" } for a method of your own`,
  );
}
