/**
 * MCP inside a plain node:http server, beside your own routes.
 *
 *   node examples/http-node.ts (Node 22.18+), then POST to http://127.0.0.1:3000/mcp
 */
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'plumb-mcp/server';

const mcp = createServer({ name: 'weather', version: '1.0.0' });

mcp.tool(
  'forecast',
  {
    description: 'Tomorrow in a city',
    input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
  ({ city }) => `Tomorrow in ${city}: sunny`,
);

const http = createHttpServer((request, response) => {
  if (request.url === '/mcp') return mcp.node(request, response);
  response.writeHead(200, { 'Content-Type': 'text/plain' }).end('Everything else is yours\n');
});

const port = Number(process.env.PORT ?? 3000);
http.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/mcp`));

process.once('SIGTERM', async () => {
  http.close();
  await mcp.close();
});
