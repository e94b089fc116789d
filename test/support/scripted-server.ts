/**
 * The other end of the wire, by script: it answers a method as the test says, sends whatever the test says, and keeps
 * what it received. It knows nothing of MCP beyond what a test teaches it.
 */

import { isRecord, type JsonObject, type RequestId } from '../../src/jsonrpc/message.js';
import { createMemoryPair } from '../../src/transports/memory.js';
import type { Transport } from '../../src/transports/transport.js';

export interface WireMessage {
  readonly jsonrpc: string;
  readonly id?: RequestId;
  readonly method?: string;
  readonly params: JsonObject;
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}

/** A result; or an error, thrown as `rpcError(...)`; or `undefined` to stay silent. */
export type Script = (params: JsonObject, message: WireMessage) => JsonObject | undefined;

class RpcError extends Error {
  readonly body: JsonObject;
  constructor(body: JsonObject) {
    super('scripted error');
    this.body = body;
  }
}

export function rpcError(code: number, message = 'refused', data?: unknown): never {
  throw new RpcError(data === undefined ? { code, message } : { code, message, data });
}

export const STATELESS = '2026-07-28';
export const LATEST_HANDSHAKE = '2025-11-25';
const META = 'io.modelcontextprotocol/';

export class ScriptedServer {
  /** Every message received, over all connections. */
  readonly received: WireMessage[] = [];
  /** The same as raw values, so that batches can be told. */
  readonly raw: unknown[] = [];
  connections = 0;
  readonly #scripts = new Map<string, Script>();
  readonly #waiting: { method: string | undefined; resolve(message: WireMessage): void }[] = [];
  readonly #unread: WireMessage[] = [];
  #end: Transport | undefined;

  on(method: string, script: Script): this {
    this.#scripts.set(method, script);
    return this;
  }

  /** One more connection, as `connect` asks for it. */
  transport(): Transport {
    const [theirs, ours] = createMemoryPair();
    this.connections += 1;
    this.#end = ours;
    void ours.start({
      message: (_decoded, text) => this.#receive(ours, JSON.parse(text)),
      fault: () => {},
      closed: () => {},
    });
    return theirs;
  }

  /** Writes an object as JSON, or a text as it is. */
  send(value: unknown): void {
    void this.#end?.send(typeof value === 'string' ? value : JSON.stringify(value));
  }

  notify(method: string, params: JsonObject = {}): void {
    this.send({ jsonrpc: '2.0', method, params });
  }

  ask(id: RequestId, method: string, params: JsonObject = {}): void {
    this.send({ jsonrpc: '2.0', id, method, params });
  }

  answer(message: WireMessage, result: JsonObject): void {
    this.send({ jsonrpc: '2.0', id: message.id, result });
  }

  refuse(message: WireMessage, code: number, text = 'refused', data?: unknown): void {
    this.send({
      jsonrpc: '2.0',
      id: message.id,
      error: { code, message: text, ...(data === undefined ? {} : { data }) },
    });
  }

  hangUp(): Promise<void> {
    return this.#end?.close() ?? Promise.resolve();
  }

  /** The next message not yet taken with this method; without a method, the next answer. */
  next(method?: string): Promise<WireMessage> {
    const index = this.#unread.findIndex((message) => message.method === method);
    const [found] = index === -1 ? [] : this.#unread.splice(index, 1);
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve) => this.#waiting.push({ method, resolve }));
  }

  all(method: string): WireMessage[] {
    return this.received.filter((message) => message.method === method);
  }

  methods(): (string | undefined)[] {
    return this.received.map((message) => message.method);
  }

  #receive(end: Transport, value: unknown): void {
    this.raw.push(value);
    for (const item of Array.isArray(value) ? value : [value]) this.#take(end, parse(item));
  }

  #take(end: Transport, message: WireMessage): void {
    this.received.push(message);
    const script = message.method === undefined ? undefined : this.#scripts.get(message.method);
    if (script !== undefined && message.id !== undefined) this.#perform(end, script, message);
    const index = this.#waiting.findIndex(({ method }) => method === message.method);
    const [waiter] = index === -1 ? [] : this.#waiting.splice(index, 1);
    if (waiter === undefined) this.#unread.push(message);
    else waiter.resolve(message);
  }

  #perform(end: Transport, script: Script, message: WireMessage): void {
    const head = { jsonrpc: '2.0', id: message.id };
    try {
      const result = script(message.params, message);
      if (result !== undefined) void end.send(JSON.stringify({ ...head, result }));
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      void end.send(JSON.stringify({ ...head, error: error.body }));
    }
  }
}

function parse(value: unknown): WireMessage {
  if (!isRecord(value)) throw new Error(`The client sent ${JSON.stringify(value)}`);
  const { jsonrpc, id, method, params, result, error } = value;
  return {
    jsonrpc: String(jsonrpc),
    ...(typeof id === 'string' || typeof id === 'number' ? { id } : {}),
    ...(typeof method === 'string' ? { method } : {}),
    params: isRecord(params) ? params : {},
    ...(isRecord(result) ? { result } : {}),
    ...(isRecord(error) ? { error } : {}),
  };
}

export const EVERYTHING: JsonObject = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

/** A server of the handshake era, which refuses the probe. */
export function handshakeServer(
  version: string = LATEST_HANDSHAKE,
  capabilities: JsonObject = EVERYTHING,
): ScriptedServer {
  return new ScriptedServer()
    .on('server/discover', () => rpcError(-32601, 'Method not found'))
    .on('initialize', () => ({
      protocolVersion: version,
      capabilities,
      serverInfo: { name: 'scripted', version: '1' },
      instructions: 'be kind',
    }));
}

/** A server of the stateless era. */
export function statelessServer(capabilities: JsonObject = EVERYTHING): ScriptedServer {
  return new ScriptedServer().on('server/discover', () => ({
    resultType: 'complete',
    supportedVersions: [STATELESS],
    capabilities,
    instructions: 'be kind',
    ttlMs: 0,
    cacheScope: 'public',
    _meta: { [`${META}serverInfo`]: { name: 'scripted', version: '1' } },
  }));
}

/** Lets everything that is ready happen: a turn of the event loop runs all microtasks before it. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The value at a `_meta` key of the protocol's own namespace. */
export function meta(message: WireMessage, key: string): unknown {
  const map = message.params._meta;
  return isRecord(map) ? map[`${META}${key}`] : undefined;
}

export function token(message: WireMessage): unknown {
  const map = message.params._meta;
  return isRecord(map) ? map.progressToken : undefined;
}
