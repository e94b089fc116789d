import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { HttpTransportOptions } from '../../src/transports/http/client/transport.js';
import { createHttpTransport } from '../../src/transports/http/client/transport.js';
import type { Transport } from '../../src/transports/transport.js';
import { type Recorder, recorder } from './recorded-messages.js';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as JSON; an empty object when it is none. */
  readonly message: {
    readonly id?: string | number;
    readonly method?: string;
    readonly params?: Record<string, unknown>;
  };
}

export type Script = (request: SeenRequest, response: ServerResponse) => void;

export interface ScriptedServer {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** Resolves with the first request, past or future, that the filter accepts. */
  until(filter: (request: SeenRequest) => boolean): Promise<SeenRequest>;
  connections(): Promise<number>;
  /** Answers that have neither ended nor been cut by the client. */
  unfinished(): number;
  close(): Promise<void>;
}

/** A real HTTP server that answers as the test says. It goes away with the test. */
export async function scriptedServer(script: Script): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const waiting: { filter: (request: SeenRequest) => boolean; resolve: (request: SeenRequest) => void }[] =
    [];
  let unfinished = 0;
  const server = createServer((request, response) => {
    unfinished += 1;
    response.on('close', () => {
      unfinished -= 1;
    });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { method = '', url: path = '', headers } = request;
      const one: SeenRequest = { method, path, headers, body, message: body === '' ? {} : parsed(body) };
      seen.push(one);
      for (const { filter, resolve } of waiting) if (filter(one)) resolve(one);
      script(one, response);
    });
  });
  const url = await listen(server);
  return {
    url: `${url}/mcp`,
    seen,
    until(filter) {
      const past = seen.find(filter);
      if (past !== undefined) return Promise.resolve(past);
      return new Promise((resolve) => waiting.push({ filter, resolve }));
    },
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    unfinished: () => unfinished,
    close: () => stop(server),
  };
}

function parsed(body: string): SeenRequest['message'] {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}

/** A server of raw bytes: the test gets each socket with the request read from it. */
export async function rawServer(script: (request: string, socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
      const head = text.indexOf('\r\n\r\n');
      if (head === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (text.length < head + 4 + length) return;
      const request = text;
      text = '';
      script(request, socket);
    });
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => stop(server));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

export interface Opened {
  readonly transport: Transport;
  readonly got: Recorder;
}

/** A started transport, closed with the test. Waits are short so that tests need not wait. */
export async function open(options: HttpTransportOptions): Promise<Opened> {
  const transport = createHttpTransport({
    closeTimeout: 500,
    ...options,
    reconnect: { delay: 5, maxDelay: 20, ...options.reconnect },
  });
  const got = recorder();
  await transport.start(got);
  onTestFinished(() => transport.close());
  return { transport, got };
}

export function json(response: ServerResponse, status: number, value: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

/** Begins a stream of events; the test ends it. */
export function events(response: ServerResponse, ...chunks: string[]): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) response.write(chunk);
  return response;
}

export function result(id: string | number | undefined, value: Record<string, unknown> = {}): unknown {
  return { jsonrpc: '2.0', id, result: value };
}

export function event(value: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(value)}\n\n`;
}

const STATELESS = '2026-07-28';

/** A request as a client of the stateless era writes it. */
export function statelessRequest(
  id: string | number,
  method: string,
  params: Record<string, unknown> = {},
): string {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': STATELESS,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
}

export function request(id: string | number, method: string, params: Record<string, unknown> = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

export function notification(method: string, params: Record<string, unknown> = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

/** What a server of the handshake era answers to the usual requests; the test's own script goes first. */
export function handshakeScript(
  own: (request: SeenRequest, response: ServerResponse) => boolean,
  options: { version?: string; session?: string | undefined } = {},
): Script {
  const { version = '2025-11-25' } = options;
  const session = 'session' in options ? options.session : 'session-1';
  return (seen, response) => {
    if (own(seen, response)) return;
    const { id, method } = seen.message;
    if (seen.method !== 'POST') response.writeHead(405).end();
    else if (method === 'initialize') {
      const value = { protocolVersion: version, capabilities: {}, serverInfo: { name: 's', version: '1' } };
      json(response, 200, result(id, value), session === undefined ? {} : { 'mcp-session-id': session });
    } else if (id === undefined) response.writeHead(202).end();
    else json(response, 200, result(id, { method }));
  };
}

/** Takes a transport through the handshake, up to the point where the server knows that it is over. */
export async function shakeHands({ transport, got }: Opened): Promise<void> {
  await transport.send(
    request('init', 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    }),
  );
  await got.until(1);
  await transport.send(notification('notifications/initialized'));
}
