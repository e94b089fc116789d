// Two servers behind one endpoint, with middleware between: plumb chain examples/chain.mjs --http 3000
import { fileURLToPath } from 'node:url';
import { createChain } from 'plumb-mcp/chain';
import { cache, hide, log, rateLimit, timeout } from 'plumb-mcp/middleware';
import { createServer } from 'plumb-mcp/server';

const clock = createServer({ name: 'clock', version: '1.0.0' });
clock.tool('now', { description: 'The time' }, () => new Date().toISOString());
clock.tool('delete_time', { description: 'Nobody should' }, () => 'gone');

/**
 * Middleware of your own: one function, for calls of both directions and of every revision.
 *
 * @type {import('plumb-mcp/middleware').Layer}
 */
const announce = {
  call: async (call, next) => {
    const result = await next();
    if (call.params.name !== 'clock__now' || !Array.isArray(result.content)) return result;
    return { ...result, content: result.content.map((part) => ({ ...part, text: `Now: ${part.text}` })) };
  },
};

export default createChain()
  .use(log(), rateLimit({ perPrincipal: '100/min' }), timeout('30s'), cache())
  .use({ tools: hide('*delete_*') }, announce)
  .to({
    clock,
    weather: {
      command: process.execPath,
      args: [fileURLToPath(new URL('./weather-server.mjs', import.meta.url))],
    },
  });
