/**
 * An extension as both sides know it: its identifier, and the settings, methods, notifications, result types,
 * listen filters and errors that it adds to the protocol. Data and types alone; each side brings its own behaviour.
 */

import type { JsonObject } from '../jsonrpc/message.js';
import { ProtocolError } from '../protocol/errors.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import type { Revision } from '../protocol/revisions/index.js';
import type { AnySchema, InferInput, InferOutput } from '../protocol/schema/infer.js';

/** A method that clients call. */
export interface ExtensionMethod {
  /** Any object when absent. */
  readonly params?: AnySchema | undefined;
  /** Any object when absent. */
  readonly result?: AnySchema | undefined;
}

/** `strings`: a list of what to hear about. `flag`: true, for all there is. */
export type ListenFilterKind = 'strings' | 'flag';

/** What makes one declaration of those of several servers; undefined declares nothing. */
export type SettingsRule = (declared: readonly JsonObject[]) => JsonObject | undefined;

export interface ExtensionShape {
  /** `vendor-prefix/name`. */
  readonly id: string;
  /** What each side declares. An empty object when absent. */
  readonly settings?:
    | { readonly server?: AnySchema | undefined; readonly client?: AnySchema | undefined }
    | undefined;
  readonly methods?: { readonly [method: string]: ExtensionMethod } | undefined;
  /** From the server, with the schema of their params. */
  readonly notifications?: { readonly [method: string]: AnySchema } | undefined;
  /** Values of `resultType`, and the methods whose results may have them. */
  readonly resultTypes?: { readonly [resultType: string]: readonly string[] } | undefined;
  /** Fields of the filter of `subscriptions/listen`. */
  readonly listenFilters?: { readonly [field: string]: ListenFilterKind } | undefined;
  /** JSON-RPC numbers, by what they mean. */
  readonly errors?: { readonly [name: string]: number } | undefined;
  /** Whether clients have to declare it too before they use it. Default: `required`. */
  readonly client?: 'required' | 'optional' | undefined;
  /** The eras that have it. Default: both. */
  readonly eras?: readonly Revision['lifecycle'][] | undefined;
  /** How a gateway declares it for several servers. Default: what all of them agree on. */
  readonly merge?: SettingsRule | undefined;
}

/** An extension as servers, clients and chains take it. */
export type Extension<Shape extends ExtensionShape = ExtensionShape> = Shape & {
  /** This extension with the settings that a client declares; without, an empty object is declared. */
  with(settings: ClientSettings<Shape>): DeclaredExtension<Shape>;
  /** The error of this name, for handlers to throw. */
  error(name: ErrorName<Shape>, message: string, data?: unknown): ProtocolError;
  /** Which error of this extension a call was answered with, if it was one. */
  errorName(error: unknown): ErrorName<Shape> | undefined;
};

export interface DeclaredExtension<Shape extends ExtensionShape = ExtensionShape> {
  readonly extension: Extension<Shape>;
  readonly settings: JsonObject;
}

/** The type of a schema, or any object where there is none. */
type Checked<S> = S extends AnySchema ? InferOutput<S> : JsonObject;
type Given<S> = S extends AnySchema ? InferInput<S> : JsonObject;

type SettingsOf<Shape, Side extends string> = Shape extends {
  readonly settings: { readonly [Key in Side]: infer S };
}
  ? S
  : undefined;

export type ServerSettings<Shape> = Given<SettingsOf<Shape, 'server'>>;
export type ClientSettings<Shape> = Given<SettingsOf<Shape, 'client'>>;

type MethodsOf<Shape> = Shape extends { readonly methods: infer Methods } ? Methods : Record<never, never>;
export type MethodName<Shape> = keyof MethodsOf<Shape> & string;
type Part<Shape, Method, Key extends string> = Method extends keyof MethodsOf<Shape>
  ? MethodsOf<Shape>[Method] extends { readonly [K in Key]: infer S }
    ? S
    : undefined
  : undefined;

