// A weather server over stdio. Try: plumb call forecast city=Bern -- node examples/weather-server.mjs
import { createServer } from 'plumb-mcp/server';
import { z } from 'zod';

const server = createServer({ name: 'weather', version: '1.0.0' });

server.tool(
  'forecast',
  {
    description: 'Forecast for a city',
    input: z.object({ city: z.string(), days: z.number().int().max(7).default(3) }),
    output: z.object({ unit: z.string(), temperatures: z.array(z.number()) }),
  },
  async ({ city, days }, ctx) => {
    ctx.progress(1, 2, `asking the station in ${city}`);
    const answer = await ctx.elicit('Which unit?', z.object({ unit: z.enum(['C', 'F']) }));
    const unit = answer.action === 'accept' ? answer.content.unit : 'C';
    return { unit, temperatures: Array.from({ length: days }, (_, day) => 20 + day) };
  },
);

server.resource(
  'weather://stations/{city}',
  { name: 'station', mimeType: 'application/json' },
  ({ variables }) => JSON.stringify({ city: variables.city, height: 550 }),
);

server.prompt(
  'packing',
  { description: 'What to pack', input: z.object({ city: z.string() }) },
  ({ city }) => {
    return `What should I pack for three days in ${city}?`;
  },
);

await server.stdio();
