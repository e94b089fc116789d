// Many servers behind one face: node examples/client-pool.mjs
import { fileURLToPath } from 'node:url';
import { connectAll } from 'plumb-mcp/client';

const weather = fileURLToPath(new URL('./weather-server.mjs', import.meta.url));
const pool = await connectAll({
  mcpServers: {
    weather: { command: process.execPath, args: [weather] },
    // This one is not installed; the others do not mind, and it is tried again in the background.
    missing: { command: 'no-such-mcp-server' },
  },
});

for (const { name, state } of pool.status()) console.log(`${name}: ${state}`);
for await (const tool of pool.tools) console.log('tool:', tool.name);

// A model looks for what it needs first, and reads schemas last.
for (const found of await pool.search('weather in a city', { detail: 'summary' })) {
  console.log('found:', found.name, found.parameters.join());
}
const [tool] = await pool.search('forecast', { detail: 'full', limit: 1 });
console.log('takes:', Object.keys(tool?.inputSchema.properties ?? {}).join());

const { contents } = await pool.read('weather', 'weather://stations/Bern');
console.log('station:', contents.map((content) => ('text' in content ? content.text : '')).join());
await pool.close();
