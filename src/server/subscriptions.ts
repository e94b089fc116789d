/** `subscriptions/listen`: a request that stays open and carries the changes its filter names. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { invalidParams } from '../protocol/errors.js';
import type { ListKind } from '../protocol/list-kind.js';
import type { ServerCapabilities } from '../protocol/model/capabilities.js';
import { META_SUBSCRIPTION_ID } from '../protocol/model/meta.js';
import type { SubscriptionFilter } from '../protocol/model/subscriptions.js';
import type { Closing } from './closing.js';
import type { CallContext } from './context.js';
import type { HonouredFilter } from './extensions.js';
import type { ChangeHub, ExtensionAnnouncement } from './hub.js';
import type { LimitNumbers } from './limits.js';

export interface ListenHost {
  readonly hub: ChangeHub;
  readonly closing: Closing;
  readonly limits: LimitNumbers;
  capabilities(): ServerCapabilities;
  /** What extensions add to the filter. */
  honoured?(requested: JsonObject, ctx: CallContext): Promise<readonly HonouredFilter[]> | undefined;
}

const LIST_FIELDS: Readonly<Record<ListKind, keyof SubscriptionFilter>> = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
};

/** Serves one listen request until the client cancels it or the server closes. */
export async function listen(
  params: JsonObject,
  ctx: CallContext,
  { hub, closing, limits, capabilities, honoured: honouredByExtensions }: ListenHost,
): Promise<JsonObject> {
  const filter = honoured(params, capabilities(), limits);
  const extending = honouredByExtensions?.(requestedFilter(params), ctx);
  const extended = extending === undefined ? [] : await extending;
  const meta = { [META_SUBSCRIPTION_ID]: ctx.id };
  const uris = new Set(filter.resourceSubscriptions);
  const listening = hub.listening();
  if (listening !== undefined) await listening;
  const fields = Object.fromEntries(extended.map(({ field, value }) => [field, value]));
  ctx.notify('notifications/subscriptions/acknowledged', {
    _meta: meta,
    notifications: { ...filter, ...fields },
  });
  const deliver = (method: string, change: JsonObject): void =>
    ctx.notify(method, { ...change, _meta: { ...(isRecord(change._meta) ? change._meta : {}), ...meta } });
  const remove = hub.add({
    wantsList: (kind) => filter[LIST_FIELDS[kind]] === true,
    wantsResource: (uri) => uris.has(uri),
    resources: () => uris,
    // Log messages never travel on a listen stream.
    wantsLog: () => false,
    deliver,
    ...(extended.length === 0 ? {} : { heardExtension: extensionListener(extended, deliver) }),
  });
  try {
    await ended(ctx.signal, closing);
  } finally {
    remove();
  }
  return { _meta: meta };
}

/** Delivers what filters of extensions let through, in the order in which it was announced. */
function extensionListener(
  filters: readonly HonouredFilter[],
  deliver: (method: string, params: JsonObject) => void,
): (announcement: ExtensionAnnouncement) => void {
  let tail: Promise<void> = Promise.resolve();
  return ({ field, key, method, params }) => {
    const filter = filters.find((candidate) => candidate.field === field);
    if (filter === undefined || (filter.value !== true && !filter.value.includes(key))) return;
    tail = tail
      .then(async () => {
        const notification =
          method === undefined ? await filter.current(key) : { method, params: params ?? {} };
        if (notification !== undefined) deliver(notification.method, notification.params);
      })
      // What cannot be read now is announced again when it changes.
      .catch(() => undefined);
  };
}

/** The part of the filter that this server can honour. */
function honoured(
  params: JsonObject,
  capabilities: ServerCapabilities,
  limits: LimitNumbers,
): SubscriptionFilter {
  const requested = requestedFilter(params);
  const uris = requestedResources(params, limits);
  const filter: SubscriptionFilter = {};
  if (requested.toolsListChanged === true && capabilities.tools?.listChanged === true)
    filter.toolsListChanged = true;
  if (requested.promptsListChanged === true && capabilities.prompts?.listChanged === true)
    filter.promptsListChanged = true;
  if (requested.resourcesListChanged === true && capabilities.resources?.listChanged === true) {
    filter.resourcesListChanged = true;
  }
  if (uris !== undefined && capabilities.resources?.subscribe === true)
    filter.resourceSubscriptions = [...uris];
  return filter;
}

function requestedFilter({ notifications }: JsonObject): JsonObject {
  if (isRecord(notifications)) return notifications;
  throw invalidParams('subscriptions/listen needs an object "notifications"');
}

/** The resources that a listen request names, each once. Throws when they are no URIs, or too many. */
export function requestedResources(
  params: JsonObject,
  limits: LimitNumbers,
): ReadonlySet<string> | undefined {
  const uris = requestedFilter(params).resourceSubscriptions;
  if (uris === undefined) return undefined;
  if (!Array.isArray(uris)) throw invalidParams('"resourceSubscriptions" must be an array of URIs');
  // Before anything is done with them: each may cost a message to another server.
  if (uris.length > limits.subscriptions)
    throw invalidParams(
      `A stream names at most ${limits.subscriptions} resources; open another one for more`,
    );
  if (!uris.every((uri) => typeof uri === 'string'))
    throw invalidParams('"resourceSubscriptions" must be an array of URIs');
  return new Set(uris);
}

function ended(signal: AbortSignal, closing: Closing): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      signal.removeEventListener('abort', wake);
      forget();
      resolve();
    };
    let forget = (): void => undefined;
    signal.addEventListener('abort', wake);
    forget = closing.onBegin(wake);
    if (signal.aborted) wake();
  });
}
