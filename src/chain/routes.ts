/** The protocol's methods as a chain serves them: found, renamed, and passed on. */

import { classify } from '../client/recovery/classify.js';
import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { ownResult } from '../middleware/subject.js';
import { invalidParams, ProtocolError, resourceNotFound } from '../protocol/errors.js';
import type { ServerCapabilities } from '../protocol/model/capabilities.js';
import type { Revision } from '../protocol/revisions/index.js';
import { type Answer, resultOf } from '../protocol/revisions/result-text.js';
import type { CallContext } from '../server/context.js';
import { isLogLevel } from '../server/peer.js';
import { uriOf } from '../server/resources.js';
import type { Route } from '../server/route.js';
import { Session } from '../server/session.js';
import { subscribeWithin } from '../server/subscribe.js';
import { type ListenHost, listen, requestedResources } from '../server/subscriptions.js';
import { atMost } from './at-most.js';
import { type BridgeHost, bridgeCall } from './bridge.js';
import type { ChainExtensions } from './extensions.js';
import { ContextAsker, forward, sessionKey } from './forward.js';
import { LIST_SPECS, type Lists } from './lists.js';
import { withoutTask } from './served.js';
import { type LocatedResource, ownerOfUri, withAddress } from './server-uris.js';
import { type HandleHost, withHandles } from './session-handles.js';
import { NoRoom, type SharedSubscriptions } from './subscriptions.js';
import { callTool } from './task-calls.js';
import type { Member, NamedKind, UpstreamOwner, Upstreams } from './upstreams.js';

/** How many subscriptions of one request are opened, or given up, upstream at the same time. */
const SUBSCRIBING_AT_ONCE = 16;

export interface ChainRouteHost extends BridgeHost, ListenHost, HandleHost {
  readonly upstreams: Upstreams;
  readonly extensions: ChainExtensions;
  readonly lists: Lists;
  readonly subscriptions: SharedSubscriptions;
  /** Connects to whatever is not known yet. */
  meet(ctx: CallContext): Promise<void>;
  discover(): JsonObject;
}

export function chainRoutes(host: ChainRouteHost): Readonly<Record<string, Route>> {
  const has = (capability: keyof ServerCapabilities) => (): boolean =>
    host.capabilities()[capability] !== undefined;
  const subscribes = (): boolean => host.capabilities().resources?.subscribe === true;
  const lists = LIST_SPECS.map((spec): [string, Route] => [
    spec.method,
    { available: has(spec.capability), handle: (params, ctx) => host.lists.list(spec, params, ctx) },
  ]);
  return {
    ...Object.fromEntries(lists),
    ping: { handle: () => ({}) },
    'server/discover': {
      handle: async (_params, ctx) => {
        await host.meet(ctx);
        return host.discover();
      },
    },
    'tools/call': {
      available: has('tools'),
      resumes: true,
      handle: (params, ctx) => callNamed(host, 'tools', 'tools/call', params, ctx),
    },
    'prompts/get': {
      available: has('prompts'),
      resumes: true,
      handle: (params, ctx) => callNamed(host, 'prompts', 'prompts/get', params, ctx),
    },
    'resources/read': {
      available: has('resources'),
      resumes: true,
      handle: async (params, ctx) => {
        const uri = addressOf(host, params);
        return firstThatKnows(await locate(host, uri, ctx), uri, async ({ member, uri: own }) => {
          const named = own === params.uri ? params : { ...params, uri: own };
          const answer = await readFrom(host, member, named, ctx);
          return own === uri ? answer : withAddress(resultOf(answer), own, uri);
        });
      },
    },
    'resources/subscribe': {
      available: subscribes,
      handle: async (params, ctx) => {
        const uri = addressOf(host, params);
        const session = requireSession(ctx);
        const isNew = !session.subscriptions.has(uri);
        // Before the server is asked: what comes at the same time counts too.
        subscribeWithin(session, uri, host.limits);
        try {
          await firstThatKnows(await locate(host, uri, ctx), uri, async ({ member }) => {
            const instance = member.upstream.forCall(ctx);
            await host.subscriptions.hold(sessionKey(ctx), instance, uri, ctx.peer.account);
            return {};
          });
        } catch (error) {
          if (isNew) session.unsubscribe(uri);
          throw error;
        }
        return {};
      },
    },
    'resources/unsubscribe': {
      available: subscribes,
      handle: async (params, ctx) => {
        const uri = addressOf(host, params);
        requireSession(ctx).unsubscribe(uri);
        await host.subscriptions.drop(sessionKey(ctx), uri);
        return {};
      },
    },
    'completion/complete': {
      // The first revision completes without declaring it.
      available: () => has('completions')() || has('prompts')() || has('resources')(),
      handle: (params, ctx) => completeArgument(host, params, ctx),
    },
    'logging/setLevel': {
      available: has('logging'),
      handle: async (params, ctx) => {
        const { level } = params;
        if (!isLogLevel(level)) throw invalidParams(`Unknown log level ${JSON.stringify(level)}`);
        requireSession(ctx).setLogLevel(level);
        const members = host.upstreams.with('logging');
        await Promise.allSettled(members.map(({ upstream }) => upstream.forCall(ctx).setLogLevel(level)));
        return {};
      },
    },
    'subscriptions/listen': { handle: (params, ctx) => listenShared(host, params, ctx) },
  };
}

