import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { McpServer } from 'tmcp';
import { BLOB, blob, ECHO, echo, fillerNames } from '../../../workload.mjs';
import { blobObject, echoObject } from '../schemas.mjs';

export function createEchoServer({ tools = 0 }) {
  const server = new McpServer(
    { name: 'tmcp', version: '1.0.0', description: 'Echo' },
    { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } },
  );
  for (const name of [ECHO.name, ...fillerNames(tools)]) {
    server.tool({ name, description: ECHO.description, schema: echoObject }, async (args) => ({
      content: [{ type: 'text', text: echo(args) }],
    }));
  }
  server.tool({ name: BLOB.name, description: BLOB.description, schema: blobObject }, async (args) => ({
    content: [{ type: 'text', text: blob(args) }],
  }));
  return server;
}
