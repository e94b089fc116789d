/** The extensions of a server: what is declared of them, their methods, and what listen streams carry of theirs. */

import {
  type CheckedParams,
  type ClientSettings,
  type Extension,
  type ExtensionNotificationParams,
  type ExtensionShape,
  type FilterName,
  type FilterValue,
  hasEra,
  type MethodName,
  type MethodResult,
  type NotificationName,
  type ServerSettings,
} from '../extensions/extension.js';
import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { lazily } from '../protocol/lazily.js';
import type { NamedSettings } from '../protocol/model/capabilities.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import type { Revision } from '../protocol/revisions/index.js';
import { createSchema } from '../protocol/schema/schema.js';
import type { CallContext, Context } from './context.js';
import type { Dispatcher } from './dispatcher.js';
import type { ChangeHub } from './hub.js';
import type { Route } from './route.js';

/** The settings that the client declared; undefined is possible where clients need not declare the extension. */
type OfClient<Shape> = Shape extends { readonly client: 'optional' }
  ? ClientSettings<Shape> | undefined
  : ClientSettings<Shape>;

export type ExtensionHandlers<Shape extends ExtensionShape> = {
  readonly [Method in MethodName<Shape>]: (
    params: CheckedParams<Shape, Method>,
    ctx: Context,
    client: OfClient<Shape>,
  ) => MethodResult<Shape, Method> | Promise<MethodResult<Shape, Method>>;
};

/** What a listen stream delivers. */
export interface ExtensionNotification {
  readonly method: string;
  readonly params: JsonObject;
}

export interface ListenSource<Value> {
  /** The part of the filter that is honoured for this client; undefined for none of it. Default: all of it. */
  honour?(value: Value, ctx: Context): Value | undefined | Promise<Value | undefined>;
  /** What an announcement without a notification of its own stands for, read when it is delivered. */
  current?(key: string): Promise<ExtensionNotification | undefined>;
}

export interface ExtensionImplementation<Shape extends ExtensionShape> {
  /** What the server declares. Default: an empty object. */
  readonly settings?: ServerSettings<Shape> | undefined;
  /** A handler for each method. */
  readonly methods: ExtensionHandlers<Shape>;
  readonly listen?:
    | { readonly [Field in FilterName<Shape>]?: ListenSource<FilterValue<Shape, Field>> }
    | undefined;
}

export interface ServedExtension<Shape extends ExtensionShape> {
  /**
   * Notifies the listen streams whose filter names this key in this field, on every node; for a flag, the key is
   * ignored.
   */
  announce<Name extends NotificationName<Shape>>(
    field: FilterName<Shape>,
    key: string,
    method: Name,
    params: ExtensionNotificationParams<Shape, Name>,
  ): void;
  /** The same, with what `current` of the filter says at that moment. */
  changed(field: FilterName<Shape>, key: string): void;
  /** Takes the extension away again. */
  remove(): boolean;
}

/** A field of the filter of a listen request, as it is honoured. */
export interface HonouredFilter {
  readonly field: string;
  readonly value: true | readonly string[];
  current(key: string): Promise<ExtensionNotification | undefined>;
}

interface AnyImplementation {
  readonly settings?: JsonObject;
  readonly methods?: { readonly [method: string]: ExtensionHandler };
  readonly listen?: { readonly [field: string]: ListenSource<true | readonly string[]> | undefined };
}

export type ExtensionHandler = (
  params: unknown,
  ctx: Context,
  client: JsonObject | undefined,
) => JsonObject | Promise<JsonObject>;

/** An extension, and how this server serves it. */
export interface ExtensionEntry {
  readonly extension: ExtensionShape;
  readonly implementation: AnyImplementation;
}

export interface ExtensionsHost {
  readonly dispatcher: Dispatcher;
  readonly hub: ChangeHub;
  /** What is declared has changed. */
  declared(): void;
}

const IMPLEMENTATION_OPTIONS: OptionNames<AnyImplementation> = {
  settings: true,
  methods: true,
  listen: true,
};
const loadRequests = lazily(() => import('./extension-requests.js'));

export class ServerExtensions {
  readonly #host: ExtensionsHost;
  readonly #entries = new Map<string, ExtensionEntry>();

