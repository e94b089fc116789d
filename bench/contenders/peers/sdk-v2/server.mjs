import { McpServer } from '@modelcontextprotocol/server';
import { BLOB, blob, ECHO, echo, fillerNames } from '../../../workload.mjs';
import { blobObject, echoObject } from '../schemas.mjs';

export function createEchoServer({ tools = 0 }) {
  const server = new McpServer({ name: 'sdk-v2', version: '1.0.0' });
  for (const name of [ECHO.name, ...fillerNames(tools)]) {
    server.registerTool(name, { description: ECHO.description, inputSchema: echoObject }, (args) => ({
      content: [{ type: 'text', text: echo(args) }],
    }));
  }
  server.registerTool(BLOB.name, { description: BLOB.description, inputSchema: blobObject }, (args) => ({
    content: [{ type: 'text', text: blob(args) }],
  }));
  return server;
}