/** Methods that no revision has go to the first server that knows them. */
export function foreignRoute(host: ChainRouteHost, method: string): Route {
  return {
    custom: true,
    handle: async (params, ctx) => {
      const extension = host.extensions.of(method);
      if (extension !== undefined) {
        await host.meet(ctx);
        return host.extensions.handle(extension, params, ctx, host.upstreams.members);
      }
      let refusal: unknown;
      for (const member of host.upstreams.members) {
        try {
          return await passOnce(host, member, method, params, ctx);
        } catch (error) {
          if (!isUnknownMethod(error)) throw error;
          refusal = error;
        }
      }
      throw refusal;
    },
  };
}

/** Sent within this tick, unless it has to be found out first who is meant. */
function callNamed(
  host: ChainRouteHost,
  kind: NamedKind,
  method: string,
  params: JsonObject,
  ctx: CallContext,
): Promise<Answer> {
  const owner = findNamed(host, kind, params.name, ctx);
  if (!(owner instanceof Promise)) return passOn(owner, host, method, params, ctx);
  return owner.then((found) => passOn(found, host, method, params, ctx));
}

function passOn(
  owner: UpstreamOwner,
  host: ChainRouteHost,
  method: string,
  params: JsonObject,
  ctx: CallContext,
): Promise<Answer> {
  const level = ctx.peer.revision.logLevel === 'request' ? ctx.peer.logLevel : undefined;
  const instance = owner.upstream.forCall(ctx);
  const plain = withoutTask(params);
  const named = owner.name === params.name ? plain : { ...plain, name: owner.name };
  const call = (): Promise<Answer> =>
    withHandles(host, owner, named, ctx, (handed) =>
      method === 'tools/call'
        ? callTool(host, instance, handed, ctx)
        : bridgeCall(host, instance, method, handed, ctx),
    );
  return level === undefined ? call() : instance.setLogLevel(level).then(call);
}

function findNamed(
  host: ChainRouteHost,
  kind: NamedKind,
  name: unknown,
  ctx: CallContext,
): UpstreamOwner | Promise<UpstreamOwner> {
  if (typeof name !== 'string') throw invalidParams(`"name" must be a string: the name of a ${WORDS[kind]}`);
  const found = host.upstreams.named(kind, name);
  if (!isMembers(found)) return requireOwner(found, kind, name);
  // Several servers could have it, or its name had to be changed: the lists decide.
  return host.lists.learn(kind, found, ctx).then(() => {
    const known = host.upstreams.named(kind, name, true);
    return requireOwner(isMembers(known) ? undefined : known, kind, name);
  });
}

function isMembers(found: UpstreamOwner | readonly Member[] | undefined): found is readonly Member[] {
  return Array.isArray(found);
}

function requireOwner(owner: UpstreamOwner | undefined, kind: NamedKind, name: string): UpstreamOwner {
  if (owner === undefined) throw invalidParams(`Unknown ${WORDS[kind]}: ${name}`, { name });
  return owner;
}

const WORDS: Readonly<Record<NamedKind, string>> = { tools: 'tool', prompts: 'prompt' };

async function readFrom(
  host: ChainRouteHost,
  member: Member,
  params: JsonObject,
  ctx: CallContext,
): Promise<Answer> {
  const { upstream, naming } = member;
  if (!naming.showsAddress(String(params.uri))) throw resourceNotFound(String(params.uri));
  const instance = upstream.forCall(ctx);
  try {
    const answer = await withHandles(host, member, params, ctx, (handed) =>
      bridgeCall(host, instance, 'resources/read', handed, ctx),
    );
    return upstream.isIsolated ? ownResult(resultOf(answer)) : answer;
  } catch (error) {
    throw withMeaning(error, instance.relay?.revision, ctx.peer.revision);
  }
}

/**
 * Whose resource this is, and its address there: where several servers have resources, their lists decide, unless the
 * address has the name of a server. Every method that names a resource comes through here.
 */
async function locate(
  host: ChainRouteHost,
  uri: string,
  ctx: CallContext,
): Promise<readonly LocatedResource[]> {
  const { upstreams } = host;
  const owner = ownerOfUri(upstreams.members, uri);
  if (owner !== undefined) return owner.member.naming.showsAddress(owner.uri) ? [owner] : [];
  const known = upstreams.resource(uri);
  if (known.length > 1) await learnResources(host, ctx);
  return (known.length > 1 ? upstreams.resource(uri) : known).map((member) => ({ member, uri }));
}

async function learnResources({ upstreams, lists }: ChainRouteHost, ctx: CallContext): Promise<void> {
  const fields = ['resources', 'resourceTemplates'] as const;
  await Promise.all(fields.map((field) => lists.learn(field, upstreams.unlisted(field), ctx)));
}

