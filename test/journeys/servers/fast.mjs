/** A server written with FastMCP: a tool with progress, a template and a prompt that complete their arguments. */
import { FastMCP } from 'fastmcp';
import { z } from 'zod';

const cities = ['Basel', 'Bern', 'Biel'];
const matching = (/** @type {string} */ value) => ({
  values: cities.filter((city) => city.startsWith(value)),
});

const server = new FastMCP({ name: 'fast', version: '1.0.0', ping: { enabled: false } });

server.addTool({
  name: 'count',
  description: 'Counts, and reports each step',
  parameters: z.object({ to: z.number().int() }),
  execute: async ({ to }, { reportProgress }) => {
    for (let step = 1; step <= to; step += 1) await reportProgress({ progress: step, total: to });
    return `counted to ${to}`;
  },
});

server.addResourceTemplate({
  uriTemplate: 'weather://{city}',
  name: 'weather',
  mimeType: 'text/plain',
  arguments: [{ name: 'city', complete: async (value) => matching(value) }],
  load: async ({ city }) => ({ text: `sun in ${city}` }),
});

server.addPrompt({
  name: 'greet',
  description: 'Greets a city',
  arguments: [{ name: 'city', required: true, complete: async (value) => matching(value) }],
  load: async ({ city }) => `Hello ${city}`,
});

await server.start({ transportType: 'stdio' });
