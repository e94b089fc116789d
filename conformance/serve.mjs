/**
 * The fixture server by itself: `node conformance/serve.mjs [OPTIONS]`.
 *
 *   --stdio             serve stdin and stdout; default: HTTP, which prints the URL and ends when stdin does
 *   --revisions A,B     the revisions to speak; default: all
 *   --page-size N       items on a page of a list
 *   --legacy-sse        serve the old HTTP+SSE transport too
 *   --store URL         share sessions and notes with other nodes through this Redis, and serve until a signal ends it
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createFixtureServer } from './fixture-server.mjs';
import { connect, importStore } from './plumb.mjs';

const { values: options } = parseArgs({
  options: {
    stdio: { type: 'boolean' },
    revisions: { type: 'string' },
    'page-size': { type: 'string' },
    'legacy-sse': { type: 'boolean' },
    store: { type: 'string' },
  },
});

const pageSize = options['page-size'] === undefined ? undefined : Number(options['page-size']);
const store = options.store === undefined ? undefined : await openStore(options.store);
const server = createFixtureServer({ revisions: options.revisions?.split(','), pageSize, store });
await server.skills(fileURLToPath(new URL('../examples/skills', import.meta.url)), { watch: false });

if (options.stdio) await server.stdio();
else await serveHttp();

async function serveHttp() {
  // The first call of a process loads the JSON Schema validator, which on a busy machine takes longer than the half
  // second that some scenarios wait for an answer.
  const client = await connect(server);
  await client.tools.call('hello');
  await client.close();

  const shared = store === undefined ? {} : { store };
  const { url } = await server.http({ port: 0, legacySse: options['legacy-sse'] ?? false, ...shared });
  process.stdout.write(`${url}\n`);
  if (store === undefined) process.stdin.resume().once('close', () => process.exit());
}

/** @param {string} url */
async function openStore(url) {
  const { createRedisStore } = await importStore();
  return createRedisStore(url);
}
