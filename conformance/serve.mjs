/**
 * The demo server by itself: `node conformance/serve.mjs [REVISION,...]`.
 * Prints its URL, and ends when its standard input does.
 */

/** @type {typeof import('../src/cli/demo/server.js')} */
const { createDemoServer } = await import(new URL('../dist/cli/demo/server.js', import.meta.url).href);
/** @type {typeof import('plumb-mcp/client')} */
const { connect } = await import(new URL('../dist/client/index.js', import.meta.url).href);

const revisions = process.argv[2]?.split(',');
const server = createDemoServer({ revisions });

// The first call of a process loads the JSON Schema validator, which on a busy machine takes longer than the half
// second that some scenarios wait for an answer.
const client = await connect(server);
await client.tools.call('hello');
await client.close();

const { url } = await server.http({ port: 0 });
process.stdout.write(`${url}\n`);

process.stdin.resume().once('close', () => process.exit());
