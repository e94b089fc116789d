/** `plumb start`, from the command to what its page needs to show the tools of the demo. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start } from '../../processes.mjs';
import { dist } from './dist.mjs';

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\/t\/[\w-]+\//;

/** @returns {Promise<{ viewMs: number }>} */
export async function firstView() {
  const home = mkdtempSync(join(tmpdir(), 'plumb-bench-home-'));
  const port = String(await freePort());
  const started = performance.now();
  const program = start(
    'measured',
    [process.execPath, join(dist, 'cli', 'plumb.cjs'), 'start', '--no-open', '--port', port],
    { env: { HOME: home, XDG_CONFIG_HOME: home } },
  );
  try {
    const url = await addressOf(program);
    const html = await (await fetch(url)).text();
    const files = [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map((match) => match[1] ?? '');
    const view = Promise.all(files.map(async (file) => (await fetch(new URL(file, url))).arrayBuffer()));
    await Promise.all([view, toolsOf(url)]);
    return { viewMs: performance.now() - started };
  } finally {
    await program.stop();
    rmSync(home, { recursive: true, force: true });
  }
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

/**
 * The first answer that lists tools; before that, the server is starting.
 *
 * @param {URL} url
 */
async function toolsOf(url) {
  const headers = { 'x-plumb-token': url.pathname.split('/')[2] ?? '', 'content-type': 'application/json' };
  const events = await fetch(new URL('api/events', url), { headers });
  let text = '';
  for await (const chunk of events.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const ready = text
      .split('\n')
      .slice(0, -1)
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
      .flatMap((event) =>
        event.type === 'hello' ? event.snapshot.servers : event.type === 'server' ? [event.server] : [],
      )
      .find((server) => server.state === 'ready');
    if (ready === undefined) continue;
    const body = JSON.stringify({ server: ready.id });
    const answer = await fetch(new URL('api/catalogue.get', url), { method: 'POST', headers, body });
    /** @type {import('../../../src/inspector/api.js').InspectedCatalogue} */
    const { tools } = JSON.parse(await answer.text());
    if (tools.items.length === 0) throw new Error('The inspector shows no tools');
    return;
  }
  throw new Error('The inspector closed its events');
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
