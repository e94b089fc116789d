import { FastMCP } from 'fastmcp';
import { BLOB, blob, ECHO, echo, fillerNames } from '../../../workload.mjs';
import { blobObject, echoObject } from '../schemas.mjs';

export function createEchoServer({ tools = 0 }) {
  const server = new FastMCP({ name: 'fastmcp', version: '1.0.0' });
  for (const name of [ECHO.name, ...fillerNames(tools)]) {
    server.addTool({
      name,
      description: ECHO.description,
      parameters: echoObject,
      execute: async (args) => echo(args),
    });
  }
  const { name, description } = BLOB;
  server.addTool({ name, description, parameters: blobObject, execute: async (args) => blob(args) });
  return server;
}
