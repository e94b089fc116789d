import { getRequestListener } from '@hono/node-server';
import { InMemorySessionAdapter, McpServer, StreamableHttpTransport } from 'mcp-lite';
import { z } from 'zod';
import { BLOB, blob, ECHO, echo, fillerNames } from '../../../workload.mjs';
import { listen } from '../listen.mjs';
import { blobObject, echoObject } from '../schemas.mjs';

export function serve({ mode, tools = 0 }) {
  const server = new McpServer({
    name: 'mcp-lite',
    version: '1.0.0',
    schemaAdapter: (schema) => z.toJSONSchema(schema),
  });
  for (const name of [ECHO.name, ...fillerNames(tools)]) {
    server.tool(name, {
      description: ECHO.description,
      inputSchema: echoObject,
      handler: (args) => ({ content: [{ type: 'text', text: echo(args) }] }),
    });
  }
  server.tool(BLOB.name, {
    description: BLOB.description,
    inputSchema: blobObject,
    handler: (args) => ({ content: [{ type: 'text', text: blob(args) }] }),
  });
  const sessions = { sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }) };
  const handle = new StreamableHttpTransport(mode === 'sessions' ? sessions : {}).bind(server);
  return listen(getRequestListener((request) => handle(request)));
}
