/**
 * MCP as a route handler of Next.js: save it as `app/mcp/route.ts`, and clients connect to `https://YOUR-SITE/mcp`.
 * Node and edge runtimes run it alike. `server` belongs into a module of its own once it grows.
 */
import { createServer } from 'plumb-mcp/server';

const server = createServer({
  name: 'shop',
  version: '1.0.0',
  // Requests reach the handler under the name of your site.
  http: { allowedHosts: (process.env.ALLOWED_HOSTS ?? 'localhost').split(',') },
});

server.tool(
  'find_product',
  {
    description: 'Finds products by name',
    input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
  ({ name }) => [{ name, price: 9.5 }],
);

export const GET: (request: Request) => Promise<Response> = server.fetch;
export const POST: typeof GET = server.fetch;
export const DELETE: typeof GET = server.fetch;
