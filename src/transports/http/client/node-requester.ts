/** Outgoing HTTP on Node, over `node:http` with connections that are kept open between calls. */

import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { PLUMB_VERSION } from '../../../protocol/version.js';
import { BodyBytes } from '../body-bytes.js';
import { bodyText } from '../node-body.js';
import { createForwardAgent, proxyFor, proxyHeaders, TunnelAgent } from './node-proxy.js';
import {
  type BodyMode,
  type HttpCall,
  type HttpCallEvents,
  type HttpCallHandle,
  type HttpHead,
  type HttpRequester,
  networkError,
  tooLarge,
} from './requester.js';

/**
 * Less than the five seconds after which many servers close an idle connection: a request sent into a connection that
 * is just being closed fails, and cannot be repeated safely.
 */
const IDLE_MS = 4_000;
/** How long a connection may take to be made. A server that was reached may take longer to answer. */
const CONNECT_MS = 10_000;

export function createNodeRequester(maxBodyBytes: number): HttpRequester {
  return new NodeRequester(maxBodyBytes);
}

/** The parts of a URL, read once: that costs more than it looks, and it is the same one almost always. */
interface Destination {
  readonly url: URL;
  readonly send: typeof requestHttp;
  readonly agent: HttpAgent;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  /** Headers for a proxy. */
  readonly more: readonly string[];
}

class NodeRequester implements HttpRequester {
  // Some gateways refuse requests without a User-Agent.
  readonly usualHeaders: readonly string[] = ['user-agent', `plumb-mcp/${PLUMB_VERSION}`];
  readonly #maxBodyBytes: number;
  #agent: HttpAgent | undefined;
  #destination: Destination | undefined;
  /** Later connections are not watched: each request would pay for it. */
  #isReached = false;

  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes;
  }

  request(call: HttpCall, events: HttpCallEvents): HttpCallHandle {
    const { method, url, headers, body } = call;
    const { send, agent, host, hostname, port, path, more } = this.#resolve(url);
    // As an array, headers are written straight to the wire; Node then leaves Host and the length to us.
    headers.push('host', host, ...more);
    if (body !== undefined) headers.push('content-length', String(Buffer.byteLength(body)));
    const request = send({ agent, hostname, port, path, method, headers });
    const handle = new NodeHandle(url, request, events, this.#maxBodyBytes);
    handle.start(body);
    if (!this.#isReached) {
      connectInTime(request, () => {
        this.#isReached = true;
      });
    }
    return handle;
  }

  close(): void {
    this.#agent?.destroy();
  }

  #resolve(url: URL): Destination {
    const known = this.#destination;
    if (known?.url === url) return known;
    const secure = url.protocol === 'https:';
    const proxy = proxyFor(url);
    // A client talks to one origin, so there is one kind of agent.
    this.#agent ??= createAgent(secure, proxy);
    const direct = {
      url,
      send: secure ? requestHttps : requestHttp,
      agent: this.#agent,
      host: url.host,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path: url.pathname + url.search,
      more: [],
    };
    this.#destination = secure || proxy === undefined ? direct : forwarded(direct, proxy);
    return this.#destination;
  }
}

/** Ends a request whose connection is not made in time: a firewall that drops packets answers nothing at all. */
function connectInTime(request: ClientRequest, reached: () => void): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(() => request.destroy(new ConnectTimeout()), CONNECT_MS);
    socket.once('connect', reached);
    for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer));
  });
}

class ConnectTimeout extends Error {
  readonly syscall = 'connect';

  constructor() {
    super(`no connection within ${CONNECT_MS / 1_000} s`);
  }
}

function createAgent(secure: boolean, proxy: URL | undefined): HttpAgent {
  const options = { keepAlive: true, timeout: IDLE_MS };
  if (proxy !== undefined)
    return secure ? new TunnelAgent(proxy, options) : createForwardAgent(proxy, options);
  return new (secure ? HttpsAgent : HttpAgent)(options);
}

/** Proxies get the whole address of an http URL, with credentials of their own. */
function forwarded(direct: Destination, proxy: URL): Destination {
  const secure = proxy.protocol === 'https:';
  return {
    ...direct,
    send: secure ? requestHttps : requestHttp,
    hostname: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port,
    path: `http://${direct.host}${direct.path}`,
    more: Object.entries(proxyHeaders(proxy)).flat(),
  };
}

class NodeHandle implements HttpCallHandle, HttpHead {
  readonly #url: URL;
  readonly #request: ClientRequest;
  readonly #events: HttpCallEvents;
  readonly #maxBodyBytes: number;
  #response: IncomingMessage | undefined;
  #mode: BodyMode = 'none';
  readonly #body = new BodyBytes();
  #over = false;

  constructor(url: URL, request: ClientRequest, events: HttpCallEvents, maxBodyBytes: number) {
    this.#url = url;
    this.#request = request;
    this.#events = events;
    this.#maxBodyBytes = maxBodyBytes;
  }

  start(body: string | undefined): void {
    // Stays for good: a request that we end ourselves reports an error too.
    this.#request.on('error', (error) => this.#fail(error));
    this.#request.on('response', (response) => this.#read(response));
    this.#request.end(body);
  }

  get hasLeft(): boolean {
    const { socket } = this.#request;
    if (socket === null || socket.connecting) return false;
    // A TLS connection takes nothing before its own handshake.
    return Reflect.get(socket, 'secureConnecting') !== true;
  }

  get status(): number {
    return this.#response?.statusCode ?? 0;
  }

  header(name: string): string | undefined {
    // `headers` would read them all into an object, for the one or two that anybody asks for.
    const raw = this.#response?.rawHeaders ?? [];
    let found: string | undefined;
    for (let index = 0; index + 1 < raw.length; index += 2) {
      if (raw[index]?.length !== name.length || raw[index]?.toLowerCase() !== name) continue;
      found = found === undefined ? raw[index + 1] : `${found}, ${raw[index + 1]}`;
    }
    return found;
  }

  headers(): readonly string[] {
    return this.#response?.rawHeaders ?? [];
  }

  abort(): void {
    this.#over = true;
    this.#request.destroy();
  }

  #read(response: IncomingMessage): void {
    // Before anything else: what `head` calls may end the request.
    response.on('error', (error) => this.#fail(error));
    this.#response = response;
    if (this.#over) return;
    this.#mode = this.#events.head(this);
    if (this.#over) return;
    response.on('end', () => this.#end());
    if (this.#mode === 'none') response.resume();
    else response.on('data', (chunk: Buffer) => this.#data(chunk));
  }

  #data(chunk: Buffer): void {
    if (this.#over) return;
    if (this.#mode === 'chunks') {
      this.#events.chunk(chunk);
      return;
    }
    if (this.#body.length + chunk.length <= this.#maxBodyBytes) {
      this.#body.add(chunk);
      return;
    }
    this.#body.take();
    this.abort();
    this.#events.failed(tooLarge(this.#url, this.#maxBodyBytes));
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#mode === 'text') this.#events.text(bodyText(this.#body));
    else this.#events.end();
  }

  #fail(error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#request.destroy();
    this.#events.failed(networkError(this.#url, error));
  }
}
