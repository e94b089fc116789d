/** The protocol's own methods, one row each. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { missingScopes } from '../protocol/authorization.js';
import { invalidParams, ProtocolError, resourceNotFound } from '../protocol/errors.js';
import { lazily } from '../protocol/lazily.js';
import type { CacheHints } from '../protocol/model/base.js';
import { resultOf } from '../protocol/revisions/result-text.js';
import type { Completers } from './completion.js';
import type { CallContext } from './context.js';
import type { Dispatcher } from './dispatcher.js';
import { isLogLevel } from './peer.js';
import type { PromptEntry } from './prompts.js';
import { RegistrationError } from './registration.js';
import type { Registry } from './registry.js';
import { listingRoute } from './resource-list.js';
import { type ResourceEntry, uriOf } from './resources.js';
import type { Route } from './route.js';
import { Session } from './session.js';
import { subscribeWithin } from './subscribe.js';
import { type ListenHost, listen } from './subscriptions.js';
import type { ToolEntry } from './tools.js';

const loadMatching = lazily(() => import('./uri-match.js'));
const loadCompletion = lazily(() => import('./complete.js'));

export interface Catalogue {
  readonly tools: Registry<ToolEntry>;
  readonly resources: Registry<ResourceEntry>;
  readonly templates: Registry<ResourceEntry>;
  readonly prompts: Registry<PromptEntry>;
}

export interface RouteHost extends ListenHost {
  readonly catalogue: Catalogue;
  readonly dispatcher: Dispatcher;
  readonly pageSize: number;
  readonly listCache: CacheHints;
  discover(): JsonObject;
}

export function protocolRoutes(host: RouteHost): Readonly<Record<string, Route>> {
  const { tools, resources, templates, prompts } = host.catalogue;
  const hasTools = (): boolean => host.capabilities().tools !== undefined;
  const hasResources = (): boolean => host.capabilities().resources !== undefined;
  const canSubscribe = (): boolean => host.capabilities().resources?.subscribe === true;
  const hasPrompts = (): boolean => host.capabilities().prompts !== undefined;
  return {
    ping: { handle: () => ({}) },
    'server/discover': { handle: () => host.discover() },
    'tools/list': permittedTools(
      listRoute(host, tools, hasTools, (entries) => ({ tools: describable(entries) })),
      tools,
    ),
    'tools/call': { available: hasTools, handle: (params, ctx) => callTool(tools, params, ctx) },
    'resources/list': listingRoute(
      listRoute(host, resources, hasResources, (entries) => ({
        resources: entries.map((entry) => entry.shown),
      })),
      templates,
    ),
    'resources/templates/list': listRoute(host, templates, hasResources, (entries) => ({
      resourceTemplates: entries.map((entry) => entry.shownTemplate),
    })),
    'resources/read': {
      available: hasResources,
      handle: (params, ctx) => readResource(host.catalogue, params, ctx),
    },
    'resources/subscribe': {
      available: canSubscribe,
      handle: (params, ctx) => {
        const session = sessionOf(ctx);
        subscribeWithin(session, requireUri(params), host.limits);
        return {};
      },
    },
    'resources/unsubscribe': {
      available: canSubscribe,
      handle: (params, ctx) => {
        sessionOf(ctx).unsubscribe(requireUri(params));
        return {};
      },
    },
    'prompts/list': listRoute(host, prompts, hasPrompts, (entries) => ({
      prompts: describable(entries),
    })),
    'prompts/get': {
      available: hasPrompts,
      handle: (params, ctx) => requireNamed(prompts, 'prompt', params).get(params, ctx),
    },
    'completion/complete': {
      available: () => host.capabilities().completions !== undefined,
      handle: (params, ctx) => completeArgument(host.catalogue, params, ctx),
    },
    'logging/setLevel': {
      available: () => host.capabilities().logging !== undefined,
      handle: (params, ctx) => {
        if (!isLogLevel(params.level))
          throw invalidParams(`Unknown log level ${JSON.stringify(params.level)}`);
        sessionOf(ctx).setLogLevel(params.level);
        return {};
      },
    },
    'subscriptions/listen': {
      // Not loaded lazily: what a client sends next must not overtake it.
      handle: (params, ctx) => listen(params, ctx, host),
    },
  };
}

/** A list is made once for each page and kept until its registry changes. */
function listRoute<Entry>(
  host: RouteHost,
  registry: Registry<Entry>,
  available: () => boolean,
  show: (entries: readonly Entry[]) => JsonObject,
): Route {
  let version = -1;
  const pages = new Map<unknown, JsonObject>();
  const handedOut = new Set<unknown>([undefined]);
  return {
    available,
    handle: ({ cursor }) => {
      if (version !== registry.version) {
        pages.clear();
        handedOut.clear();
        handedOut.add(undefined);
        version = registry.version;
      }
      const known = pages.get(cursor);
      if (known !== undefined) return known;
      const { entries, nextCursor } = registry.page(cursor, host.pageSize);
      const result: JsonObject = { ...show(entries), ...host.listCache };
      if (nextCursor !== undefined) result.nextCursor = nextCursor;
      // Cursors can be guessed, and a page from each position would be the list many times over: only the pages
      // that begin where the one before ended are kept.
      if (!handedOut.has(cursor)) return result;
      if (nextCursor !== undefined) handedOut.add(nextCursor);
      pages.set(cursor, host.dispatcher.prepare(result));
      return result;
    },
  };
}

