// Talks to the weather server next door: node examples/weather-client.mjs
import { fileURLToPath } from 'node:url';
import { connect } from 'plumb-mcp/client';

const server = fileURLToPath(new URL('./weather-server.mjs', import.meta.url));
const client = await connect(
  { command: process.execPath, args: [server] },
  { elicit: () => ({ action: 'accept', content: { unit: 'C' } }) },
);

for await (const tool of client.tools) console.log('tool:', tool.name);

const result = await client.tools.call(
  'forecast',
  { city: 'Bern' },
  { onProgress: ({ message }) => console.log('progress:', message) },
);
console.log('forecast:', JSON.stringify(result.structuredContent));

const { contents } = await client.resources.read('weather://stations/Bern');
for (const content of contents) if ('text' in content) console.log('station:', content.text);
await client.close();
