/**
 * MCP as a route of a Hono app: `mcp.fetch` takes a web Request, so the same lines run on Deno, Bun and Workers.
 *
 *   node examples/http-hono.ts (Node 22.18+), then POST to http://127.0.0.1:3000/mcp
 */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
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

const app = new Hono();
app.get('/', (c) => c.text('Everything else is yours\n'));
app.all('/mcp', (c) => mcp.fetch(c.req.raw));

const port = Number(process.env.PORT ?? 3000);
const http = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => {
  console.log(`http://127.0.0.1:${port}/mcp`);
});

process.once('SIGTERM', async () => {
  http.close();
  await mcp.close();
});
