/**
 * Middleware by what it is about: an object with a part for each kind of event. A plain function sees everything.
 */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { invalidParams, resourceNotFound } from '../protocol/errors.js';
import type { Call, CallFilter, FilteredMiddleware, Middleware } from './compose.js';

export interface Layer {
  /** Every request of the client. */
  readonly request?: Middleware;
  /** What the client uses: tools/call, prompts/get, resources/read. */
  readonly call?: Middleware;
  /** The lists of tools, prompts, resources and templates. */
  readonly list?: Middleware;
  /** The server's questions: elicitation, sampling, roots. */
  readonly ask?: Middleware;
  /** Notifications of both sides, progress included. */
  readonly notification?: Middleware;
  readonly progress?: Middleware;
  readonly tools?: ItemRule;
  readonly prompts?: ItemRule;
  readonly resources?: ItemRule;
}

/** One rule for a thing in a list and for its use, so that what is hidden cannot be used either. */
export interface ItemRule {
  /** The item as clients see it; undefined leaves it out. */
  show(item: JsonObject, call: Call): Awaitable<JsonObject | undefined>;
  /** The params of its use as they go on; undefined when there is no such thing for this caller. */
  open(params: JsonObject, call: Call): Awaitable<JsonObject | undefined>;
}

type Awaitable<T> = T | Promise<T>;

const CALLS: readonly string[] = ['tools/call', 'prompts/get', 'resources/read'];
export const LISTS: readonly string[] = [
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
];

const REQUESTS: CallFilter = { direction: 'inbound', kind: 'request' };

export function entriesOf(layer: Layer | Middleware): FilteredMiddleware[] {
  if (typeof layer === 'function') return [{ filter: {}, middleware: layer }];
  const entries: FilteredMiddleware[] = [];
  const add = (filter: CallFilter, middleware: Middleware | undefined): void => {
    if (middleware !== undefined) entries.push({ filter, middleware });
  };
  add(REQUESTS, layer.request);
  for (const [kind, lists] of Object.entries(FIELDS)) {
    const rule = layer[kind as keyof typeof FIELDS];
    if (rule === undefined) continue;
    for (const { method, field } of lists.lists) add({ ...REQUESTS, method }, showing(rule, field));
    add({ ...REQUESTS, method: lists.uses }, opening(rule));
    if (lists.completes !== undefined)
      add({ ...REQUESTS, method: 'completion/complete' }, completing(rule, lists.completes));
  }
  add({ ...REQUESTS, method: CALLS }, layer.call);
  add({ ...REQUESTS, method: LISTS }, layer.list);
  add({ direction: 'outbound', kind: 'request' }, layer.ask);
  add({ kind: 'notification' }, layer.notification);
  add({ kind: 'notification', method: 'notifications/progress' }, layer.progress);
  return entries;
}

/** Where each kind of thing is listed and used. */
const FIELDS: Readonly<
  Record<
    'tools' | 'prompts' | 'resources',
    {
      readonly lists: readonly { readonly method: string; readonly field: string }[];
      readonly uses: readonly string[];
      readonly completes?: string;
    }
  >
> = {
  tools: { lists: [{ method: 'tools/list', field: 'tools' }], uses: ['tools/call'] },
  prompts: {
    lists: [{ method: 'prompts/list', field: 'prompts' }],
    uses: ['prompts/get'],
    completes: 'ref/prompt',
  },
  resources: {
    lists: [
      { method: 'resources/list', field: 'resources' },
      { method: 'resources/templates/list', field: 'resourceTemplates' },
    ],
    uses: ['resources/read', 'resources/subscribe', 'resources/unsubscribe'],
    completes: 'ref/resource',
  },
};

function showing(rule: ItemRule, field: string): Middleware {
  return async (call, next) => {
    const result = await next();
    const items = result[field];
    if (!Array.isArray(items)) return result;
    const shown = await Promise.all(items.map((item) => (isRecord(item) ? rule.show(item, call) : item)));
    return { ...result, [field]: shown.filter((item) => item !== undefined) };
  };
}

function opening(rule: ItemRule): Middleware {
  return async (call, next) => {
    const params = await rule.open(call.params, call);
    if (params === undefined) throw unknown(call);
    return next(params === call.params ? call : { ...call, params });
  };
}

/** Suggestions would tell that a hidden thing exists. */
function completing(rule: ItemRule, type: string): Middleware {
  return async (call, next) => {
    const { ref } = call.params;
    if (!isRecord(ref) || ref.type !== type) return next();
    const opened = await rule.open(ref, call);
    if (opened === undefined) throw unknown({ ...call, params: ref });
    return next(opened === ref ? call : { ...call, params: { ...call.params, ref: opened } });
  };
}

/** The words for what never was: a refusal must not tell that there is something to refuse. */
function unknown({ method, params }: Call): Error {
  if (typeof params.uri === 'string') return resourceNotFound(params.uri);
  const kind = method === 'tools/call' ? 'tool' : 'prompt';
  return invalidParams(`Unknown ${kind}: ${String(params.name)}`, { name: params.name });
}
