/** A listening HTTP server on Node that hands one path to an endpoint. */

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpLimits } from './limits.js';
import type { NodeHandler } from './node.js';
import { endAfterRequest } from './node-linger.js';
import { createHttpServer } from './node-server.js';

export interface ListenOptions {
  /** 0 takes a free one. */
  readonly port?: number;
  /** Default: loopback, so that other hosts do not reach a tool server by accident. */
  readonly host?: string;
  readonly limits: HttpLimits;
  /** Handlers by path. */
  readonly routes: ReadonlyMap<string, NodeHandler>;
  /** Serves every other path. Default: they are not found. */
  readonly otherwise?: NodeHandler;
  /** Receives what a handler throws. */
  readonly onError?: (error: unknown) => void;
}

export interface HttpListener {
  readonly server: Server;
  readonly port: number;
  readonly host: string;
  /** `http://127.0.0.1:3000` */
  readonly origin: string;
  /** Stops accepting, waits for running exchanges up to the limit, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const RETIRE_INTERVAL_MS = 20;
/**
 * How long a connection without a request stays open. Node's 5 s are so short that clients who think between two calls
 * send the second one into a connection that is just being closed, and see it fail.
 */
const IDLE_MS = 75_000;

export async function listen(options: ListenOptions): Promise<HttpListener> {
  const { routes, limits, otherwise } = options;
  const [endpoint = '/'] = routes.keys();
  // Node looks for late clients in rounds; a short limit needs short rounds.
  const connectionsCheckingInterval = Math.max(Math.min(limits.requestTimeout, HEADERS_TIMEOUT_MS) / 2, 10);
  const route: RequestListener = (request, response) => {
    const url = request.url ?? '/';
    const query = url.indexOf('?');
    const handler = routes.get(query === -1 ? url : url.slice(0, query)) ?? otherwise;
    if (handler !== undefined) handler(request, response);
    else notFound(request, response, endpoint);
  };
  const server = createHttpServer({ connectionsCheckingInterval }, route, options.onError);
  server.headersTimeout = Math.min(HEADERS_TIMEOUT_MS, limits.requestTimeout);
  server.requestTimeout = limits.requestTimeout;
  server.keepAliveTimeout = IDLE_MS;
  // Streams may stay silent for longer than any socket timeout; keep-alive comments watch over them.
  server.timeout = 0;
  server.maxConnections = limits.connections;
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: unknown): void => reject(explained(error, host, options.port ?? 0));
    server.once('error', refuse);
    server.listen(options.port ?? 0, host, () => {
      server.off('error', refuse);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return { server, port, host, origin: `http://${name}:${port}`, close: (graceMs) => close(server, graceMs) };
}

/** With the code of the system, which programs look for, and what to do. */
function explained(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const problem: string | undefined = {
    EADDRINUSE: `Port ${port} of ${host} is in use; end the program that has it, or choose another port (0: any free one)`,
    EACCES: `Port ${port} needs more rights than this program has; choose one above 1023`,
    EADDRNOTAVAIL: `This machine has no address ${host}; use 127.0.0.1, or 0.0.0.0 for all of its addresses`,
    ENOTFOUND: `The host ${host} has no address; use 127.0.0.1, or 0.0.0.0 for all addresses of this machine`,
  }[code];
  return problem === undefined ? error : Object.assign(new Error(`${problem} (${code})`), { code });
}

/** `endpoint`: where a person who opened the address in a browser should have gone. */
function notFound(request: IncomingMessage, response: ServerResponse, endpoint: string): void {
  const text = `Not found; the MCP endpoint is at ${endpoint}\n`;
  response.writeHead(404, { 'Content-Type': 'text/plain', 'Content-Length': Buffer.byteLength(text) });
  response.write(text);
  endAfterRequest(request, response);
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    // A connection that answers from now on is idle afterwards, and would be kept alive for a while.
    const retire = setInterval(() => server.closeIdleConnections(), RETIRE_INTERVAL_MS);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(retire);
      resolve();
    });
    server.closeIdleConnections();
  });
}
