import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { BLOB, blob, ECHO, echo, fillerNames } from '../../../workload.mjs';
import { blobShape, echoShape } from '../schemas.mjs';

export function createEchoServer({ tools = 0 }) {
  const server = new McpServer({ name: 'sdk-v1', version: '1.0.0' });
  for (const name of [ECHO.name, ...fillerNames(tools)]) {
    server.registerTool(name, { description: ECHO.description, inputSchema: echoShape }, (args) => ({
      content: [{ type: 'text', text: echo(args) }],
    }));
  }
  server.registerTool(BLOB.name, { description: BLOB.description, inputSchema: blobShape }, (args) => ({
    content: [{ type: 'text', text: blob(args) }],
  }));
  return server;
}
