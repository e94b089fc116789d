/** The methods of the protocol, whatever their revision. */

import { canonicalName } from '../middleware/canonical-name.js';
import { REVISIONS } from '../protocol/revisions/index.js';

/**
 * Whether some revision has this request; such a method is never an extension. Another spelling of it is none either: a
 * lenient server behind us would do what the middleware for the method has not seen.
 */
export function isProtocolMethod(method: string): boolean {
  protocolMethods ??= new Set(REVISIONS.flatMap(({ clientRequests }) => [...clientRequests].map(bareMethod)));
  return protocolMethods.has(bareMethod(method));
}

let protocolMethods: ReadonlySet<string> | undefined;

function bareMethod(method: string): string {
  const parts = canonicalName(method).toLowerCase().split('/');
  return parts.filter((part) => part !== '').join('/');
}
