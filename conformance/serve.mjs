/**
 * The demo server by itself: `node conformance/serve.mjs [REVISION,...]`.
 * Prints its URL, and ends when its standard input does.
 */

/** @type {typeof import('../src/cli/demo/server.js')} */
const { createDemoServer } = await import(new URL('../dist/cli/demo/server.js', import.meta.url).href);

const revisions = process.argv[2]?.split(',');
const server = createDemoServer({ revisions });
const { url } = await server.http({ port: 0 });
process.stdout.write(`${url}\n`);

process.stdin.resume().once('close', () => process.exit());
