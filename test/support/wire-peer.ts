/**
 * A client with no opinions: it writes objects or raw text to a server, keeps every message that comes back, and
 * knows how to open each revision. It shares no code with our client, and it judges whatever the server says:
 * output that is no JSON-RPC message rejects everyone who waits.
 */

import type { JsonObject, RequestId } from '../../src/jsonrpc/message.js';
import { REVISIONS, type Revision } from '../../src/protocol/revisions/index.js';
import type { Server } from '../../src/server/index.js';
import { createMemoryPair } from '../../src/transports/memory.js';
import type { CloseReason, Transport } from '../../src/transports/transport.js';

export interface WireMessage {
  readonly jsonrpc: '2.0';
  readonly id?: RequestId | null;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface OpenOptions {
  readonly capabilities?: JsonObject;
  readonly clientInfo?: JsonObject;
  /** Stateless revisions: the log level that each request carries. */
  readonly logLevel?: string;
  /** Handshake revisions: whether `notifications/initialized` follows. */
  readonly initialized?: boolean;
  readonly principal?: string;
}

type Predicate = (message: WireMessage) => boolean;
type Responder = (params: JsonObject) => JsonObject | { readonly error: JsonObject } | undefined;

export const VERSIONS: readonly string[] = REVISIONS.map(({ version }) => version);
export const HANDSHAKE_VERSIONS: readonly string[] = REVISIONS.filter(
  ({ lifecycle }) => lifecycle === 'handshake',
).map(({ version }) => version);
export const STATELESS_VERSION = '2026-07-28';

const META_PREFIX = 'io.modelcontextprotocol/';

/** The `_meta` of a stateless request. */
export function envelope(options: OpenOptions = {}, version: string = STATELESS_VERSION): JsonObject {
  return {
    [`${META_PREFIX}protocolVersion`]: version,
    [`${META_PREFIX}clientCapabilities`]: options.capabilities ?? {},
    [`${META_PREFIX}clientInfo`]: options.clientInfo ?? { name: 'wire-peer', version: '1' },
    ...(options.logLevel === undefined ? {} : { [`${META_PREFIX}logLevel`]: options.logLevel }),
  };
}

/** What is wrong with an outgoing message, if anything. */
export function jsonRpcFault(value: unknown): string | undefined {
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty batch' : value.map(jsonRpcFault).find(Boolean);
  if (typeof value !== 'object' || value === null) return 'not an object';
  const message = value as JsonObject;
  const has = (key: string): boolean => Object.hasOwn(message, key);
  if (message.jsonrpc !== '2.0') return 'jsonrpc is not "2.0"';
  const id = message.id;
  const readableId = typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id));
  if (has('method')) {
    if (typeof message.method !== 'string') return 'method is not a string';
    if (has('result') || has('error')) return 'a call with an answer in it';
    if (has('id') && !readableId) return 'a request whose id is no string or integer';
    if (has('params') && !isObject(message.params)) return 'params is not an object';
    return undefined;
  }
  if (has('result') === has('error')) return 'not exactly one of result and error';
  if (has('result')) {
    if (!readableId) return 'a result without an id';
    return isObject(message.result) ? undefined : 'result is not an object';
  }
  if (has('id') && id !== null && !readableId) return 'an error whose id is no string, integer or null';
  const error = message.error;
  if (!isObject(error)) return 'error is not an object';
  if (!Number.isInteger(error.code)) return 'error.code is no integer';
  return typeof error.message === 'string' ? undefined : 'error.message is no string';
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A server or a chain. */
type Connectable = Pick<Server, 'connect'>;