  constructor(host: ExtensionsHost) {
    this.#host = host;
  }

  /** Settings by extension, of those that a peer of this revision can have; of all, without one. */
  declared(revision?: Revision): NamedSettings | undefined {
    const settings: NamedSettings = {};
    for (const [id, { extension, implementation }] of this.#entries)
      if (revision === undefined || hasEra(extension, revision)) settings[id] = implementation.settings ?? {};
    return Object.keys(settings).length === 0 ? undefined : settings;
  }

  /** Extensions that are declared, but not to peers of this revision. */
  withheld(revision: Revision): readonly string[] {
    return [...this.#entries.values()].flatMap(({ extension }) =>
      hasEra(extension, revision) ? [] : [extension.id],
    );
  }

  add<Shape extends ExtensionShape>(
    extension: Extension<Shape>,
    given: ExtensionImplementation<Shape>,
  ): ServedExtension<Shape> {
    const { id, methods = {} } = extension;
    if (this.#entries.has(id)) throw new TypeError(`The extension ${id} is served already`);
    assertOptionNames(`server.extension of ${id}`, given, IMPLEMENTATION_OPTIONS);
    // Params and results are checked against the schemas that these types come from.
    const implementation = (given ?? {}) as unknown as AnyImplementation;
    const entry: ExtensionEntry = { extension, implementation };
    const removes = Object.keys(methods).map((method) => this.#route(method, entry));
    this.#entries.set(id, entry);
    this.#host.declared();
    const announce = (field: string, key: string, notification?: ExtensionNotification): void =>
      this.#host.hub.announce({ type: 'extension', field, key, ...notification });
    return {
      announce: (field, key, method, params) =>
        announce(field, key, { method, params: isRecord(params) ? params : {} }),
      changed: (field, key) => announce(field, key),
      remove: () => {
        if (this.#entries.get(id) !== entry) return false;
        this.#entries.delete(id);
        for (const remove of removes) remove();
        this.#host.declared();
        return true;
      },
    };
  }

  /** The fields of extensions in the filter of a listen request, where it has any. Rejects for a client that did not declare them. */
  honoured(requested: JsonObject, ctx: CallContext): Promise<readonly HonouredFilter[]> | undefined {
    const asked = [...this.#entries.values()].filter(({ extension: { listenFilters = {} } }) =>
      Object.keys(listenFilters).some((field) => requested[field] !== undefined),
    );
    return asked.length === 0 ? undefined : this.#honoured(asked, requested, ctx);
  }

  async #honoured(
    asked: readonly ExtensionEntry[],
    requested: JsonObject,
    ctx: CallContext,
  ): Promise<readonly HonouredFilter[]> {
    const { honouredFilters } = await loadRequests();
    return honouredFilters(asked, requested, ctx);
  }

  #route(method: string, { extension, implementation }: ExtensionEntry): () => void {
    const { dispatcher } = this.#host;
    const handler = implementation.methods?.[method];
    if (handler === undefined) throw new TypeError(`${extension.id} needs a handler for ${method}`);
    const params = extension.methods?.[method]?.params;
    const schema = params === undefined ? undefined : createSchema(params, 'input');
    const own: Route = {
      serves: (revision) => hasEra(extension, revision),
      handle: async (given, ctx) => {
        const { handleMethod } = await loadRequests();
        return handleMethod(extension, handler, schema, given, ctx);
      },
    };
    const before = dispatcher.findRoute(method);
    if (before !== undefined && before.custom === true)
      throw new TypeError(`The method "${method}" is already served`);
    const route = before === undefined ? own : eitherRoute(method, own, before);
    dispatcher.route(method, route);
    return () => {
      if (!dispatcher.removeRoute(method, route)) return;
      if (before !== undefined) dispatcher.route(method, before);
    };
  }
}

/** The protocol has the method itself in some revisions. */
function eitherRoute(method: string, own: Route, before: Route): Route {
  const isCore = (revision: Revision): boolean => revision.clientRequests.has(method);
  return {
    serves: (revision) =>
      isCore(revision) ? before.available?.() !== false : own.serves?.(revision) === true,
    handle: (params, ctx) => (isCore(ctx.peer.revision) ? before : own).handle(params, ctx),
  };
}
