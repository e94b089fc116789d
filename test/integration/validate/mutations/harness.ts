/** Runs the validator against the reference server with one thing broken, and tells whether it noticed. */

import {
  createServer as createHttp,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { isRecord, type JsonObject } from '../../../../src/jsonrpc/message.js';
import { REVISIONS } from '../../../../src/protocol/revisions/index.js';
import type { Server } from '../../../../src/server/index.js';
import { validateServer } from '../../../../src/validate/index.js';
import { requirement } from '../../../../src/validate/requirements/index.js';
import type { ValidationTarget } from '../../../../src/validate/target.js';
import { pipeTarget, urlTarget } from '../../../../src/validate/target.js';
import type { OpenPipe } from '../../../../src/validate/wire/line-pipe.js';
import { createReferenceServer } from '../reference-server.js';

/** The request that a message answers, if it answers one. */
export type Asked = { readonly method: string; readonly params: JsonObject } | undefined;

export interface Mutation {
  /** The requirement that it breaks. */
  readonly id: string;
  readonly name: string;
  readonly transport?: 'stdio' | 'http' | 'sse';
  /** Counted from 1. Default: the newest that the requirement is in. */
  readonly revision?: number;
  /** What the server says: changed, several, a raw line, or nothing. */
  readonly out?: (message: JsonObject, asked: Asked, memory: Map<string, unknown>) => Out;
  /** What the client says: changed, or undefined when the mutation deals with it (perhaps by `say`). */
  readonly input?: (
    message: unknown,
    say: (text: string) => void,
    text: string,
    memory: Map<string, unknown>,
  ) => unknown;
  /** The server dies of this message. */
  readonly diesOf?: (message: unknown, text: string) => boolean;
  /** Lines instead of messages, for framing. */
  readonly line?: (text: string) => readonly string[];
  /** Said as soon as a connection opens. */
  readonly hello?: string;
  readonly http?: HttpMutation;
  /** Sent with every request of the validator. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A server of its own in place of the reference server. */
  readonly pipe?: OpenPipe;
  /** Prevents the orderly end. */
  readonly stubborn?: boolean;
}

export type Out = JsonObject | string | undefined | readonly (JsonObject | string)[];

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Header names as they were sent. */
  readonly names: readonly string[];
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpMutation {
  readonly request?: (request: HttpRequest) => HttpRequest | HttpAnswer;
  readonly head?: (status: number, headers: Record<string, string>, request: HttpRequest) => HttpAnswer;
  readonly event?: (block: string, request: HttpRequest) => string | undefined;
  readonly endless?: boolean;
  /** Sent as soon as an event stream opens. */
  readonly opening?: (request: HttpRequest) => string;
  /** Gets a way to write to each event stream that opens. */
  readonly onStream?: (request: HttpRequest, write: (text: string) => void) => void;
}

/** A connection to a new instance of the server, as a process of its own would be. */
export function mutatedPipe(
  mutation: Partial<Mutation>,
  create: () => Server | Promise<Server> = createReferenceServer,
): OpenPipe {
  return async (events) => {
    const server = await create();
    const transport = server.transport();
    const asked = new Map<unknown, NonNullable<Asked>>();
    const memory = new Map<string, unknown>();
    let open = true;
    const say = (out: Out): void => {
      for (const item of Array.isArray(out) ? out : [out]) {
        if (item === undefined || !open) continue;
        const text = typeof item === 'string' ? item : JSON.stringify(item);
        for (const line of mutation.line?.(text) ?? [text]) events.line(line);
      }
    };
    await transport.start({
      message: (_decoded, text) => {
        const message: unknown = JSON.parse(text);
        if (!isRecord(message) || mutation.out === undefined) say(text);
        else say(mutation.out(message, 'method' in message ? undefined : asked.get(message.id), memory));
      },
      fault: () => {},
      closed: () => {
        open = false;
        events.ended('the server ended');
      },
    });
    if (mutation.hello !== undefined) events.line(mutation.hello);
    let pending = '';
    const accept = (text: string): void => {
      let message: unknown;
      try {
        message = JSON.parse(text);
      } catch {
        message = undefined;
      }
      for (const item of Array.isArray(message) ? message : [message]) {
        if (isRecord(item) && typeof item.method === 'string' && 'id' in item) {
          asked.set(item.id, { method: item.method, params: isRecord(item.params) ? item.params : {} });
        }
      }
      const forwarded =
        mutation.input === undefined ? text : mutation.input(message, (line) => say(line), text, memory);
      if (mutation.diesOf?.(message, text) === true) {
        open = false;
        events.ended('the server exited with code 1');
        return;
      }
      if (forwarded === undefined || !open) return;
      void transport.send(typeof forwarded === 'string' ? forwarded : JSON.stringify(forwarded));
    };
    const decoder = new TextDecoder();
    return {
      write: async (data) => {
        pending += typeof data === 'string' ? data : decoder.decode(data, { stream: true });
        const lines = pending.split('\n');
        pending = lines.pop() ?? '';
        for (const line of lines) accept(line);
      },
      terminate: () => void server.close(),
      endInput: () => {
        if (mutation.stubborn !== true) void transport.close();
      },
      close: async () => {
        open = false;
        await transport.close();
        await server.close();
      },
    };
  };
}

/** The reference server over HTTP, behind a proxy that breaks things. */
async function mutatedHttp(mutation: Mutation): Promise<{ url: string; close(): Promise<void> }> {
  const server = createReferenceServer();
  const handle = await server.http({ port: 0, legacySse: true });
  const origin = new URL(handle.origin);
  const proxy = createHttp((incoming, response) => {
    void relay(mutation, origin, incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${mutation.transport === 'sse' ? '/sse' : '/mcp'}`,
    close: async () => {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await server.close({ drain: 0 });
    },
  };
}

async function relay(
  mutation: Mutation,
  origin: URL,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  );
  const original: HttpRequest = {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    headers,
    body: Buffer.concat(chunks).toString(),
    names: incoming.rawHeaders.filter((_, index) => index % 2 === 0),
  };
  const request = mutation.http?.request?.(original) ?? original;
  if ('status' in request) {
    response.writeHead(request.status, request.headers ?? {}).end(request.body ?? '');
    return;
  }
  const asked = askedBy(request.body);
  const upstream = await new Promise<IncomingMessage>((resolve, reject) => {
    const body = Buffer.from(request.body);
    const forwarded: Record<string, string> = { ...request.headers, host: origin.host };
    if (request.method === 'POST') forwarded['content-length'] = String(body.length);
    const outgoing = requestHttp(
      {
        host: origin.hostname,
        port: origin.port,
        path: incoming.url,
        method: request.method,
        headers: forwarded,
      },
      resolve,
    );
    outgoing.on('error', reject);
    response.on('close', () => outgoing.destroy());
    outgoing.end(body);
  });
  upstream.on('error', () => response.destroy());
  const received = Object.fromEntries(
    Object.entries(upstream.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  );
  const head = mutation.http?.head?.(upstream.statusCode ?? 500, received, request) ?? {
    status: upstream.statusCode ?? 500,
    headers: received,
  };
  const sent: Record<string, string> = { ...head.headers };
  delete sent['content-length'];
  delete sent['transfer-encoding'];
  const memory = new Map<string, unknown>();
  const change = (text: string): string => changed(mutation, text, asked, memory);
  if (String(received['content-type']).startsWith('text/event-stream')) {
    response.writeHead(head.status, sent);
    response.flushHeaders();
    await stream(mutation, request, upstream, response, change);
    return;
  }
  const parts: Buffer[] = [];
  for await (const chunk of upstream) parts.push(chunk);
  const text = head.body ?? Buffer.concat(parts).toString();
  response.writeHead(head.status, sent).end(text === '' ? '' : change(text));
}

async function stream(
  mutation: Mutation,
  request: HttpRequest,
  upstream: IncomingMessage,
  response: ServerResponse,
  change: (text: string) => string,
): Promise<void> {
  let pending = '';
  mutation.http?.onStream?.(request, (text) => {
    if (!response.writableEnded && !response.destroyed) response.write(text);
  });
  if (mutation.http?.opening !== undefined) response.write(mutation.http.opening(request));
  for await (const chunk of upstream) {
    pending += String(chunk);
    const blocks = pending.split('\n\n');
    pending = blocks.pop() ?? '';
    for (const block of blocks) {
      const kept = mutation.http?.event === undefined ? block : mutation.http.event(block, request);
      if (kept === undefined) continue;
      const data = /^data: (.+)$/m.exec(kept)?.[1];
      const text = data === undefined || !data.startsWith('{') ? undefined : change(data);
      if (text === '') continue;
      response.write(
        `${text === undefined || data === undefined ? kept : kept.replace(data, () => text)}\n\n`,
      );
    }
  }
  if (mutation.http?.endless !== true) response.end();
}

function askedBy(body: string): Asked {
  try {
    const message: unknown = JSON.parse(body);
    if (!isRecord(message) || typeof message.method !== 'string') return undefined;
    return { method: message.method, params: isRecord(message.params) ? message.params : {} };
  } catch {
    return undefined;
  }
}

function changed(mutation: Mutation, text: string, asked: Asked, memory: Map<string, unknown>): string {
  if (mutation.out === undefined) return text;
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return text;
  }
  if (!isRecord(message)) return text;
  const out = mutation.out(message, 'method' in message ? undefined : asked, memory);
  const first = Array.isArray(out) ? out.at(-1) : out;
  return first === undefined ? '' : typeof first === 'string' ? first : JSON.stringify(first);
}

/** Cheap checks that make a server say something, for requirements that are judged on what it says. */
const PROVOKING = ['009', '103', '122', '123', '133', '139', '146'];

export interface Trial {
  readonly mutation: Mutation;
  readonly found: boolean;
  readonly verdict: string | undefined;
  readonly message: string;
}

/** Enough where nothing else runs, for the many mutations that make the validator wait for nothing. */
const SHORT_WAITS = { quiet: 80, timeout: 1_000 };

/** Validates with this mutation, for its requirement only; with the usual waits where patience is asked for. */
export async function trial(mutation: Mutation, patient: boolean): Promise<Trial> {
  const { id, transport = 'stdio' } = mutation;
  const revisions = requirement(id).revisions;
  const revision = mutation.revision === undefined ? revisions.at(-1) : REVISIONS[mutation.revision - 1];
  const options = {
    only: [id, ...PROVOKING],
    callTools: true,
    ...(patient ? {} : SHORT_WAITS),
    ...(revision === undefined ? {} : { revisions: [revision] }),
  };
  const http = transport === 'stdio' ? undefined : await mutatedHttp(mutation);
  try {
    const target: ValidationTarget =
      http === undefined
        ? pipeTarget(mutation.name, mutation.pipe ?? mutatedPipe(mutation))
        : urlTarget(http.url, {
            transport: transport === 'sse' ? 'sse' : 'http',
            headers: mutation.headers ?? {},
          });
    const { runs } = await validateServer(target, options);
    const outcome = runs.flatMap(({ outcomes }) => outcomes).find((candidate) => candidate.id === id);
    const message =
      runs.length === 0
        ? 'the revision was not recognised as spoken'
        : (outcome?.findings[0]?.message ?? outcome?.reason ?? outcome?.verdict ?? '');
    return { mutation, found: outcome?.verdict === 'fail', verdict: outcome?.verdict, message };
  } finally {
    await http?.close();
  }
}
