/** Requests of one connection that have no answer yet, in both directions. */

import type { RequestId } from '../../jsonrpc/message.js';
import type { MessageSummary } from '../api.js';
import type { StoredMessage } from '../timeline/stored.js';
import { keptField } from '../timeline/weight.js';

export type Direction = MessageSummary['direction'];

export const OPPOSITE = { 'to-server': 'to-client', 'to-client': 'to-server' } as const;

/** Those that are never answered are not remembered for ever. */
const MAX_OPEN = 10_000;
/** Calls within which servers ask, report and log. */
const CALLS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

export class OpenRequests {
  readonly #open = {
    'to-server': new Map<string, StoredMessage>(),
    'to-client': new Map<string, StoredMessage>(),
  };
  /** By the token that a request asked for progress with. */
  readonly #tokens = new Map<string, StoredMessage>();
  readonly #abandoned = new WeakSet<StoredMessage>();

  add(request: StoredMessage, id: RequestId, token: RequestId | undefined): void {
    remember(this.#open[request.direction], keyOf(id), request);
    if (token !== undefined) remember(this.#tokens, `${request.direction} ${keyOf(token)}`, request);
  }

  /** The request with this id that went in this direction. */
  find(direction: Direction, id: RequestId): StoredMessage | undefined {
    return this.#open[direction].get(keyOf(id));
  }

  withSeq(seq: number): StoredMessage | undefined {
    return this.all().find((request) => request.seq === seq);
  }

  withToken(direction: Direction, token: RequestId): StoredMessage | undefined {
    return this.#tokens.get(`${direction} ${keyOf(token)}`);
  }

  /** The only one there is. */
  only(direction: Direction): StoredMessage | undefined {
    const open = this.#open[direction];
    return open.size === 1 ? open.values().next().value : undefined;
  }

  /** The only call that runs on the server. */
  onlyCall(): StoredMessage | undefined {
    const calls = [...this.#open['to-server'].values()].filter(({ method }) => CALLS.has(method ?? ''));
    return calls.length === 1 ? calls[0] : undefined;
  }

  answered(request: StoredMessage): void {
    this.#open[request.direction].delete(keyOf(request.rpcId ?? null));
  }

  /** Its answer is no longer expected. False when that was known, or it has its answer. */
  abandon(request: StoredMessage): boolean {
    const open = this.#open[request.direction].get(keyOf(request.rpcId ?? null)) === request;
    if (!open || this.#abandoned.has(request)) return false;
    this.#abandoned.add(request);
    return true;
  }

  /** The timeline does not keep it any longer. False when it had its answer. */
  dropped(request: StoredMessage, token: RequestId | undefined): boolean {
    const open = this.#open[request.direction];
    const key = keyOf(request.rpcId ?? null);
    const isOpen = open.get(key) === request;
    if (isOpen) open.delete(key);
    if (token === undefined) return isOpen;
    const tokenKey = `${request.direction} ${keyOf(token)}`;
    if (this.#tokens.get(tokenKey) === request) this.#tokens.delete(tokenKey);
    return isOpen;
  }

  isAbandoned(request: StoredMessage): boolean {
    return this.#abandoned.has(request);
  }

  all(): StoredMessage[] {
    return [...this.#open['to-server'].values(), ...this.#open['to-client'].values()];
  }

  clear(): void {
    for (const open of Object.values(this.#open)) open.clear();
    this.#tokens.clear();
  }
}

function remember(map: Map<string, StoredMessage>, key: string, message: StoredMessage): void {
  const [oldest] = map.keys();
  if (map.size >= MAX_OPEN && oldest !== undefined) map.delete(oldest);
  map.set(key, message);
}

/** 7 and "7" are two ids. */
function keyOf(id: RequestId | null): string {
  return JSON.stringify(keptField(id));
}
