/** The inspector in a process of its own, and what its page asks of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start } from '../../processes.mjs';
import { dist } from './dist.mjs';

/**
 * @typedef {import('../../../src/inspector/api.js').Commands} Commands
 * @typedef {Awaited<ReturnType<typeof startInspector>>} RunningInspector
 */

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\/t\/[\w-]+\//;

/** @param {string[]} words  of the command, such as `inspect` */
export async function startInspector(words) {
  const home = mkdtempSync(join(tmpdir(), 'plumb-bench-home-'));
  const command = [process.execPath, join(dist, 'cli', 'plumb.cjs'), ...words, '--no-open'];
  const program = start('measured', command, { env: { HOME: home, XDG_CONFIG_HOME: home } });
  const stop = async () => {
    await program.stop();
    rmSync(home, { recursive: true, force: true });
  };
  try {
    const url = await addressOf(program);
    const headers = { 'x-plumb-token': url.pathname.split('/')[2] ?? '', 'content-type': 'application/json' };
    /**
     * @template {keyof Commands} Name
     * @param {Name} name
     * @param {Commands[Name]['params']} params
     * @returns {Promise<Commands[Name]['result']>}
     */
    const ask = async (name, params) => {
      const body = JSON.stringify(params);
      const answer = await fetch(new URL(`api/${name}`, url), { method: 'POST', headers, body });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${name}: ${text}`);
      return JSON.parse(text);
    };
    return { url, headers, ask, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * From the command to what the page needs to show the tools of the demo.
 *
 * @returns {Promise<{ viewMs: number }>}
 */
export async function firstView() {
  const port = String(await freePort());
  const started = performance.now();
  const inspector = await startInspector(['start', '--port', port]);
  try {
    await Promise.all([pageOf(inspector), toolsOf(inspector)]);
    return { viewMs: performance.now() - started };
  } finally {
    await inspector.stop();
  }
}

/** @param {RunningInspector} inspector */
async function pageOf({ url }) {
  const html = await (await fetch(url)).text();
  const files = [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map((match) => match[1] ?? '');
  await Promise.all(files.map(async (file) => (await fetch(new URL(file, url))).arrayBuffer()));
}

/**
 * The first tools that it shows.
 *
 * @param {RunningInspector} inspector
 */
async function toolsOf(inspector) {
  const { tools } = await inspector.ask('catalogue.get', { server: await whenReady(inspector) });
  if (tools.items.length === 0) throw new Error('The inspector shows no tools');
}

/**
 * The id of this server, or of any, once it is connected.
 *
 * @param {RunningInspector} inspector
 * @param {string} [wanted]
 */
export async function whenReady({ url, headers }, wanted) {
  const events = await fetch(new URL('api/events', url), { headers });
  let text = '';
  for await (const chunk of events.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const ready = text
      .split('\n')
      .slice(0, -1)
      .flatMap((line) => (line === '' ? [] : serversIn(JSON.parse(line))))
      .find(({ id, state }) => state === 'ready' && (wanted === undefined || id === wanted));
    if (ready !== undefined) return ready.id;
  }
  throw new Error('The inspector closed its events');
}

/** @param {import('../../../src/inspector/api.js').InspectorEvent} event */
function serversIn(event) {
  if (event.type === 'hello') return event.snapshot.servers;
  return event.type === 'server' ? [event.server] : [];
}

/**
 * @param {ReturnType<typeof start>} program
 * @returns {Promise<URL>}
 */
function addressOf({ child, describe }) {
  let text = '';
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      const found = ADDRESS.exec(text);
      if (found !== null) resolve(new URL(found[0]));
    });
    child.once('close', () => reject(new Error(describe())));
  });
}

/** @returns {Promise<number>} */
function freePort() {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
