/** The list of resources: those with a fixed URI first, then what the templates list by themselves. */

import type { JsonObject } from '../jsonrpc/message.js';
import { lazily } from '../protocol/lazily.js';
import type { Resource } from '../protocol/model/resources.js';
import { resultOf } from '../protocol/revisions/result-text.js';
import type { CallContext } from './context.js';
import type { Registry } from './registry.js';
import type { ResourceEntry } from './resources.js';
import type { Route } from './route.js';

const loadLists = lazily(() => import('./template-lists.js'));

/** How cursors of what templates list begin. */
const TEMPLATE_MARK = 'template ';

export function listingRoute(fixed: Route, templates: Registry<ResourceEntry>): Route {
  return {
    ...fixed,
    handle: (params, ctx) => {
      const { cursor } = params;
      if (typeof cursor === 'string' && cursor.startsWith(TEMPLATE_MARK))
        return listed(templates, cursor.slice(TEMPLATE_MARK.length), [], ctx);
      const answer = fixed.handle(params, ctx);
      const lists = [...templates.entries()].some((entry) => entry.lists);
      if (!lists || answer instanceof Promise) return answer;
      const page = resultOf(answer);
      if (page.nextCursor !== undefined) return page;
      return listed(templates, undefined, Array.isArray(page.resources) ? page.resources : [], ctx);
    },
  };
}

/** What a template lists is made for its caller, and may be different the next time. */
async function listed(
  templates: Registry<ResourceEntry>,
  begins: string | undefined,
  before: readonly Resource[],
  ctx: CallContext,
): Promise<JsonObject> {
  const { listTemplates } = await loadLists();
  const listing = [...templates.entries()].filter((entry) => entry.lists);
  const { resources, next } = await listTemplates(listing, begins, ctx);
  return {
    resources: [...before, ...resources],
    ...(next === undefined ? {} : { nextCursor: TEMPLATE_MARK + next }),
    ttlMs: 0,
    cacheScope: 'private',
  };
}
