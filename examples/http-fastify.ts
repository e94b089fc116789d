/**
 * MCP as a route of a Fastify app. Fastify hands the raw request over and stays out of the answer.
 *
 *   node examples/http-fastify.ts (Node 22.18+), then POST to http://127.0.0.1:3000/mcp
 */
import fastify from 'fastify';
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

const app = fastify({ bodyLimit: 4 * 1024 * 1024 });
app.get('/', () => 'Everything else is yours\n');
app.all('/mcp', (request, reply) => {
  reply.hijack();
  mcp.node(Object.assign(request.raw, { body: request.body }), reply.raw);
});

const port = Number(process.env.PORT ?? 3000);
await app.listen({ port, host: '127.0.0.1' });
console.log(`http://127.0.0.1:${port}/mcp`);

process.once('SIGTERM', async () => {
  await mcp.close();
  await app.close();
});
