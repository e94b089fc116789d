// A server dies under a call, twice: node examples/client-recovery.mjs
import { connect, mayHaveActed } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';

let die = () => {};
let count = 0;
const deadly = new Set(['read', 'add']);

/** The first call of each tool kills the server before it can answer. */
const dieOnce = (/** @type {string} */ tool) => (deadly.delete(tool) ? new Promise(() => die()) : undefined);

const server = createServer({ name: 'counter', version: '1' });
server.tool('read', { annotations: { readOnlyHint: true } }, async () => {
  await dieOnce('read');
  return String(count);
});
server.tool('add', {}, async () => {
  count += 1;
  await dieOnce('add');
  return String(count);
});

// Anything that can be opened again will do: { command, args }, a URL, or a function that gives transports.
const target = {
  transport() {
    const transport = server.transport();
    die = () => void transport.close();
    return transport;
  },
};

const client = await connect(target, {
  recover: { initialDelay: 10 },
  whenNotReady: 'wait',
});
client.on('state', ({ previous, state }) => console.log(`${previous} -> ${state}`));

// The list tells which tools may be called again.
await client.tools.list();
const read = await client.tools.call('read');
console.log('read:', read.content.map((block) => ('text' in block ? block.text : '')).join());

try {
  await client.tools.call('add');
} catch (error) {
  console.log('add failed; may it have been carried out?', mayHaveActed(error));
}
await client.close();
await server.close();
