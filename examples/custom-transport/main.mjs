/** A server in a thread of its own, so that heavy tools do not block the program: node examples/custom-transport/main.mjs */
import { MessageChannel, Worker } from 'node:worker_threads';
import { connect, textOf } from 'plumb-mcp/client';
import { portTransport } from './port-transport.mjs';

const { port1, port2 } = new MessageChannel();
const worker = new Worker(new URL('./worker.mjs', import.meta.url), {
  workerData: { port: port2 },
  transferList: [port2],
});

const client = await connect(portTransport(port1));
console.log('revision:', client.revision);
console.log('sum:', textOf(await client.tools.call('sum_to', { limit: 1_000_000 })));
await client.close();
await worker.terminate();
