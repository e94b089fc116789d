/** Servers built on the official SDKs, each behind a real listening socket. They go away with the test. */

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import {
  type EventStore,
  StreamableHTTPServerTransport,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

export interface OfficialServer {
  readonly url: string;
  /** `METHOD path`, with the JSON-RPC method of messages, in order. */
  readonly log: string[];
  /** Sessions that are open now. */
  sessions(): number;
  /** Forgets all sessions, as a restart does. */
  forget(): void;
}

type Handler = (request: IncomingMessage, response: ServerResponse, body: unknown) => unknown;

async function serve(handler: Handler, sessions: Map<string, unknown> = new Map()): Promise<OfficialServer> {
  const log: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const text = Buffer.concat(chunks).toString();
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      const method = (body as { method?: string } | undefined)?.method;
      log.push([request.method, request.url?.split('?')[0], method].filter(Boolean).join(' '));
      await handler(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    log,
    sessions: () => sessions.size,
    forget: () => sessions.clear(),
  };
}

/** The same tools in every server. */
function oldServer(): OldServer {
  const server = new OldServer({ name: 'official v1', version: '1' }, { capabilities: { logging: {} } });
  server.registerTool('echo', { inputSchema: { text: z.string() } }, async ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  server.registerTool('count', { inputSchema: { to: z.number() } }, async ({ to }, extra) => {
    const progressToken = extra._meta?.progressToken;
    for (let progress = 1; progress <= to; progress += 1) {
      if (progressToken === undefined) continue;
      await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress } });
      if (progress === 1) extra.closeSSEStream?.();
    }
    return { content: [{ type: 'text', text: String(to) }] };
  });
  server.registerTool('ask', { inputSchema: {} }, async () => {
    const answer = await server.server.elicitInput({
      message: 'Who?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    });
    return { content: [{ type: 'text', text: JSON.stringify(answer.content) }] };
  });
  server.registerTool('hang', { inputSchema: {} }, (_args, extra) => {
    return new Promise((_resolve, reject) => {
      extra.signal.addEventListener('abort', () => reject(new Error('stopped')));
    });
  });
  return server;
}

function newServer(): McpServer {
  const server = new McpServer({ name: 'official v2', version: '2' }, { capabilities: { logging: {} } });
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, async ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  server.registerTool('count', { inputSchema: z.object({ to: z.number() }) }, async ({ to }, context) => {
    const progressToken = context.mcpReq._meta?.progressToken;
    for (let progress = 1; progress <= to; progress += 1) {
      if (progressToken === undefined) continue;
      await context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } });
    }
    return { content: [{ type: 'text', text: String(to) }] };
  });
  return server;
}

interface Stateful {
  handleRequest(request: IncomingMessage, response: ServerResponse, body?: unknown): Promise<void>;
}

/** Sessions as the SDK's own examples keep them. */
function withSessions(open: (sessions: Map<string, Stateful>) => Promise<Stateful>): Promise<OfficialServer> {
  const sessions = new Map<string, Stateful>();
  return serve(async (request, response, body) => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known !== undefined) {
      await known.handleRequest(request, response, body);
      if (request.method === 'DELETE') sessions.delete(String(id));
    } else if (id !== undefined) refuse(response, 404, -32001, 'Session not found');
    else if ((body as { method?: string } | undefined)?.method !== 'initialize') {
      refuse(response, 400, -32000, 'Bad Request: No valid session ID provided');
    } else await (await open(sessions)).handleRequest(request, response, body);
  }, sessions);
}

function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }));
}

export function v1Stateful(
  options: { eventStore?: EventStore; json?: boolean } = {},
): Promise<OfficialServer> {
  return withSessions(async (sessions) => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
      },
      enableJsonResponse: options.json ?? false,
      ...(options.eventStore === undefined ? {} : { eventStore: options.eventStore, retryInterval: 50 }),
    });
    await oldServer().connect(transport as Parameters<OldServer['connect']>[0]);
    return transport;
  });
}

export function v1Stateless(): Promise<OfficialServer> {
  return serve(async (request, response, body) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const transport = new StreamableHTTPServerTransport({});
    const server = oldServer();
    response.on('close', () => void server.close());
    await server.connect(transport as Parameters<OldServer['connect']>[0]);
    return transport.handleRequest(request, response, body);
  });
}

export function v1Sse(): Promise<OfficialServer> {
  const transports = new Map<string, SSEServerTransport>();
  return serve(async (request, response, body) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    if (request.method === 'GET' && url.pathname === '/mcp') {
      const transport = new SSEServerTransport('/messages', response);
      transports.set(transport.sessionId, transport);
      response.on('close', () => transports.delete(transport.sessionId));
      await oldServer().connect(transport);
    } else if (request.method === 'POST' && url.pathname === '/messages') {
      const transport = transports.get(url.searchParams.get('sessionId') ?? '');
      if (transport === undefined) response.writeHead(404).end('Session not found');
      else await transport.handlePostMessage(request, response, body);
    } else response.writeHead(404).end(`Cannot ${request.method} ${url.pathname}`);
  }, transports);
}

export function v2Stateful(): Promise<OfficialServer> {
  return withSessions(async (sessions) => {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
      },
    });
    await newServer().connect(transport);
    return transport;
  });
}

export function v2Handler(legacy: 'stateless' | 'reject'): Promise<OfficialServer> {
  const handler = toNodeHandler(createMcpHandler(() => newServer(), { legacy }));
  // Its types do not know that optional properties may be undefined.
  return serve((request, response, body) =>
    handler(request as Parameters<typeof handler>[0], response, body),
  );
}

/** Keeps events for as long as the test runs. */
export function memoryEventStore(): EventStore {
  const events: { readonly id: string; readonly stream: string; readonly message: unknown }[] = [];
  return {
    async storeEvent(stream, message) {
      const id = `${stream}_${events.length}`;
      events.push({ id, stream, message });
      return id;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const last = events.findIndex(({ id }) => id === lastEventId);
      const stream = events[last]?.stream ?? '';
      for (const event of events.slice(last + 1)) {
        if (event.stream === stream) await send(event.id, event.message as Parameters<typeof send>[1]);
      }
      return stream;
    },
  };
}
