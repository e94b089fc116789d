/**
 * Extensions that a chain knows: how the declarations of several servers become one, and which server a method goes to.
 * Of others, it passes on what a server alone declares.
 */

import { apps } from '../extensions/apps/apps.js';
import { type ExtensionShape, hasEra } from '../extensions/extension.js';
import { mergeDeclarations } from '../extensions/merge.js';
import { declaredSettings, undeclaredExtension } from '../extensions/negotiation.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { methodNotFound } from '../protocol/errors.js';
import type { NamedSettings, ServerCapabilities } from '../protocol/model/capabilities.js';
import { resultOf } from '../protocol/revisions/result-text.js';
import type { CallContext, Context } from '../server/context.js';
import { ContextAsker, forward } from './forward.js';
import { withOwnHandles } from './session-handles.js';
import { chainSkills } from './skills.js';
import type { Member } from './upstreams.js';

/** A server behind the chain that declares the extension. */
export interface ExtensionServer {
  /** Its name in the chain. */
  readonly name: string;
  /** Whether the chain has no other server: names and URIs then pass as they are. */
  readonly isAlone: boolean;
  /** What it declares of the extension. */
  readonly settings: JsonObject;
  /** Makes a request in the name of the client whose call this is. */
  request(method: string, params: JsonObject): Promise<JsonObject>;
}

/** Serves a method of an extension for all servers that declare it, best first. */
export type ExtensionRoute = (
  params: JsonObject,
  ctx: Context,
  servers: readonly ExtensionServer[],
) => Promise<JsonObject>;

export interface ChainExtension {
  readonly extension: ExtensionShape;
  /** Declared to servers of the handshake era that are shared by all clients. Default: an empty object. */
  readonly settings?: JsonObject | undefined;
  /** What is not here goes to the first server that declares the extension. */
  readonly methods?: { readonly [method: string]: ExtensionRoute } | undefined;
}

/** Those that every chain knows. */
const BUILT_IN: readonly ChainExtension[] = [chainSkills, { extension: apps }];

export class ChainExtensions {
  readonly #known: readonly ChainExtension[];

  constructor(given: readonly (ExtensionShape | ChainExtension)[]) {
    const own = given.map((one) => ('extension' in one ? one : { extension: one }));
    const isGiven = (id: string): boolean => own.some(({ extension }) => extension.id === id);
    this.#known = [...own, ...BUILT_IN.filter(({ extension }) => !isGiven(extension.id))];
    const ids = this.#known.map(({ extension }) => extension.id);
    const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
    if (repeated !== undefined) throw new TypeError(`The extension ${repeated} is given twice`);
  }

  /** What is declared to servers that ask once for all clients. */
  get declared(): NamedSettings | undefined {
    const declared = this.#known.filter(({ extension }) => extension.client !== 'optional');
    if (declared.length === 0) return undefined;
    return Object.fromEntries(declared.map(({ extension, settings = {} }) => [extension.id, settings]));
  }

  /** One declaration for several servers. */
  merge(declared: readonly ServerCapabilities[]): NamedSettings | undefined {
    return mergeDeclarations(
      declared.map(({ extensions }) => extensions),
      this.#known.map(({ extension }) => extension),
    );
  }

  /** The extension that has this method. */
  of(method: string): ChainExtension | undefined {
    return this.#known.find(
      ({ extension }) => extension.methods !== undefined && Object.hasOwn(extension.methods, method),
    );
  }

  /** Serves a method of a known extension. */
  handle(
    { extension, methods }: ChainExtension,
    params: JsonObject,
    ctx: CallContext,
    members: readonly Member[],
  ): Promise<JsonObject> {
    const { id, client = 'required' } = extension;
    if (!hasEra(extension, ctx.peer.revision)) throw methodNotFound(ctx.method);
    if (client === 'required' && declaredSettings(ctx.peer.capabilities, id) === undefined)
      throw undeclaredExtension(extension, ctx.method);
    const isAlone = members.length === 1;
    const servers = members.flatMap((member) => serverOf(member, id, ctx, isAlone) ?? []);
    const [first] = servers;
    if (first === undefined) throw methodNotFound(ctx.method);
    const route = methods === undefined ? undefined : methods[ctx.method];
    return route === undefined ? first.request(ctx.method, params) : route(params, ctx, servers);
  }
}

function serverOf(
  member: Member,
  id: string,
  ctx: CallContext,
  isAlone: boolean,
): ExtensionServer | undefined {
  const { upstream } = member;
  const settings = declaredSettings(upstream.capabilities, id);
  if (settings === undefined) return undefined;
  return {
    name: upstream.name,
    isAlone,
    settings,
    request: async (method, given) => {
      const params = withOwnHandles(member, given);
      const instance = upstream.forCall(ctx);
      const relay = await instance.open();
      const owner = new ContextAsker(ctx, true);
      return resultOf(
        await forward(instance, ctx, { method, params, owner, until: ctx.cancellation }, relay),
      );
    },
  };
}
