import { workerData } from 'node:worker_threads';
import { createServer } from 'plumb-mcp/server';
import { portTransport } from './port-transport.mjs';

const server = createServer({ name: 'sums', version: '1.0.0' });
const input = /** @type {const} */ ({
  type: 'object',
  properties: { limit: { type: 'integer', minimum: 0, maximum: 1_000_000_000 } },
  required: ['limit'],
});
server.tool('sum_to', { description: 'Adds the numbers up to a limit', input }, ({ limit }) => {
  let sum = 0;
  for (let number = 1; number <= limit; number += 1) sum += number;
  return String(sum);
});

await server.connect(portTransport(workerData.port));
