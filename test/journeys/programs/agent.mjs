// An agent application: it connects to every server of a configuration, shows the tools to its model, and carries out
// what the model asks for. The model here is a file with the calls that it wants.
import { readFileSync } from 'node:fs';
import { connectAll } from 'plumb-mcp/client';

const [configFile, wishesFile] = process.argv.slice(2).map(String);
const { mcpServers } = JSON.parse(readFileSync(String(configFile), 'utf8'));
const wishes = JSON.parse(readFileSync(String(wishesFile), 'utf8'));

const pool = await connectAll(mcpServers, {
  elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
});
const states = Object.fromEntries(pool.status().map(({ name, state }) => [name, state]));
const tools = await pool.tools.map(({ name, server }) => ({ name, server }));
const found = await pool.search('days in a month', { detail: 'name', limit: 1 });

/** @type {Record<string, unknown>} */
const results = {};
for (const { name, arguments: args } of wishes) {
  results[name] = await pool.call(name, args).catch((error) => ({ failed: error.message }));
}
const note = await pool.read('memory', 'memory://knowledge-graph');
await pool.close();
console.log(JSON.stringify({ states, tools, found, results, note }));