/** The entries as they are listed, without those that were reported as not usable when the server started. */
function describable<Shown>(entries: readonly { readonly shown: Shown }[]): Shown[] {
  return entries.flatMap((entry) => {
    try {
      return [entry.shown];
    } catch (error) {
      if (error instanceof RegistrationError) return [];
      throw error;
    }
  });
}

/** Leaves out what the caller may not call, for servers that want their lists so. */
function permittedTools(route: Route, registry: Registry<ToolEntry>): Route {
  return {
    ...route,
    handle: (params, ctx) => {
      const result = route.handle(params, ctx);
      const { auth } = ctx;
      if (auth?.listsPermittedOnly !== true || result instanceof Promise) return result;
      const list = resultOf(result);
      const shown: readonly unknown[] = Array.isArray(list.tools) ? list.tools : [];
      const scopesOf = (tool: unknown): readonly string[] =>
        (isRecord(tool) && typeof tool.name === 'string' && registry.get(tool.name)?.scopes) || [];
      return { ...list, tools: shown.filter((tool) => missingScopes(auth, scopesOf(tool)).length === 0) };
    },
  };
}

function callTool(
  tools: Registry<ToolEntry>,
  params: JsonObject,
  ctx: CallContext,
): JsonObject | Promise<JsonObject> {
  return requireNamed(tools, 'tool', params).call(params, ctx);
}

async function readResource(catalogue: Catalogue, params: JsonObject, ctx: CallContext): Promise<JsonObject> {
  const uri = requireUri(params);
  const fixed = catalogue.resources.get(uri);
  if (fixed !== undefined) return fixed.read(uri, {}, ctx);
  const { matchUri } = await loadMatching();
  for (const entry of catalogue.templates.entries()) {
    const variables = entry.template === undefined ? undefined : matchUri(entry.template, uri);
    if (variables !== undefined) return entry.read(uri, variables, ctx);
  }
  throw resourceNotFound(uri);
}

async function completeArgument(
  catalogue: Catalogue,
  params: JsonObject,
  ctx: CallContext,
): Promise<JsonObject> {
  const { complete, parseCompletion } = await loadCompletion();
  const { ref, target } = parseCompletion(params);
  return complete(completersFor(catalogue, ref), target, ctx);
}

function completersFor(catalogue: Catalogue, ref: JsonObject): Completers {
  if (ref.type === 'ref/prompt') return requireNamed(catalogue.prompts, 'prompt', ref).complete;
  const uri = requireUri(ref);
  const entry = catalogue.templates.get(uri) ?? catalogue.resources.get(uri);
  if (entry === undefined) throw invalidParams(`Unknown resource template: ${uri}`);
  return entry.complete;
}

function requireNamed<Entry>(registry: Registry<Entry>, kind: string, params: JsonObject): Entry {
  const { name } = params;
  if (typeof name !== 'string') throw invalidParams(`"name" must be a string: the name of a ${kind}`);
  const entry = registry.get(name);
  if (entry === undefined) throw invalidParams(`Unknown ${kind}: ${name}`, { name });
  return entry;
}

function requireUri(params: JsonObject): string {
  const uri = uriOf(params);
  if (uri === undefined) throw invalidParams('"uri" must be a string');
  return uri;
}

/** These methods exist in handshake revisions only, whose peers are sessions. */
function sessionOf(ctx: CallContext): Session {
  if (ctx.peer instanceof Session) return ctx.peer;
  throw new ProtocolError('invalid_request', `${ctx.method} needs a session`);
}
