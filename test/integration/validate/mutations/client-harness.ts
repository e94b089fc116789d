/** Runs the scenarios against the reference client with one thing broken. */

import { isRecord, type JsonObject } from '../../../../src/jsonrpc/message.js';
import { validateClient } from '../../../../src/validate/index.js';
import { type Fetch, referenceClient } from '../reference-client.js';

/** One HTTP request of the client, before it leaves. */
export interface Call {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly message: JsonObject;
}

export interface ClientMutation {
  readonly id: string;
  readonly name: string;
  /** The scenarios that show it. */
  readonly in: readonly string[];
  /** The call as it leaves; undefined when it never does; a Response when the client is told something else. */
  readonly send?: (call: Call, memory: Map<string, unknown>) => Partial<Call> | Response | undefined;
  /** More calls, after this one. */
  readonly after?: (call: Call, memory: Map<string, unknown>) => readonly Partial<Call>[];
}

export interface ClientTrial {
  readonly mutation: ClientMutation;
  readonly found: boolean;
  readonly message: string;
}

export async function clientTrial(mutation: ClientMutation): Promise<ClientTrial> {
  const client = referenceClient((send) => mutated(mutation, send));
  const { runs } = await validateClient(client, { only: mutation.in, timeout: 20_000 });
  const outcomes = runs.flatMap(({ outcomes: all }) => all).filter(({ id }) => id === mutation.id);
  const failed = outcomes.find(({ verdict }) => verdict === 'fail');
  const message = failed?.findings[0]?.message ?? outcomes[0]?.reason ?? outcomes[0]?.verdict ?? 'not judged';
  return { mutation, found: failed !== undefined, message };
}

function mutated(mutation: ClientMutation, send: Fetch): Fetch {
  const memory = new Map<string, unknown>();
  return async (input, init = {}) => {
    const call = callOf(String(input instanceof Request ? input.url : input), init);
    const changed = mutation.send === undefined ? call : mutation.send(call, memory);
    if (changed === undefined) throw new TypeError('fetch failed');
    if (changed instanceof Response) return changed;
    const response = await send(...requestOf({ ...call, ...changed }, init));
    for (const extra of mutation.after?.(call, memory) ?? []) {
      await send(...requestOf({ ...call, ...extra }, {})).then((answer) => answer.body?.cancel());
    }
    return response;
  };
}

function callOf(url: string, init: RequestInit): Call {
  const text =
    typeof init.body === 'string'
      ? init.body
      : init.body instanceof Uint8Array
        ? new TextDecoder().decode(init.body)
        : String(init.body ?? '');
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    message = undefined;
  }
  return {
    url,
    method: init.method ?? 'GET',
    headers: Object.fromEntries(new Headers(init.headers)),
    text,
    message: isRecord(message) ? message : {},
  };
}

function requestOf(call: Partial<Call>, init: RequestInit): [string, RequestInit] {
  const { url = '', method = 'POST', headers = {}, text = '' } = call;
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: text };
  return [url, { ...init, method, headers: { ...headers }, ...body }];
}

/** Changes messages of a kind. */
export function message(
  method: string | ((call: Call) => boolean),
  change: (message: JsonObject, memory: Map<string, unknown>) => unknown,
): Pick<ClientMutation, 'send'> {
  return {
    send: (call, memory) => {
      const fits = typeof method === 'string' ? call.message.method === method : method(call);
      return fits ? { text: JSON.stringify(change(call.message, memory)) } : call;
    },
  };
}

/** Changes a header, or takes it out. */
export function header(
  name: string,
  value: (call: Call) => string | undefined,
  fits: (call: Call) => boolean = () => true,
): Pick<ClientMutation, 'send'> {
  return {
    send: (call) => {
      if (!fits(call)) return call;
      const { [name]: _, ...rest } = call.headers;
      const given = value(call);
      return { headers: given === undefined ? rest : { ...rest, [name]: given } };
    },
  };
}

export function meta(
  change: (meta: JsonObject) => JsonObject,
  fits: (call: Call) => boolean = () => true,
): Pick<ClientMutation, 'send'> {
  return message(
    (call) => 'id' in call.message && typeof call.message.method === 'string' && fits(call),
    (given) => {
      const params = isRecord(given.params) ? given.params : {};
      return { ...given, params: { ...params, _meta: change(isRecord(params._meta) ? params._meta : {}) } };
    },
  );
}
