/** POSTs of the stateless revisions: every request stands alone, and its headers repeat its body. */

import { METHOD_NOT_FOUND } from '../../jsonrpc/codes.js';
import type { Decoded } from '../../jsonrpc/decode.js';
import { encodeError } from '../../jsonrpc/encode.js';
import { isRecord, type JsonObject, type Request, type RequestId } from '../../jsonrpc/message.js';
import { invalidRequest, methodNotFound, ProtocolError, unsupportedVersion } from '../../protocol/errors.js';
import {
  decodeHeaderValue,
  METHOD_HEADER,
  NAME_HEADER,
  nameOf,
  parameterMismatch,
  VERSION_HEADER,
} from '../../protocol/mirrored-headers.js';
import { errorFor, type Revision } from '../../protocol/revisions/index.js';
import type { HttpHeaders, HttpRequest, HttpResponse } from '../../transports/http/server/exchange.js';
import { parseAccept } from '../../transports/http/server/media.js';
import { messageWeight } from '../admission.js';
import type { Reply } from '../dispatcher.js';
import { admitPeer, claimedVersion, parseEnvelope } from '../lifecycle/stateless.js';
import { PostExchange } from './post.js';
import type { EndpointState, Posted } from './state.js';

export class StatelessEndpoint {
  readonly #state: EndpointState;
  readonly #newest: Revision | undefined;

  constructor(state: EndpointState) {
    this.#state = state;
    this.#newest = state.host.statelessRevisions.at(-1);
  }

  post(
    request: HttpRequest,
    decoded: Exclude<Decoded, { kind: 'malformed' }>,
    posted: Posted,
  ): void | Promise<void> {
    const { response, headers } = posted;
    if (decoded.kind === 'notification') {
      response.send(202, headers);
      return;
    }
    if (decoded.kind !== 'request') {
      const error = invalidRequest('Clients do not send responses in this protocol revision');
      return this.#refuse(response, 400, headers, undefined, error);
    }
    return this.#request(request, decoded.message, posted);
  }

  #request(
    request: HttpRequest,
    message: Request,
    { text, response, headers, caller, account }: Posted,
  ): void | Promise<void> {
    const { host } = this.#state;
    if (message.method === 'initialize' && claimedVersion(message.params) === undefined)
      return this.#refuse(response, 400, headers, message.id, this.#noHandshake(message.params));
    const envelope = parseEnvelope(message.params);
    if (envelope instanceof ProtocolError) return this.#refuse(response, 400, headers, message.id, envelope);
    // Compared before support is judged: a proxy routes on the header, and the body must not differ from it.
    const mismatch = versionMismatch(request, envelope.version);
    if (mismatch !== undefined) return this.#refuse(response, 400, headers, message.id, mismatch);
    const peer = admitPeer(envelope, host.statelessRevisions, caller.principal, account);
    if (peer instanceof ProtocolError) return this.#refuse(response, 400, headers, message.id, peer);
    const accepted = parseAccept(request.header('accept'));
    // A subscription is nothing but its events.
    if (!accepted.sse && (!accepted.json || message.method === 'subscriptions/listen')) {
      const error = invalidRequest('Accept must admit application/json and text/event-stream');
      return this.#refuse(response, 406, headers, message.id, error);
    }
    const wrong =
      standardMismatch(request, message) ??
      this.#missing(message.method, peer.revision) ??
      this.#parameters(request, message);
    if (wrong !== undefined)
      return this.#refuse(response, statusOf(peer.revision, wrong.rpcCode), headers, message.id, wrong);
    const weight = messageWeight(message, text);
    const busy = host.admission.refusal(account, weight);
    if (busy !== undefined)
      return this.#refuse(response, 429, headers, message.id, new ProtocolError('internal_error', busy));
    const exchange = new PostExchange(this.#state, { response, headers, accepted }, peer, {
      auth: caller.auth,
      ids: [message.id],
      weight,
    });
    const reply = host.dispatcher.handle(message, peer, exchange);
    if (!(reply instanceof Promise)) return this.#finish(exchange, peer.revision, message.method, reply);
    exchange.watchDisconnect();
    return reply.then((settled) => this.#finish(exchange, peer.revision, message.method, settled));
  }

  #finish(exchange: PostExchange, revision: Revision, method: string, reply: Reply | undefined): void {
    const code = reply?.errorCode ?? 0;
    // Many servers answer an unknown tool with this code. The method is there: as 404 clients would read that it is not.
    const isOfHandler = code === METHOD_NOT_FOUND && revision.clientRequests.has(method);
    const status = code === 0 || isOfHandler ? 200 : statusOf(revision, code);
    exchange.finish(status, reply === undefined ? [] : [reply], false);
  }

  /** A client of the handshake era learns what is spoken here instead. */
  #noHandshake(params: JsonObject | undefined): ProtocolError {
    const versions = this.#state.host.statelessRevisions.map(({ version }) => version);
    return unsupportedVersion(String(params?.protocolVersion), versions);
  }

  #missing(method: string, revision: Revision): ProtocolError | undefined {
    return this.#state.host.dispatcher.serves(method, revision) ? undefined : methodNotFound(method);
  }

  #parameters(request: HttpRequest, message: Request): ProtocolError | undefined {
    if (message.method !== 'tools/call') return undefined;
    const name = message.params?.name;
    const mirrored = typeof name === 'string' ? this.#state.host.mirroredParameters(name) : undefined;
    if (mirrored === undefined || mirrored.length === 0) return undefined;
    const args: JsonObject = isRecord(message.params?.arguments) ? message.params.arguments : {};
    const reason = parameterMismatch(mirrored, args, (header) => request.header(header));
    return reason === undefined ? undefined : headerMismatch(reason);
  }

  #refuse(
    response: HttpResponse,
    status: number,
    headers: HttpHeaders,
    id: RequestId | undefined,
    error: ProtocolError,
  ): void {
    const object = this.#newest === undefined ? error.toErrorObject() : errorFor(this.#newest, error);
    response.send(status, headers, encodeError(id, object));
  }
}

function statusOf(revision: Revision, code: number): number {
  return revision.http.errorStatus.get(code) ?? 200;
}

function headerMismatch(reason: string): ProtocolError {
  return new ProtocolError('header_mismatch', reason);
}

function versionMismatch(request: HttpRequest, version: string): ProtocolError | undefined {
  const header = request.header(VERSION_HEADER)?.trim();
  if (header === undefined) return headerMismatch('Header MCP-Protocol-Version is missing');
  return header === version
    ? undefined
    : headerMismatch('Header MCP-Protocol-Version does not repeat the version in _meta');
}

function standardMismatch(request: HttpRequest, message: Request): ProtocolError | undefined {
  const method = request.header(METHOD_HEADER);
  if (method === undefined) return headerMismatch('Header Mcp-Method is missing');
  if (method !== message.method && method.trim() !== message.method) {
    return headerMismatch('Header Mcp-Method does not repeat the method');
  }
  const name = nameOf(message.method, message.params);
  if (name === undefined) return undefined;
  const header = request.header(NAME_HEADER);
  if (header === undefined) return headerMismatch('Header Mcp-Name is missing');
  return decodeHeaderValue(header) === name
    ? undefined
    : headerMismatch('Header Mcp-Name does not repeat the name in the body');
}
