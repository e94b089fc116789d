/**
 * A tool whose result is shown as a chart, in clients that can show apps. All others get the same numbers.
 *
 *   plumb inspect -- node examples/chart/server.mjs
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'plumb-mcp/server';
import { z } from 'zod';

const Sales = z.object({ year: z.number(), months: z.array(z.number()) });

const server = createServer({ name: 'sales', version: '1.0.0' });
const html = await readFile(new URL('./chart.html', import.meta.url), 'utf8');

// Without `csp` the page can reach nothing but its host.
server.app('sales-chart', { html, title: 'Sales', prefersBorder: true });

server.tool(
  'sales',
  {
    description: 'Sales of a year, by month',
    app: 'sales-chart',
    input: z.object({ year: z.number().int().min(2000).max(2100) }),
    output: Sales,
    annotations: { readOnlyHint: true },
  },
  ({ year }) => salesOf(year),
);

// For the buttons of the chart alone: hosts do not offer it to the model.
server.tool(
  'neighbour_year',
  {
    description: 'Sales of the year before or after',
    app: 'sales-chart',
    visibility: ['app'],
    input: z.object({ year: z.number().int(), step: z.union([z.literal(-1), z.literal(1)]) }),
    output: Sales,
  },
  ({ year, step }) => salesOf(year + step),
);

/** @param {number} year */
function salesOf(year) {
  return { year, months: Array.from({ length: 12 }, (_, month) => ((year * 7 + month * 13) % 40) + 10) };
}

await server.stdio();
