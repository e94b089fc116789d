/**
 * A server behind each of its HTTP adapters: a listening node:http server reached through a socket, and
 * `server.fetch` called in process. `describeMatrix` runs the same tests against both.
 */

import { request as nodeRequest } from 'node:http';
import { afterEach, describe } from 'vitest';
import type { HttpHandle, HttpServeOptions } from '../../src/server/http/service.js';
import type { Server } from '../../src/server/index.js';
import { HttpAnswer } from './http-answer.js';

export interface HttpCall {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

export interface HttpTarget {
  readonly adapter: Adapter;
  readonly server: Server;
  /** Where a browser would find it: `http://127.0.0.1:port`. */
  readonly origin: string;
  /** The listener, where there is one. */
  readonly handle: HttpHandle | undefined;
  /** Resolves when the headers of the answer are there. */
  send(call: HttpCall): Promise<HttpAnswer>;
}

export type Adapter = 'node' | 'fetch';

const ADAPTERS: readonly Adapter[] = ['node', 'fetch'];

/** Starts a server behind the adapter at hand; it is closed after the test. */
export type Start = (server: Server, options?: HttpServeOptions) => Promise<HttpTarget>;

export function describeMatrix(name: string, body: (start: Start, adapter: Adapter) => void): void {
  for (const adapter of ADAPTERS) {
    describe(`${name} (${adapter})`, () => body(startsWith(adapter), adapter));
  }
}

/** For a describe block: starts servers that are closed after each of its tests. */
export function startsWith(adapter: Adapter): Start {
  const running: Server[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.close({ drain: 0 })));
  });
  return async (server, options) => {
    running.push(server);
    return openTarget(server, adapter, options);
  };
}

/** Starts a server behind an adapter; the caller closes it. */
export async function openTarget(
  server: Server,
  adapter: Adapter,
  options?: HttpServeOptions,
): Promise<HttpTarget> {
  return adapter === 'fetch' ? fetchTarget(server) : nodeTarget(server, await server.http(options));
}

function nodeTarget(server: Server, handle: HttpHandle): HttpTarget {
  return {
    adapter: 'node',
    server,
    handle,
    origin: handle.origin,
    send: (call) => sendTo(handle.origin, call),
  };
}

/** Sends one request over a connection of its own. */
export function sendTo(origin: string, call: HttpCall): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const { method = 'POST', path = '/mcp', headers = {}, body } = call;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const { hostname, port, host } = new URL(origin);
    // The path goes out as it is: URL objects would tidy it up.
    const address = { hostname: hostname.replace(/^\[|\]$/g, ''), port, path };
    const outgoing = nodeRequest(
      { ...address, method, agent: false, headers: { host, ...length, ...headers } },
      (incoming) => {
        const flat: Record<string, string> = {};
        for (const [name, value] of Object.entries(incoming.headers)) flat[name] = String(value);
        const answer = new HttpAnswer(incoming.statusCode ?? 0, flat, () => outgoing.destroy());
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => answer.push(chunk));
        incoming.on('error', () => answer.finish('cut'));
        incoming.on('close', () => answer.finish(incoming.complete ? 'end' : 'cut'));
        resolve(answer);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const FETCH_ORIGIN = 'http://localhost:3000';

function fetchTarget(server: Server): HttpTarget {
  return {
    adapter: 'fetch',
    server,
    handle: undefined,
    origin: FETCH_ORIGIN,
    send: (call) => fetchFrom(server.fetch, call),
  };
}

/** Calls a fetch handler the way a runtime does: one signal for the connection, one reader for the answer. */
async function fetchFrom(
  fetch: (request: Request) => Promise<Response>,
  call: HttpCall,
  origin = FETCH_ORIGIN,
): Promise<HttpAnswer> {
  const { method = 'POST', path = '/mcp', headers = {}, body } = call;
  const connection = new AbortController();
  const response = await fetch(
    new Request(new URL(path, origin), {
      method,
      headers,
      signal: connection.signal,
      ...(body === undefined ? {} : { body: body as string }),
    }),
  );
  const reader = response.body?.getReader();
  const answer = new HttpAnswer(response.status, Object.fromEntries(response.headers), () => {
    connection.abort();
    void reader?.cancel().catch(() => undefined);
    answer.finish('cut');
  });
  const decoder = new TextDecoder();
  const pump = async (): Promise<void> => {
    for (;;) {
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) return answer.finish('end');
      answer.push(decoder.decode(chunk.value, { stream: true }));
    }
  };
  pump().catch(() => answer.finish('cut'));
  return answer;
}