/** As the caller gives them, and as the handler gets them. */
export type MethodParams<Shape, Method> = Given<Part<Shape, Method, 'params'>>;
export type CheckedParams<Shape, Method> = Checked<Part<Shape, Method, 'params'>>;
/** As the handler returns it, and as the caller gets it. */
export type MethodResult<Shape, Method> = Given<Part<Shape, Method, 'result'>>;
export type CheckedResult<Shape, Method> = Checked<Part<Shape, Method, 'result'>>;

type NotificationsOf<Shape> = Shape extends { readonly notifications: infer All }
  ? All
  : Record<never, never>;
export type NotificationName<Shape> = keyof NotificationsOf<Shape> & string;
export type ExtensionNotificationParams<Shape, Name> = Name extends keyof NotificationsOf<Shape>
  ? Checked<NotificationsOf<Shape>[Name]>
  : never;

type FiltersOf<Shape> = Shape extends { readonly listenFilters: infer All } ? All : Record<never, never>;
export type FilterName<Shape> = keyof FiltersOf<Shape> & string;
export type FilterValue<Shape, Field> = Field extends keyof FiltersOf<Shape>
  ? FiltersOf<Shape>[Field] extends 'flag'
    ? true
    : readonly string[]
  : never;

export type ErrorName<Shape> = Shape extends { readonly errors: infer All } ? keyof All & string : never;

/** A prefix is required, and its labels are those of a reversed domain name (Extensions, identifiers). */
const IDENTIFIER = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?\/[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
/** The compiler lets any name pass: the type of a shape is taken from it. */
const SHAPE_OPTIONS: OptionNames<ExtensionShape> = {
  id: true,
  settings: true,
  methods: true,
  notifications: true,
  resultTypes: true,
  listenFilters: true,
  errors: true,
  client: true,
  eras: true,
  merge: true,
};
const OFFICIAL = 'io.modelcontextprotocol/';
/** What JSON-RPC and the protocol keep for themselves. */
const RESERVED = { from: -32768, to: -32000 };

/** Defines an extension once, for servers, clients and chains: its id, methods, notifications and settings. */
export function defineExtension<const Shape extends ExtensionShape>(shape: Shape): Extension<Shape> {
  if (!IDENTIFIER.test(shape.id)) {
    throw new TypeError(
      `The extension id "${shape.id}" must be a prefix and a name: "com.example/weather", say`,
    );
  }
  assertOptionNames(`The extension ${shape.id}`, shape, SHAPE_OPTIONS);
  const numbers = Object.entries(shape.errors ?? {});
  for (const [name, number] of numbers) {
    const isReserved = number >= RESERVED.from && number <= RESERVED.to;
    if (Number.isSafeInteger(number) && (!isReserved || shape.id.startsWith(OFFICIAL))) continue;
    throw new TypeError(
      `The error "${name}" of ${shape.id} has the code ${number}; use an integer outside ${RESERVED.from} to ${RESERVED.to}`,
    );
  }
  const extension: Extension<Shape> = Object.assign(
    { ...shape },
    {
      with: (settings: ClientSettings<Shape>): DeclaredExtension<Shape> => ({
        extension,
        settings: { ...settings },
      }),
      error: (name: ErrorName<Shape>, message: string, data?: unknown): ProtocolError =>
        new ProtocolError('application', message, { rpcCode: numberOf(shape, name), data }),
      errorName: (error: unknown): ErrorName<Shape> | undefined => {
        if (!(error instanceof ProtocolError)) return undefined;
        const found = numbers.find(([, number]) => number === error.rpcCode);
        return found?.[0] as ErrorName<Shape> | undefined;
      },
    },
  );
  return extension;
}

function numberOf(shape: ExtensionShape, name: string): number {
  const number = shape.errors?.[name];
  if (number === undefined) throw new TypeError(`${shape.id} has no error "${name}"`);
  return number;
}

/** Whether a peer of this revision can have the extension. */
export function hasEra({ eras }: ExtensionShape, revision: Revision): boolean {
  return eras === undefined || eras.includes(revision.lifecycle);
}
