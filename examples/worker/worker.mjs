/**
 * A server on Cloudflare Workers and every other runtime whose entry is a `fetch` function.
 *
 *   npx wrangler dev examples/worker/worker.mjs
 */
import { createServer } from 'plumb-mcp/server';

const server = createServer({ name: 'colours', version: '1.0.0' });

server.tool(
  'mix',
  {
    description: 'Mixes two colours, each as #rrggbb',
    input: {
      type: 'object',
      properties: { one: { type: 'string' }, other: { type: 'string' } },
      required: ['one', 'other'],
    },
  },
  ({ one, other }) => {
    const mixed = parts(one).map((part, index) => Math.round((part + (parts(other)[index] ?? 0)) / 2));
    return `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  },
);

/** @param {string} colour */
function parts(colour) {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16) || 0);
}

export default {
  /** @param {Request} request */
  fetch(request) {
    const { pathname } = new URL(request.url);
    return pathname === '/mcp' ? server.fetch(request) : new Response('MCP is at /mcp\n', { status: 404 });
  },
};
