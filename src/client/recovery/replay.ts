/** Which calls may be sent again after the connection was lost under them, and what such a loss is. */

import type { Tool } from '../../protocol/model/tools.js';
import { TransportError, type TransportErrorCode } from '../../transports/errors.js';
import type { OutgoingCall } from '../connection/outgoing-call.js';
import { ConnectionClosedError } from '../errors.js';
import type { CallOptions } from '../options.js';

/** Requests that change nothing, or nothing more when they come twice. */
const REPEATABLE: ReadonlySet<string> = new Set([
  'ping',
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
]);

/** The tools seen in lists that the server says may be called twice. Its word is a hint, and its own risk. */
export class RepeatableTools {
  #names = new Set<string>();
  /** Those of a list that is out of date: the server is asked again before one of them is. */
  #doubtful: ReadonlySet<string> = new Set();
  #list: ((options: CallOptions) => Promise<unknown>) | undefined;

  /** How to ask the server for its tools, pages of which then come back through `learn`. */
  listedBy(list: (options: CallOptions) => Promise<unknown>): void {
    this.#list = list;
  }

  learn(tools: readonly Tool[]): void {
    for (const { name, annotations } of tools) {
      const repeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
      if (repeatable) this.#names.add(name);
      else this.#names.delete(name);
    }
  }

  has(name: unknown): boolean {
    return typeof name === 'string' && this.#names.has(name);
  }

  /** Whether it was in a list that is out of date. */
  doubts(name: unknown): boolean {
    return typeof name === 'string' && this.#doubtful.has(name) && this.#list !== undefined;
  }

  /** Whether the server still says so; asks it where a list has changed since. */
  async confirm(name: unknown, options: CallOptions): Promise<boolean> {
    if (!this.has(name)) await this.#list?.({ ...options, cache: 'reload' });
    return this.has(name);
  }

  /** The list changed: what is known may be out of date. */
  forget(): void {
    if (this.#names.size === 0) return;
    this.#doubtful = this.#names;
    this.#names = new Set();
  }
}

export function isRepeatable(
  { method, params, options }: OutgoingCall<unknown>,
  tools: RepeatableTools,
): boolean {
  if (options.retry !== undefined) return options.retry;
  return method === 'tools/call' ? tools.has(params.name) : REPEATABLE.has(method);
}

/** Whether only the list of the next server can decide it. */
export function isDoubtful(
  { method, params, options }: OutgoingCall<unknown>,
  tools: RepeatableTools,
): boolean {
  return method === 'tools/call' && options.retry === undefined && tools.doubts(params.name);
}

/**
 * `forgotten`: the server knows the session no longer, and did nothing. `closed`: the connection ended.
 * `unreachable`: the server is not there at the moment. `broken`: the answer did not arrive, and the next one
 * may.
 */
export type Loss = 'forgotten' | 'closed' | 'unreachable' | 'broken';

const LOSSES: { readonly [Code in TransportErrorCode]?: Loss } = {
  session_lost: 'forgotten',
  connection_closed: 'closed',
  network: 'unreachable',
  stream_lost: 'broken',
};

/** A proxy whose server is away, or a server that is starting. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** `undefined` for an outcome that is the call's own. */
export function lossOf(error: unknown): Loss | undefined {
  if (error instanceof ConnectionClosedError) return 'closed';
  if (!(error instanceof TransportError)) return undefined;
  if (error.code === 'http_status' && AWAY.has(error.status ?? 0)) return 'unreachable';
  return LOSSES[error.code];
}