export class WirePeer {
  /** Everything that came, batches unpacked, in order. */
  readonly received: WireMessage[] = [];
  /** The same, as text. */
  readonly texts: string[] = [];
  readonly closing: Promise<CloseReason>;
  readonly #transport: Transport;
  readonly #unread: WireMessage[] = [];
  readonly #waiting = new Set<{
    predicate: Predicate;
    resolve(message: WireMessage): void;
    reject(error: Error): void;
  }>();
  readonly #responders = new Map<string, Responder>();
  readonly #batches: WireMessage[][] = [];
  readonly #batchWaiters: ((batch: WireMessage[]) => void)[] = [];
  #closed: (reason: CloseReason) => void = () => {};
  #fault: string | undefined;
  #nextId = 1001;

  private constructor(transport: Transport) {
    this.#transport = transport;
    this.closing = new Promise((resolve) => {
      this.#closed = resolve;
    });
  }

  /** `principal`: who the connection belongs to, where its transport would know. */
  static async connect(server: Connectable, principal?: string): Promise<WirePeer> {
    return WirePeer.join(server, ...createMemoryPair(), principal);
  }

  /** The same over two ends of another transport. */
  static async join(
    server: Connectable,
    theirs: Transport,
    transport: Transport,
    principal?: string,
  ): Promise<WirePeer> {
    await server.connect(theirs, { principal });
    const peer = new WirePeer(transport);
    await transport.start({
      message: (_decoded, text) => peer.#receive(text),
      fault: () => {},
      closed: (reason) => peer.#end(reason),
    });
    return peer;
  }

  /** Writes an object as JSON, or a text as it is. */
  send(value: unknown): void {
    void this.#transport.send(typeof value === 'string' ? value : JSON.stringify(value));
  }

  notify(method: string, params?: JsonObject): void {
    this.send({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
  }

  /** Sends a request and returns the id it went out with. */
  post(method: string, params?: JsonObject, id: RequestId = this.freshId()): RequestId {
    this.send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
    return id;
  }

  async request(method: string, params?: JsonObject, id?: RequestId): Promise<WireMessage> {
    return this.answerTo(this.post(method, params, id));
  }

  freshId(): number {
    return this.#nextId++;
  }

  /** The first message not yet taken that fits, whether it has come already or is still to come. */
  next(predicate: Predicate): Promise<WireMessage> {
    if (this.#fault !== undefined) return Promise.reject(new Error(this.#fault));
    const index = this.#unread.findIndex(predicate);
    if (index !== -1) return Promise.resolve(this.#unread.splice(index, 1)[0] as WireMessage);
    return new Promise((resolve, reject) => this.#waiting.add({ predicate, resolve, reject }));
  }

  answerTo(id: RequestId | null | undefined): Promise<WireMessage> {
    return this.next((message) => message.method === undefined && message.id === id);
  }

  notification(method: string): Promise<WireMessage> {
    return this.next((message) => message.method === method && message.id === undefined);
  }

  /** The next batch, as the server grouped it. Its messages count as received too. */
  batch(): Promise<WireMessage[]> {
    const batch = this.#batches.shift();
    return batch === undefined
      ? new Promise((resolve) => this.#batchWaiters.push(resolve))
      : Promise.resolve(batch);
  }

  /** A request of the server to this client. */
  question(method: string): Promise<WireMessage> {
    return this.next((message) => message.method === method && message.id !== undefined);
  }

  /** Answers every request of the server with this method from now on. */
  respond(method: string, responder: Responder): void {
    this.#responders.set(method, responder);
  }

  /** What came so far and carries this method. */
  all(method: string): WireMessage[] {
    return this.received.filter((message) => message.method === method);
  }

  /**
   * Resolves when the server has had every chance to react to what was sent: a round trip over the same ordered
   * connection, and then a turn of the event loop, which runs every promise that was ready.
   */
  async quiet(): Promise<void> {
    const id = `quiet-${this.freshId()}`;
    this.send({ jsonrpc: '2.0', id, method: 'quiet/please' });
    await this.answerTo(id);
    await new Promise((resolve) => setImmediate(resolve));
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #receive(text: string): void {
    this.texts.push(text);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#complain(`The server sent what is not JSON: ${text.slice(0, 200)}`);
      return;
    }
    const fault = jsonRpcFault(value);
    if (fault !== undefined) {
      this.#complain(`The server sent ${fault}: ${text.slice(0, 200)}`);
      return;
    }
    if (Array.isArray(value)) {
      const waiter = this.#batchWaiters.shift();
      if (waiter === undefined) this.#batches.push(value);
      else waiter(value);
    }
    for (const message of (Array.isArray(value) ? value : [value]) as WireMessage[]) this.#take(message);
  }

  #take(message: WireMessage): void {
    this.received.push(message);
    if (message.method !== undefined && message.id !== undefined) {
      const reply = this.#responders.get(message.method)?.(message.params ?? {});
      if (reply !== undefined) {
        this.send({ jsonrpc: '2.0', id: message.id, ...('error' in reply ? reply : { result: reply }) });
      }
    }
    for (const waiter of this.#waiting) {
      if (!waiter.predicate(message)) continue;
      this.#waiting.delete(waiter);
      waiter.resolve(message);
      return;
    }
    this.#unread.push(message);
  }

  #complain(fault: string): void {
    this.#fault ??= fault;
    for (const waiter of this.#waiting) waiter.reject(new Error(fault));
    this.#waiting.clear();
  }

  #end(reason: CloseReason): void {
    for (const waiter of this.#waiting) waiter.reject(new Error(`The connection closed (${reason.kind})`));
    this.#waiting.clear();
    this.#closed(reason);
  }
}

/** A peer that speaks one revision: `call` and friends put in what the revision wants on every request. */
export class RevisionPeer {
  readonly wire: WirePeer;
  readonly revision: Revision;
  /** What `initialize` or `server/discover` answered. */
  readonly opening: WireMessage;
  readonly #options: OpenOptions;

  constructor(wire: WirePeer, revision: Revision, opening: WireMessage, options: OpenOptions) {
    this.wire = wire;
    this.revision = revision;
    this.opening = opening;
    this.#options = options;
  }

  get isStateless(): boolean {
    return this.revision.lifecycle === 'stateless';
  }

  /** Params as this revision sends them. */
  params(params: JsonObject = {}, options: OpenOptions = this.#options): JsonObject {
    if (!this.isStateless) return params;
    const meta = isObject(params._meta) ? params._meta : {};
    return { ...params, _meta: { ...envelope(options, this.revision.version), ...meta } };
  }

  post(method: string, params?: JsonObject, id?: RequestId): RequestId {
    return this.wire.post(method, this.params(params), id);
  }

  request(method: string, params?: JsonObject, id?: RequestId): Promise<WireMessage> {
    return this.wire.request(method, this.params(params), id);
  }

  /** The result of a request; an error answer is thrown. */
  async call(method: string, params?: JsonObject): Promise<JsonObject> {
    const answer = await this.request(method, params);
    if (answer.result === undefined) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
    return answer.result;
  }

  /** The error that a request is answered with; a result is thrown. */
  async refusal(method: string, params?: JsonObject): Promise<NonNullable<WireMessage['error']>> {
    const answer = await this.request(method, params);
    if (answer.error === undefined) throw new Error(`${method} succeeded: ${JSON.stringify(answer.result)}`);
    return answer.error;
  }

  tool(name: string, args: JsonObject = {}, params: JsonObject = {}): Promise<JsonObject> {
    return this.call('tools/call', { name, arguments: args, ...params });
  }

  quiet(): Promise<void> {
    return this.wire.quiet();
  }
}

/** Connects to a server and opens one revision the way its clients do. */
export async function openRevision(
  server: Connectable,
  version: string,
  options: OpenOptions = {},
): Promise<RevisionPeer> {
  return openOn(await WirePeer.connect(server, options.principal), version, options);
}

/** Opens a revision on a connection that is already there. */
export async function openOn(
  wire: WirePeer,
  version: string,
  options: OpenOptions = {},
): Promise<RevisionPeer> {
  const revision = REVISIONS.find((candidate) => candidate.version === version);
  if (revision === undefined) throw new Error(`No revision ${version}`);
  if (revision.lifecycle === 'stateless') {
    const opening = await wire.request('server/discover', { _meta: envelope(options, version) });
    return new RevisionPeer(wire, revision, opening, options);
  }
  const opening = await wire.request('initialize', {
    protocolVersion: version,
    capabilities: options.capabilities ?? {},
    clientInfo: options.clientInfo ?? { name: 'wire-peer', version: '1' },
  });
  if (options.initialized !== false) wire.notify('notifications/initialized');
  return new RevisionPeer(wire, revision, opening, options);
}

/** The text of the first block of a tool result. */
export function textOf(result: JsonObject): string {
  const [block] = result.content as { text?: string }[];
  return block?.text ?? '';
}