/** Tries one after the other while the answer is that there is no such resource. */
async function firstThatKnows<T>(
  places: readonly LocatedResource[],
  uri: string,
  attempt: (place: LocatedResource) => Promise<T>,
): Promise<T> {
  let refusal: unknown = resourceNotFound(uri);
  for (const [index, place] of places.entries()) {
    try {
      return await attempt(place);
    } catch (error) {
      const unknown =
        error instanceof ProtocolError &&
        (error.code === 'resource_not_found' || error.code === 'invalid_params' || isUnknownMethod(error));
      if (!unknown || index === places.length - 1) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

/** Where two revisions have different numbers for a missing resource, the meaning goes on, and the number changes. */
function withMeaning(error: unknown, server: Revision | undefined, client: Revision): unknown {
  if (server === undefined || server.resourceNotFoundCode === client.resourceNotFoundCode) return error;
  if (!(error instanceof ProtocolError) || classify('resources/read', error) !== 'resource_not_found')
    return error;
  return new ProtocolError('resource_not_found', error.message, { data: error.data, cause: error });
}

async function completeArgument(host: ChainRouteHost, params: JsonObject, ctx: CallContext): Promise<Answer> {
  const { ref } = params;
  if (!isRecord(ref)) throw invalidParams('"ref" must be an object');
  if (ref.type === 'ref/prompt') {
    const owner = await findNamed(host, 'prompts', ref.name, ctx);
    return passOnce(
      host,
      owner,
      'completion/complete',
      { ...params, ref: { ...ref, name: owner.name } },
      ctx,
    );
  }
  const uri = addressOf(host, ref);
  return firstThatKnows(await locate(host, uri, ctx), uri, ({ member, uri: own }) => {
    const named = own === ref.uri ? params : { ...params, ref: { ...ref, uri: own } };
    return passOnce(host, member, 'completion/complete', named, ctx);
  });
}

/** A call during which servers seldom ask. */
async function passOnce(
  host: ChainRouteHost,
  member: Member,
  method: string,
  params: JsonObject,
  ctx: CallContext,
): Promise<Answer> {
  const instance = member.upstream.forCall(ctx);
  const relay = await instance.open();
  const owner = new ContextAsker(ctx, true);
  return withHandles(host, member, params, ctx, (handed) =>
    forward(instance, ctx, { method, params: handed, owner, until: ctx.cancellation }, relay),
  );
}

/** The stream that the client opens is ours; what it names is subscribed to upstream for as long as it is open. */
async function listenShared(host: ChainRouteHost, params: JsonObject, ctx: CallContext): Promise<JsonObject> {
  // Before anything is sent to a server: one request must not cost any number of messages.
  const requested = [...(requestedResources(params, host.limits) ?? [])];
  await host.meet(ctx);
  const uris = [...new Set(requested.map((uri) => host.upstreams.addressed(uri)))].filter(
    (uri) => uri !== undefined,
  );
  // Once for all of them.
  if (uris.length > 1) await learnResources(host, ctx);
  const releases: (() => Promise<void>)[] = [];
  const unknown = new Set<string>();
  try {
    await atMost(SUBSCRIBING_AT_ONCE, uris, async (uri) => {
      // A client that is gone needs no more of them.
      if (ctx.cancelled) return;
      try {
        const release = await firstThatKnows(await locate(host, uri, ctx), uri, ({ member }) =>
          host.subscriptions.acquire(member.upstream.forCall(ctx), uri, ctx.peer.account),
        );
        releases.push(release);
      } catch (error) {
        if (error instanceof NoRoom) throw error;
        // What no server reports on is left out of the acknowledgement.
        unknown.add(uri);
      }
    });
    const known = uris.filter((uri) => !unknown.has(uri));
    return await listen(naming(known, params), ctx, host);
  } finally {
    await atMost(SUBSCRIBING_AT_ONCE, releases, (release) => release());
  }
}

/** The listen request with these resources instead of those that the client named. */
function naming(uris: readonly string[], params: JsonObject): JsonObject {
  const { notifications } = params;
  if (!isRecord(notifications) || notifications.resourceSubscriptions === undefined) return params;
  return { ...params, notifications: { ...notifications, resourceSubscriptions: uris } };
}

function isUnknownMethod(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === 'method_not_found';
}

/** The URI as servers get it. */
function addressOf({ upstreams }: ChainRouteHost, params: JsonObject): string {
  const uri = uriOf(params);
  if (uri === undefined) throw invalidParams('"uri" must be a string');
  const isTemplate = params.type === 'ref/resource' && uri.includes('{');
  const address = upstreams.addressed(uri, isTemplate);
  if (address === undefined) throw resourceNotFound(uri);
  return address;
}

function requireSession(ctx: CallContext): Session {
  if (ctx.peer instanceof Session) return ctx.peer;
  throw new ProtocolError('invalid_request', `${ctx.method} needs a session`);
}
