/**
 * The fixture server behind a chain: `node conformance/serve-chain.mjs --over stdio|http [--revisions A,B]`, where
 * `--over` says how the chain reaches it. Both speak these revisions. Prints the chain's URL, and ends when its standard
 * input does.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createFixtureServer } from './fixture-server.mjs';
import { connect, importChain } from './plumb.mjs';

const { createChain } = await importChain();
const { values: options } = parseArgs({
  options: { over: { type: 'string' }, revisions: { type: 'string' } },
});
const own = options.revisions === undefined ? {} : { revisions: options.revisions.split(',') };

/** @returns {Promise<import('plumb-mcp/chain').Destination>} */
async function fixtures() {
  if (options.over === 'http') {
    const server = createFixtureServer(own);
    await server.skills(fileURLToPath(new URL('../examples/skills', import.meta.url)), { watch: false });
    return { url: (await server.http()).url, isolate: 'session' };
  }
  const program = fileURLToPath(new URL('./serve.mjs', import.meta.url));
  const spoken = options.revisions === undefined ? [] : ['--revisions', options.revisions];
  return { command: process.execPath, args: [program, '--stdio', ...spoken], isolate: 'session' };
}

const front = createChain(own).to({ fixtures: await fixtures() });

// As in serve.mjs: what is loaded with the first call must not count against a scenario.
const client = await connect(front);
await client.tools.call('hello');
await client.close();

const { url } = await front.http({ port: 0 });
process.stdout.write(`${url}\n`);

process.stdin.resume().once('close', () => void front.close({ drain: 0 }).finally(() => process.exit()));
