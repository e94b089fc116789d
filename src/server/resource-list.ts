/** The list of resources: those with a fixed URI first, then what the templates list by themselves. */

import type { JsonObject } from '../jsonrpc/message.js';
import { invalidParams } from '../protocol/errors.js';
import type { Resource } from '../protocol/model/resources.js';
import { resultOf } from '../protocol/revisions/result-text.js';
import type { CallContext } from './context.js';
import type { Registry } from './registry.js';
import type { ResourceEntry } from './resources.js';
import type { Route } from './route.js';

/** Where a page of the templates begins: in which of them, and with which cursor of its own. */
interface Place {
  readonly template: string;
  readonly cursor: string | undefined;
}

const MARK = 'template ';

export function listingRoute(fixed: Route, templates: Registry<ResourceEntry>): Route {
  return {
    ...fixed,
    handle: (params, ctx) => {
      const listing = [...templates.entries()].filter((entry) => entry.lists);
      const place = placeOf(params.cursor);
      if (place !== undefined) return listFrom(listing, place, [], ctx);
      const answer = fixed.handle(params, ctx);
      const [first] = listing;
      if (first === undefined || answer instanceof Promise) return answer;
      const page = resultOf(answer);
      if (page.nextCursor !== undefined) return page;
      const resources = Array.isArray(page.resources) ? page.resources : [];
      return listFrom(listing, { template: first.uri, cursor: undefined }, resources, ctx);
    },
  };
}

/** What a template lists is made for its caller, and may be different the next time. */
async function listFrom(
  listing: readonly ResourceEntry[],
  { template, cursor }: Place,
  before: readonly Resource[],
  ctx: CallContext,
): Promise<JsonObject> {
  const index = listing.findIndex(({ uri }) => uri === template);
  const entry = listing[index];
  if (entry === undefined) throw invalidParams('Unknown cursor; list again without one');
  const { resources, nextCursor } = await entry.list(cursor, ctx);
  const next = listing[index + 1];
  const place =
    nextCursor !== undefined
      ? { template, cursor: nextCursor }
      : next && { template: next.uri, cursor: undefined };
  return {
    resources: [...before, ...resources],
    ...(place === undefined
      ? {}
      : { nextCursor: MARK + JSON.stringify([place.template, place.cursor ?? null]) }),
    ttlMs: 0,
    cacheScope: 'private',
  };
}

function placeOf(cursor: unknown): Place | undefined {
  if (typeof cursor !== 'string' || !cursor.startsWith(MARK)) return undefined;
  try {
    const [template, inner]: unknown[] = JSON.parse(cursor.slice(MARK.length));
    if (typeof template === 'string' && (inner === null || typeof inner === 'string'))
      return { template, cursor: inner ?? undefined };
  } catch {
    // Not one of ours.
  }
  throw invalidParams('Unknown cursor; list again without one');
}
