/** The fixture on the official SDK v2, in both eras: `sdk-v2-server.mjs stdio|http`. */
import { randomUUID } from 'node:crypto';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, inputRequired, ProtocolError, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as fixture from './fixture.mjs';
import { listenForSdk } from './sdk-listener.mjs';

const INVALID_PARAMS = -32602;
const KEY = 'answer';

/** Ends the run of a tool whose question the client answers with its next request. */
class Unanswered extends Error {
  /** @param {any} request */
  constructor(request) {
    super('The answer comes with the next request');
    this.request = request;
  }
}

/** How the streams of stateless clients hear of changes over HTTP. @type {import('@modelcontextprotocol/server').ServerNotifier | undefined} */
let notifier;

function createServer() {
  const server = new Server({ name: 'sdk-v2', version: '2' }, { capabilities: fixture.CAPABILITIES });
  /** @type {Set<string>} */
  const subscribed = new Set();
  server.setRequestHandler('tools/list', ({ params }) => fixture.listTools(params?.cursor));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    const isStateless = mcpReq.envelope !== undefined;
    try {
      const result = await fixture.callTool(params.name, params.arguments, {
        signal: mcpReq.signal,
        progress: async (progress, total) => {
          if (progressToken === undefined) return;
          await mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total },
          });
        },
        log: (data) => mcpReq.log('info', data),
        ask: async (method, asked) => {
          if (!isStateless) return mcpReq.send(/** @type {any} */ ({ method, params: asked }));
          const given = mcpReq.inputResponses?.[KEY];
          if (given !== undefined) return given;
          throw new Unanswered({ method, params: asked });
        },
        toolsChanged: () =>
          isStateless && notifier !== undefined ? notifier.toolsChanged() : server.sendToolListChanged(),
        resourceUpdated: (uri) => {
          if (isStateless && notifier !== undefined) return notifier.resourceUpdated(uri);
          return isStateless || subscribed.has(uri) ? server.sendResourceUpdated({ uri }) : undefined;
        },
      });
      if (result === undefined) throw new ProtocolError(INVALID_PARAMS, `Unknown tool: ${params.name}`);
      return result;
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      return inputRequired({ inputRequests: { [KEY]: error.request } });
    }
  });
  server.setRequestHandler('resources/list', () => fixture.listResources());
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const result = fixture.readResource(uri);
    if (result === undefined) throw new ProtocolError(INVALID_PARAMS, `There is no resource ${uri}`, { uri });
    return result;
  });
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  server.setRequestHandler('prompts/list', () => fixture.listPrompts());
  server.setRequestHandler('prompts/get', ({ params }) => {
    const result = fixture.getPrompt(params.name, params.arguments);
    if (result === undefined) throw new ProtocolError(INVALID_PARAMS, `Unknown prompt: ${params.name}`);
    return result;
  });
  server.setRequestHandler('completion/complete', ({ params }) => fixture.complete(params.argument));
  return server;
}

if (process.argv[2] === 'stdio') serveStdio(createServer);
else {
  const stateless = createMcpHandler(createServer, { legacy: 'reject' });
  notifier = stateless.notify;
  const modern = toNodeHandler(stateless);
  /** @type {Map<string, NodeStreamableHTTPServerTransport>} */
  const sessions = new Map();
  await listenForSdk(async (request, response, body) => {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    if (known !== undefined) return known.handleRequest(request, response, body);
    if (/** @type {any} */ (body)?.method !== 'initialize') {
      return modern(/** @type {any} */ (request), response, body);
    }
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await createServer().connect(transport);
    return transport.handleRequest(request, response, body);
  });
}
