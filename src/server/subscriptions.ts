/** `subscriptions/listen`: a request that stays open and carries the changes its filter names. */

import type { JsonObject, RequestId } from '../jsonrpc/message.js';
import { isRecord } from '../jsonrpc/message.js';
import { invalidParams } from '../protocol/errors.js';
import type { ServerCapabilities } from '../protocol/model/capabilities.js';
import { META_SUBSCRIPTION_ID } from '../protocol/model/meta.js';
import type { SubscriptionFilter } from '../protocol/model/subscriptions.js';
import type { Closing } from './closing.js';
import type { CallContext } from './context.js';
import type { Hub, ListKind } from './hub.js';

/** The most resources one stream may name; a client with more opens another. */
const MAX_RESOURCES = 10_000;

const LIST_FIELDS: Readonly<Record<ListKind, keyof SubscriptionFilter>> = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
};

/** Serves one listen request until the client cancels it or the server closes. */
export async function listen(
  params: JsonObject,
  ctx: CallContext,
  hub: Hub,
  capabilities: ServerCapabilities,
  closing: Closing,
): Promise<JsonObject> {
  const filter = honoured(params.notifications, capabilities);
  const meta = { [META_SUBSCRIPTION_ID]: ctx.id };
  const uris = new Set(filter.resourceSubscriptions);
  const listening = hub.listening();
  if (listening !== undefined) await listening;
  ctx.notify('notifications/subscriptions/acknowledged', { _meta: meta, notifications: filter });
  const remove = hub.add({
    wantsList: (kind) => filter[LIST_FIELDS[kind]] === true,
    wantsResource: (uri) => uris.has(uri),
    resources: () => uris,
    // Log messages never travel on a listen stream.
    wantsLog: () => false,
    deliver: (method, change) => ctx.notify(method, { ...change, _meta: meta }),
  });
  try {
    await ended(ctx.signal, closing);
  } finally {
    remove();
  }
  return { _meta: meta };
}

/** The part of the filter that this server can honour. */
function honoured(requested: unknown, capabilities: ServerCapabilities): SubscriptionFilter {
  if (!isRecord(requested)) throw invalidParams('subscriptions/listen needs an object "notifications"');
  const filter: SubscriptionFilter = {};
  if (requested.toolsListChanged === true && capabilities.tools?.listChanged === true)
    filter.toolsListChanged = true;
  if (requested.promptsListChanged === true && capabilities.prompts?.listChanged === true)
    filter.promptsListChanged = true;
  if (requested.resourcesListChanged === true && capabilities.resources?.listChanged === true) {
    filter.resourcesListChanged = true;
  }
  const uris = requested.resourceSubscriptions;
  if (uris !== undefined && (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string'))) {
    throw invalidParams('"resourceSubscriptions" must be an array of URIs');
  }
  if (uris !== undefined && uris.length > MAX_RESOURCES)
    throw invalidParams(`At most ${MAX_RESOURCES} resources a stream`);
  if (uris !== undefined && capabilities.resources?.subscribe === true) filter.resourceSubscriptions = uris;
  return filter;
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

/** On stdio a server that ends a stream says so with a cancellation too, for clients that wait for either. */
export function endOfListen(id: RequestId): JsonObject {
  return { requestId: id, reason: 'The server is closing' };
}
