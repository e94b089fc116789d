/** Clients with no opinions for both eras over HTTP: they send what they are told, headers included. */

import type { JsonObject, RequestId } from '../../src/jsonrpc/message.js';
import type { HttpAnswer } from './http-answer.js';
import type { HttpCall } from './http-target.js';
import { envelope, type OpenOptions, STATELESS_VERSION } from './wire-peer.js';

export interface Sender {
  send(call: HttpCall): Promise<HttpAnswer>;
}

/** Headers to add or, with undefined, to leave out. */
export type HeaderChanges = Readonly<Record<string, string | undefined>>;

export interface CallOptions {
  readonly id?: RequestId;
  readonly headers?: HeaderChanges;
}

const JSON_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

export function withHeaders(
  headers: Readonly<Record<string, string>>,
  changes: HeaderChanges = {},
): Record<string, string> {
  const merged: Record<string, string> = { ...headers };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete merged[name.toLowerCase()];
    else merged[name.toLowerCase()] = value;
  }
  return merged;
}

/** POSTs an object as JSON, or a text as it is. */
export function post(target: Sender, body: unknown, headers?: HeaderChanges): Promise<HttpAnswer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return target.send({ headers: withHeaders(JSON_HEADERS, headers), body: text });
}

export function initializeMessage(version: string, options: OpenOptions = {}, id: RequestId = 0): JsonObject {
  return {
    jsonrpc: '2.0',
    id,
    method: 'initialize',
    params: {
      protocolVersion: version,
      capabilities: options.capabilities ?? {},
      clientInfo: options.clientInfo ?? { name: 'http-peer', version: '1' },
    },
  };
}

/** A handshake session; the version header is sent from the revision on that has one. */
export class SessionPeer {
  readonly id: string;
  readonly version: string;
  readonly opening: HttpAnswer;
  readonly #target: Sender;
  readonly #extra: HeaderChanges;
  #nextId = 1;

  constructor(target: Sender, opening: HttpAnswer, version: string, extra: HeaderChanges) {
    this.#target = target;
    this.opening = opening;
    this.id = opening.header('mcp-session-id') ?? '';
    this.version = version;
    this.#extra = extra;
  }

  static async open(
    target: Sender,
    version: string,
    options: OpenOptions & { readonly headers?: HeaderChanges } = {},
  ): Promise<SessionPeer> {
    const { headers = {} } = options;
    const opening = await post(target, initializeMessage(version, options), headers);
    await opening.result();
    const peer = new SessionPeer(target, opening, version, headers);
    if (options.initialized !== false) await (await peer.notify('notifications/initialized')).text();
    return peer;
  }

  /** What goes with every request of this session. */
  headers(changes: HeaderChanges = {}): HeaderChanges {
    const version = this.version >= '2025-06-18' ? { 'mcp-protocol-version': this.version } : {};
    return { 'mcp-session-id': this.id, ...version, ...this.#extra, ...changes };
  }

  post(body: unknown, headers?: HeaderChanges): Promise<HttpAnswer> {
    return post(this.#target, body, this.headers(headers));
  }

  request(method: string, params?: JsonObject, options: CallOptions = {}): Promise<HttpAnswer> {
    const id = options.id ?? this.#nextId++;
    const message = { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) };
    return this.post(message, options.headers);
  }

  tool(name: string, args: JsonObject = {}, options: CallOptions & { meta?: JsonObject } = {}) {
    const meta = options.meta === undefined ? {} : { _meta: options.meta };
    return this.request('tools/call', { name, arguments: args, ...meta }, options);
  }

  notify(method: string, params?: JsonObject): Promise<HttpAnswer> {
    return this.post({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
  }

  answer(id: unknown, result: JsonObject): Promise<HttpAnswer> {
    return this.post({ jsonrpc: '2.0', id, result });
  }

  /** Opens the GET stream, or takes one up again. */
  stream(lastEventId?: string, changes: HeaderChanges = {}): Promise<HttpAnswer> {
    const resume = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const headers = withHeaders({ accept: 'text/event-stream' }, this.headers({ ...resume, ...changes }));
    return this.#target.send({ method: 'GET', headers });
  }

  end(changes?: HeaderChanges): Promise<HttpAnswer> {
    return this.#target.send({ method: 'DELETE', headers: withHeaders({}, this.headers(changes)) });
  }
}

const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** A stateless request with every header that its body asks for; `headers` spoils them. */
export function statelessCall(
  method: string,
  params: JsonObject = {},
  options: CallOptions & OpenOptions & { readonly meta?: JsonObject | null } = {},
): { readonly body: JsonObject; readonly headers: Record<string, string> } {
  const { id = 1, meta = {} } = options;
  const own = meta === null ? params : { ...params, _meta: { ...envelope(options), ...meta } };
  const name = params[NAMED[method] ?? ''];
  return {
    body: { jsonrpc: '2.0', id, method, params: own },
    headers: withHeaders(
      {
        ...JSON_HEADERS,
        'mcp-protocol-version': STATELESS_VERSION,
        'mcp-method': method,
        ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      },
      options.headers,
    ),
  };
}

export function stateless(
  target: Sender,
  method: string,
  params?: JsonObject,
  options?: Parameters<typeof statelessCall>[2],
): Promise<HttpAnswer> {
  const { body, headers } = statelessCall(method, params, options);
  return target.send({ headers, body: JSON.stringify(body) });
}

/** `params` come beside the name and the arguments. */
export function statelessTool(
  target: Sender,
  name: string,
  args: JsonObject = {},
  {
    params = {},
    ...options
  }: NonNullable<Parameters<typeof statelessCall>[2]> & { params?: JsonObject } = {},
): Promise<HttpAnswer> {
  return stateless(target, 'tools/call', { name, arguments: args, ...params }, options);
}
