/** The fixture on the official SDK v1: `sdk-v1-server.mjs stdio|http`. Over HTTP it also serves the old HTTP+SSE. */
import { randomUUID } from 'node:crypto';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import * as fixture from './fixture.mjs';
import { listenForSdk } from './sdk-listener.mjs';

const INVALID_PARAMS = types.ErrorCode.InvalidParams;
/** @type {Record<string, any>} */
const ANSWERS = {
  'elicitation/create': types.ElicitResultSchema,
  'sampling/createMessage': types.CreateMessageResultSchema,
  'roots/list': types.ListRootsResultSchema,
};

function createServer() {
  const server = new Server({ name: 'sdk-v1', version: '1' }, { capabilities: fixture.CAPABILITIES });
  /** @type {Set<string>} */
  const subscribed = new Set();
  server.setRequestHandler(types.ListToolsRequestSchema, ({ params }) => fixture.listTools(params?.cursor));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, extra) => {
    const progressToken = extra._meta?.progressToken;
    const result = await fixture.callTool(params.name, params.arguments, {
      signal: extra.signal,
      progress: async (progress, total) => {
        if (progressToken === undefined) return;
        const step = { progressToken, progress, total };
        await extra.sendNotification({ method: 'notifications/progress', params: step });
      },
      log: (data) => server.sendLoggingMessage({ level: 'info', data }, extra.sessionId),
      ask: (method, asked) =>
        extra.sendRequest(/** @type {any} */ ({ method, params: asked }), ANSWERS[method]),
      toolsChanged: () => server.sendToolListChanged(),
      resourceUpdated: (uri) => (subscribed.has(uri) ? server.sendResourceUpdated({ uri }) : undefined),
    });
    if (result === undefined) throw new types.McpError(INVALID_PARAMS, `Unknown tool: ${params.name}`);
    return result;
  });
  server.setRequestHandler(types.ListResourcesRequestSchema, () => fixture.listResources());
  server.setRequestHandler(types.ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [] }));
  server.setRequestHandler(types.ReadResourceRequestSchema, ({ params: { uri } }) => {
    const result = fixture.readResource(uri);
    if (result === undefined) throw new types.McpError(-32002, `There is no resource ${uri}`);
    return result;
  });
  server.setRequestHandler(types.SubscribeRequestSchema, ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  server.setRequestHandler(types.UnsubscribeRequestSchema, ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  server.setRequestHandler(types.ListPromptsRequestSchema, () => fixture.listPrompts());
  server.setRequestHandler(types.GetPromptRequestSchema, ({ params }) => {
    const result = fixture.getPrompt(params.name, params.arguments);
    if (result === undefined) throw new types.McpError(INVALID_PARAMS, `Unknown prompt: ${params.name}`);
    return result;
  });
  server.setRequestHandler(types.CompleteRequestSchema, ({ params }) => fixture.complete(params.argument));
  return server;
}

if (process.argv[2] === 'stdio') await createServer().connect(new StdioServerTransport());
else {
  /** @type {Map<string, any>} */
  const sessions = new Map();
  await listenForSdk(async (request, response, body) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (pathname === '/sse') {
      // Clients of the newer transport post first, and have to be told that it is not here.
      if (request.method !== 'GET') return response.writeHead(405).end();
      const transport = new SSEServerTransport('/messages', response);
      sessions.set(transport.sessionId, transport);
      await createServer().connect(transport);
    } else if (pathname === '/messages') {
      await sessions.get(searchParams.get('sessionId') ?? '')?.handlePostMessage(request, response, body);
    } else {
      const known = sessions.get(String(request.headers['mcp-session-id']));
      if (known !== undefined) return known.handleRequest(request, response, body);
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => void sessions.set(id, transport),
      });
      await createServer().connect(/** @type {any} */ (transport));
      await transport.handleRequest(request, response, body);
    }
  });
}
