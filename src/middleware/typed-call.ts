/**
 * Calls as the compiler knows them: the method says which params and which result. `Call` is the same without that
 * knowledge, for middleware that treats all methods alike.
 */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { invalidParams } from '../protocol/errors.js';
import type {
  ClientNotifications,
  ClientRequests,
  ServerNotifications,
  ServerRequests,
} from '../protocol/model/methods.js';
import type { Call, CallFilter, CallState, Middleware, Next } from './compose.js';

type Requests = ClientRequests & ServerRequests;
type Notifications = ClientNotifications & ServerNotifications;

export type RequestMethod = keyof Requests;
export type NotificationMethod = keyof Notifications;
/** A method of the protocol, in whatever revision and direction. */
export type CallMethod = RequestMethod | NotificationMethod;

/** Several methods by the beginning of their names: `tools/*`. */
export type MethodPattern = '*' | PrefixesOf<CallMethod>;
type PrefixesOf<Method> = Method extends `${infer Head}/${infer Tail}`
  ? `${Head}/*` | (PrefixesOf<Tail> extends infer More extends string ? `${Head}/${More}` : never)
  : never;

type ParamsOf<Method extends CallMethod> = (Method extends RequestMethod
  ? Requests[Method]['params']
  : Method extends NotificationMethod
    ? Notifications[Method]
    : never) &
  JsonObject;

/** What the rest of the chain resolves with; an empty object for notifications. */
export type ResultOf<Method extends CallMethod> = (Method extends RequestMethod
  ? Requests[Method]['result']
  : unknown) &
  JsonObject;

/** One call of this method. */
export type TypedCall<Method extends CallMethod, State extends object = CallState> = Omit<
  Call,
  'kind' | 'method' | 'params' | 'state'
> & {
  readonly kind: Method extends NotificationMethod ? 'notification' : 'request';
  readonly method: Method;
  readonly params: ParamsOf<Method>;
  readonly state: State;
};

/** A call of any method of the protocol: `if (call.method === 'tools/call')` narrows its params. */
export type AnyCall<State extends object = CallState> = {
  [Method in CallMethod]: TypedCall<Method, State>;
}[CallMethod];

export interface TypedNext<Method extends CallMethod, State extends object = CallState> {
  (): Promise<ResultOf<Method>>;
  <Changed extends TypedCall<Method, State>>(call: Changed): Promise<ResultOf<Changed['method']>>;
  /** As `Next.again`. */
  again(): Promise<ResultOf<Method>>;
  /** As `Next.request`. */
  request<Other extends RequestMethod>(
    method: Other,
    params: Requests[Other]['params'],
  ): Promise<ResultOf<Other>>;
  request(method: string, params: JsonObject): Promise<JsonObject>;
}

type Returned<Result> = Result | JsonObject | Promise<Result | JsonObject>;

/** Middleware for calls of one method. */
export type TypedMiddleware<Method extends CallMethod, State extends object = CallState> = (
  call: TypedCall<Method, State>,
  next: TypedNext<Method, State>,
) => Returned<ResultOf<Method>>;

/** Middleware for every call of the protocol. */
export type AnyMiddleware<State extends object = CallState> = (
  call: AnyCall<State>,
  next: AnyNext<State>,
) => Returned<JsonObject>;

export interface AnyNext<State extends object = CallState> {
  (): Promise<JsonObject>;
  <Changed extends AnyCall<State>>(call: Changed): Promise<ResultOf<Changed['method']>>;
  again(): Promise<JsonObject>;
  request: TypedNext<CallMethod, State>['request'];
}

/** The filter of a method or pattern, and the middleware with its params checked. */
export function methodMiddleware(
  method: string,
  middleware: Middleware,
): { filter: CallFilter; middleware: Middleware } {
  const fields = REQUIRED.get(method);
  if (fields === undefined) return { filter: { method }, middleware };
  // Params come as the client sent them, and the compiler has promised more than that.
  const checked = (call: Call, next: Next): JsonObject | Promise<JsonObject> => {
    if (call.direction === 'inbound') assertParams(call.params, fields);
    return middleware(call, next);
  };
  return { filter: { method }, middleware: checked };
}

type FieldRule = readonly [name: string, type: 'string' | 'object', isRequired: boolean];

const URI: readonly FieldRule[] = [['uri', 'string', true]];
const NAMED: readonly FieldRule[] = [
  ['name', 'string', true],
  ['arguments', 'object', false],
];
const PAGED: readonly FieldRule[] = [['cursor', 'string', false]];

const REQUIRED: ReadonlyMap<string, readonly FieldRule[]> = new Map([
  ['tools/call', NAMED],
  ['prompts/get', NAMED],
  ['resources/read', URI],
  ['resources/subscribe', URI],
  ['resources/unsubscribe', URI],
  ['logging/setLevel', [['level', 'string', true]]],
  [
    'completion/complete',
    [
      ['ref', 'object', true],
      ['argument', 'object', true],
    ],
  ],
  ['tools/list', PAGED],
  ['prompts/list', PAGED],
  ['resources/list', PAGED],
  ['resources/templates/list', PAGED],
]);

function assertParams(params: JsonObject, fields: readonly FieldRule[]): void {
  for (const [name, type, isRequired] of fields) {
    const value = params[name];
    if (value === undefined && !isRequired) continue;
    const fits = type === 'string' ? typeof value === 'string' : isRecord(value);
    if (!fits) throw invalidParams(`"${name}" must be ${type === 'string' ? 'a string' : 'an object'}`);
  }
}
