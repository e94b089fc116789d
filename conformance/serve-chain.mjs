/**
 * The demo server behind a chain: `node conformance/serve-chain.mjs stdio|http [REVISION,...]`, where the first word says
 * how the chain reaches it. Both speak these revisions. Prints the chain's URL, and ends when its standard input does.
 */
import { fileURLToPath } from 'node:url';

/** @type {typeof import('plumb-mcp/chain')} */
const { chain } = await import(new URL('../dist/chain/index.js', import.meta.url).href);
/** @type {typeof import('../src/cli/demo/server.js')} */
const { createDemoServer } = await import(new URL('../dist/cli/demo/server.js', import.meta.url).href);
/** @type {typeof import('plumb-mcp/client')} */
const { connect } = await import(new URL('../dist/client/index.js', import.meta.url).href);

const [way, list] = process.argv.slice(2);
const revisions = list?.split(',');
const own = revisions === undefined ? {} : { revisions };

/** @returns {Promise<import('plumb-mcp/chain').Destination>} */
async function demo() {
  if (way === 'http') return { url: (await createDemoServer(own).http()).url, isolate: 'session' };
  const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
  const spoken = list === undefined ? [] : ['--revisions', list];
  return { command: process.execPath, args: [main, 'demo', '--stdio', ...spoken], isolate: 'session' };
}

const front = chain(own).to({ demo: await demo() });

// As in serve.mjs: what is loaded with the first call must not count against a scenario.
const client = await connect(front);
await client.tools.call('hello');
await client.close();

const { url } = await front.http({ port: 0 });
process.stdout.write(`${url}\n`);

process.stdin.resume().once('close', () => void front.close(0).finally(() => process.exit()));
