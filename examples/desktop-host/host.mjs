/**
 * A desktop application as a host of MCP servers, in the manner of Electron: the main process starts the servers from the
 * user's configuration, and windows talk to it by messages. Windows never see commands, environments or processes.
 *
 *   node examples/desktop-host/host.mjs mcp.json
 */
import { readFile } from 'node:fs/promises';
import { MessageChannel } from 'node:worker_threads';
import { connectAll, textOf } from 'plumb-mcp/client';
import { openWindow } from './window.mjs';

const config = JSON.parse(await readFile(process.argv[2] ?? 'mcp.json', 'utf8'));
const { port1: main, port2: window } = new MessageChannel();

const pool = await connectAll(config, {
  name: 'desktop-host',
  // A question of a server becomes a dialog of the window.
  elicit: (question) => ask(question),
  wait: '60s',
});
pool.on('state', (server, { state }) => main.postMessage({ type: 'state', server, state }));

/** What windows may ask for, and nothing else. @type {Record<string, (params: any) => Promise<unknown>>} */
const handlers = {
  tools: async () => (await pool.tools.list()).map(({ name, description }) => ({ name, description })),
  call: async ({ name, args }) => textOf(await pool.call(name, args)),
  status: async () => pool.status().map(({ name, state }) => ({ name, state })),
};

/** @type {Map<number, (answer: import('plumb-mcp/protocol').ElicitResult) => void>} */
const dialogs = new Map();
let lastDialog = 0;

main.on('message', async ({ id, type, params }) => {
  if (type === 'dialog') return dialogs.get(id)?.(params);
  const handler = handlers[type];
  try {
    if (handler === undefined) throw new Error(`Windows cannot ask for ${type}`);
    main.postMessage({ id, result: await handler(params) });
  } catch (error) {
    main.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
});

/**
 * @param {import('plumb-mcp/protocol').ElicitParams} question
 * @returns {Promise<import('plumb-mcp/protocol').ElicitResult>}
 */
async function ask(question) {
  lastDialog += 1;
  const id = lastDialog;
  try {
    return await new Promise((resolve) => {
      dialogs.set(id, resolve);
      main.postMessage({ type: 'dialog', id, question });
    });
  } finally {
    dialogs.delete(id);
  }
}

await openWindow(window);
// Ends the servers with all processes that they started.
await pool.close();
main.close();
