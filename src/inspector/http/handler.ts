/** The HTTP side of the inspector: the page, its API, and nothing for anybody without the token. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpRequest } from '../../transports/http/server/exchange.js';
import { createGuard, type Guard } from '../../transports/http/server/guard.js';
import type { NodeHandler } from '../../transports/http/server/node.js';
import { endAfterRequest } from '../../transports/http/server/node-linger.js';
import type { ApiError } from '../api.js';
import { isCommand, runCommand } from '../commands.js';
import type { FileBody, InspectorCore } from '../core.js';
import { CommandError, failureOf } from '../failure.js';
import type { Access } from './access.js';
import { readObject } from './body.js';
import { MAX_STREAMS, streamEvents } from './event-stream.js';
import { SECURITY_HEADERS } from './headers.js';
import type { StaticFiles } from './static-files.js';

const TOKEN_HEADER = 'x-plumb-token';
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** A timeline that was exported comes back whole. */
const MAX_IMPORT_BYTES = 300 * 1024 * 1024;

const WITHOUT_TOKEN =
  'This is the Plumb inspector. Open the whole address that the command printed: it ends in a token.\n';
const NOT_BUILT = 'The page of the inspector was not built; run npm run build\n';

export interface HandlerOptions {
  readonly core: InspectorCore;
  readonly access: Access;
  readonly files: StaticFiles;
}

export function createInspectorHandler({ core, access, files }: HandlerOptions): NodeHandler {
  const guard = createGuard({});
  return (request, response) => {
    // Errors of the socket are disconnects; without a listener they would end the process.
    response.on('error', () => {});
    const refusal = refused(guard, request);
    if (refusal !== undefined) return sendText(response, 403, `${refusal}\n`);
    const { path, query } = target(request);
    const place = /^\/t\/([^/]*)(\/.*)?$/.exec(path);
    const token = place?.[1] ?? (path === '/' ? (query.get('token') ?? undefined) : undefined);
    if (!access.admits(token)) return sendText(response, 401, WITHOUT_TOKEN);
    const rest = place?.[2];
    if (rest === undefined) return redirect(response, `/t/${access.token}/`);
    const api = /^\/api\/(.*)$/.exec(rest)?.[1];
    if (api === undefined) return sendFile(files, request, response, rest.slice(1));
    if (!access.admits(headerOf(request, TOKEN_HEADER))) return sendText(response, 401, WITHOUT_TOKEN);
    serveApi(core, request, response, api).catch((error: unknown) => sendError(response, error));
  };
}

/** Another site's page has another Origin, and a name that was rebound to this machine another Host. */
function refused(guard: Guard, request: IncomingMessage): string | undefined {
  const seen: HttpRequest = {
    method: request.method ?? '',
    path: request.url ?? '/',
    query: () => undefined,
    header: (name) => headerOf(request, name),
    headers: () => request.rawHeaders,
  };
  return guard.refusal(seen);
}

async function serveApi(
  core: InspectorCore,
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
): Promise<void> {
  const site = headerOf(request, 'sec-fetch-site');
  if (site !== undefined && site !== 'same-origin') {
    throw new CommandError(403, 'cross_site', 'Only the page of the inspector may ask this');
  }
  if (name === 'events') {
    allow(request, 'GET');
    if (core.events.listeners >= MAX_STREAMS) {
      throw new CommandError(429, 'too_many_pages', 'Too many pages are open; close some of them');
    }
    return streamEvents(core, response);
  }
  if (!isCommand(name)) throw new CommandError(404, 'unknown_command', 'Unknown command');
  allow(request, 'POST');
  const params = await readObject(request, name === 'timeline.import' ? MAX_IMPORT_BYTES : MAX_BODY_BYTES);
  const result = await runCommand(core, name, params);
  if (isFile(result)) return sendDownload(response, result);
  const body = JSON.stringify(result);
  response.writeHead(200, { ...SECURITY_HEADERS, 'Content-Type': 'application/json; charset=utf-8' });
  response.end(body);
}

function allow(request: IncomingMessage, method: string): void {
  if (request.method === method) return;
  throw new CommandError(405, 'method', `This route takes ${method} only`);
}

function sendFile(
  files: StaticFiles,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    sendText(response, 405, 'GET only\n');
    return;
  }
  const file = files.get(path);
  if (file === undefined) {
    const [status, text] = files.exist ? ([404, 'Not found\n'] as const) : ([503, NOT_BUILT] as const);
    sendText(response, status, text);
    return;
  }
  const zipped = /\bgzip\b/.test(headerOf(request, 'accept-encoding') ?? '') ? file.gzip : undefined;
  const body = zipped ?? file.plain;
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    'Content-Type': file.type,
    'Content-Length': body.length,
    Vary: 'Accept-Encoding',
    ...(zipped === undefined ? {} : { 'Content-Encoding': 'gzip' }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Written in pieces, at the pace of the reader. */
function sendDownload(response: ServerResponse, { name, type, content }: FileBody): void {
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${name}"`,
  });
  const pieces = content[Symbol.iterator]();
  const proceed = (): void => {
    for (let piece = pieces.next(); ; piece = pieces.next()) {
      if (response.destroyed) return;
      if (piece.done === true) return void response.end();
      if (!response.write(piece.value)) return void response.once('drain', proceed);
    }
  };
  proceed();
}

function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const body: ApiError = { error: failureOf(error) };
  const text = JSON.stringify(body);
  response.writeHead(error instanceof CommandError ? error.status : 502, {
    ...SECURITY_HEADERS,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    // What is left of a body that was not read would be taken for the next request.
    Connection: 'close',
  });
  response.write(text);
  endAfterRequest(response.req, response);
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  });
  response.write(text);
  endAfterRequest(response.req, response);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { ...SECURITY_HEADERS, Location: location }).end();
}

function isFile(result: unknown): result is FileBody {
  return (
    typeof result === 'object' &&
    result !== null &&
    'content' in result &&
    'type' in result &&
    'name' in result
  );
}

/** `new URL` would read `//host/path` as another host. */
function target(request: IncomingMessage): { path: string; query: URLSearchParams } {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  if (mark === -1) return { path: url, query: new URLSearchParams() };
  return { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) };
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
