/**
 * MCP as a route of an Express app. A body that `express.json()` has parsed already is taken as it is.
 *
 *   node examples/http-express.ts (Node 22.18+), then POST to http://127.0.0.1:3000/mcp
 */
import express from 'express';
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

const app = express();
app.use(express.json({ limit: '4mb' }));
app.get('/', (_request, response) => void response.send('Everything else is yours\n'));
app.all('/mcp', mcp.node);

const port = Number(process.env.PORT ?? 3000);
const http = app.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/mcp`));

process.once('SIGTERM', async () => {
  http.close();
  await mcp.close();
});
