/**
 * Middleware by what it is about: an object with a part for each kind of event. A plain function sees everything.
 */

import type { JsonObject } from '../jsonrpc/message.js';
import type { Awaitable } from '../protocol/awaitable.js';
import { lazily } from '../protocol/lazily.js';
import type { ListKind } from '../protocol/list-kind.js';
import type { Call, CallFilter, FilteredMiddleware, Middleware } from './compose.js';
import type { RuleMiddleware } from './item-rules.js';

/** Middleware by kind: for calls, lists, questions, notifications, and the entries of lists. */
export interface Layer {
  /** Every request of the client. */
  readonly request?: Middleware | undefined;
  /** What the client uses: tools/call, prompts/get, resources/read. */
  readonly call?: Middleware | undefined;
  /** The lists of tools, prompts, resources and templates. */
  readonly list?: Middleware | undefined;
  /** The server's questions: elicitation, sampling, roots. */
  readonly ask?: Middleware | undefined;
  /** Notifications of both sides, progress included. */
  readonly notification?: Middleware | undefined;
  readonly progress?: Middleware | undefined;
  readonly tools?: ItemRule | undefined;
  readonly prompts?: ItemRule | undefined;
  readonly resources?: ItemRule | undefined;
}

/**
 * One rule for a thing in a list and for its use, so that what is hidden cannot be used either. Names and URIs come to it
 * in one canonical spelling, and that one goes on to the server, or the one that the server itself listed.
 */
export interface ItemRule {
  /**
   * True where it depends on who is calling: results are then marked private, for caches between here and the
   * client.
   */
  readonly perCaller?: boolean | undefined;
  /** The item as clients see it; undefined leaves it out. */
  show(item: JsonObject, call: Call): Awaitable<JsonObject | undefined>;
  /** The params of its use as they go on; undefined when there is no such thing for this caller. */
  open(params: JsonObject, call: Call): Awaitable<JsonObject | undefined>;
}

const CALLS: readonly string[] = ['tools/call', 'prompts/get', 'resources/read'];
export const LISTS: readonly string[] = [
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
];

const REQUESTS: CallFilter = { direction: 'inbound', kind: 'request' };
const UPDATES: CallFilter = { direction: 'outbound', kind: 'notification' };

export function entriesOf(layer: Layer | Middleware): FilteredMiddleware[] {
  if (typeof layer === 'function') return [{ filter: {}, middleware: layer }];
  const entries: FilteredMiddleware[] = [];
  const add = (filter: CallFilter, middleware: Middleware | undefined): void => {
    if (middleware !== undefined) entries.push({ filter, middleware });
  };
  add(REQUESTS, layer.request);
  for (const { kind, lists, uses, completes } of KINDS) {
    const rule = layer[kind];
    if (rule === undefined) continue;
    const ruled = ruleOpener(kind, rule);
    for (const { method, field } of lists)
      add(
        { ...REQUESTS, method },
        ruled((by) => by.showing(field)),
      );
    add(
      { ...REQUESTS, method: uses },
      ruled((by) => by.opening),
    );
    if (completes !== undefined)
      add(
        { ...REQUESTS, method: 'completion/complete' },
        ruled((by) => by.completing(completes)),
      );
    if (kind !== 'resources') continue;
    add(
      { ...REQUESTS, method: 'subscriptions/listen' },
      ruled((by) => by.watching),
    );
    add(
      { ...UPDATES, method: 'notifications/resources/updated' },
      ruled((by) => by.updating),
    );
  }
  add({ ...REQUESTS, method: CALLS }, layer.call);
  add({ ...REQUESTS, method: LISTS }, layer.list);
  add({ direction: 'outbound', kind: 'request' }, layer.ask);
  add({ kind: 'notification' }, layer.notification);
  add({ kind: 'notification', method: 'notifications/progress' }, layer.progress);
  return entries;
}

const loadRules = lazily(() => import('./item-rules.js'));

/** What applies a rule is loaded with the first call that it concerns: most servers have no rules. */
function ruleOpener(
  kind: ListKind,
  rule: ItemRule,
): (part: (by: RuleMiddleware) => Middleware) => Middleware {
  let opened: RuleMiddleware | undefined;
  return (part) => {
    let ready: Middleware | undefined;
    return async (call, next) => {
      if (ready === undefined) {
        const { ruleMiddleware } = await loadRules();
        opened ??= ruleMiddleware(kind, rule);
        ready ??= part(opened);
      }
      return ready(call, next);
    };
  };
}

/** Where each kind of thing is listed and used. */
const KINDS: readonly {
  readonly kind: ListKind;
  readonly lists: readonly { readonly method: string; readonly field: string }[];
  readonly uses: readonly string[];
  readonly completes?: string;
}[] = [
  { kind: 'tools', lists: [{ method: 'tools/list', field: 'tools' }], uses: ['tools/call'] },
  {
    kind: 'prompts',
    lists: [{ method: 'prompts/list', field: 'prompts' }],
    uses: ['prompts/get'],
    completes: 'ref/prompt',
  },
  {
    kind: 'resources',
    lists: [
      { method: 'resources/list', field: 'resources' },
      { method: 'resources/templates/list', field: 'resourceTemplates' },
    ],
    uses: ['resources/read', 'resources/subscribe', 'resources/unsubscribe'],
    completes: 'ref/resource',
  },
];
