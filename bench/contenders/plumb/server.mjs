import { BLOB, blob, ECHO, echo, fillerNames } from '../../workload.mjs';
import { importServer } from './dist.mjs';

/** @param {import('../../workload.mjs').Serving} serving */
export async function createEchoServer({ tools = 0 }) {
  const { createServer } = await importServer();
  const server = createServer({ name: 'plumb', version: '1.0.0' });
  const { description, inputSchema: input } = ECHO;
  for (const name of [ECHO.name, ...fillerNames(tools)]) {
    server.tool(name, { description, input }, (args) =>
      echo(/** @type {Parameters<typeof echo>[0]} */ (args)),
    );
  }
  server.tool(BLOB.name, { description: BLOB.description, input: BLOB.inputSchema }, (args) =>
    blob(/** @type {Parameters<typeof blob>[0]} */ (args)),
  );
  return server;
}
