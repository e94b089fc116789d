/**
 * Between which numbers a schema leaves a choice. Libraries write the limits of the type itself (zod does for every
 * integer) as if the author had set them: these are no edges of a tool, and a number there has no fraction any more.
 */

import type { JsonObject } from '../../jsonrpc/message.js';

export interface Bounds {
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
}

export function boundsOf({ minimum, maximum }: JsonObject): Bounds {
  return { minimum: setByAuthor(minimum), maximum: setByAuthor(maximum) };
}

function setByAuthor(bound: unknown): number | undefined {
  return typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined;
}
