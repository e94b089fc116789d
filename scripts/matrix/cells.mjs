/** Runs the cells of the matrix: a client, a chain, a server, and what works between them. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../run.mjs';
import { FEATURES } from './features.mjs';
import { startOverHttp, targetOf } from './servers.mjs';

/** @typedef {import('./clients.mjs').MatrixClient} MatrixClient */
/** @typedef {import('./clients.mjs').Endpoint} Endpoint */
/** @typedef {import('./servers.mjs').MatrixServer} MatrixServer */
/** @typedef {import('./servers.mjs').Transport} Transport */

/**
 * @typedef {object} Cell
 * @property {MatrixClient} client
 * @property {MatrixServer} server
 * @property {Transport} front  between the client and the chain
 * @property {Transport} back  between the chain and the server
 */

/** @typedef {Cell & { tried: number, failures: string[] }} Outcome */

const MAIN = join(root, 'dist', 'cli', 'main.js');
const FEATURE_MS = 30_000;

/** @type {typeof import('plumb-mcp/chain')} */
const { createChain } = await import(pathToFileURL(join(root, 'dist', 'chain', 'index.js')).href);

/**
 * @param {readonly MatrixClient[]} clients
 * @param {readonly MatrixServer[]} servers
 * @returns {Cell[]} what both sides have the transports for
 */
export function allCells(clients, servers) {
  return servers.flatMap((server) =>
    clients.flatMap((client) =>
      client.transports.flatMap((front) =>
        server.transports.map((back) => ({ client, server, front, back })),
      ),
    ),
  );
}

/**
 * The cells of one server, one after the other: what one client changes there must not be heard by another.
 *
 * @param {MatrixServer} server
 * @param {readonly Cell[]} cells
 * @param {(outcome: Outcome) => void} done
 */
export async function runServer(server, cells, done) {
  const { origin, stop } = await startOverHttp(server);
  try {
    for (const back of server.transports) {
      const behind = cells.filter((cell) => cell.back === back);
      if (behind.length > 0) await runBehind(server, targetOf(server, back, origin), behind, done);
    }
  } finally {
    stop();
  }
}

/**
 * @param {MatrixServer} server
 * @param {Endpoint} target
 * @param {readonly Cell[]} cells
 * @param {(outcome: Outcome) => void} done
 */
async function runBehind({ revisions }, target, cells, done) {
  const built = createChain({ onError: () => {} }).to({
    server: { ...target, isolate: 'session', ...(revisions === undefined ? {} : { revisions }) },
  });
  try {
    const { url, origin } = await built.http({ legacySse: true });
    for (const cell of cells) {
      const sides = { stdio: proxyTo(target, revisions), http: { url }, sse: { url: `${origin}/sse` } };
      done(await runCell(cell, sides[cell.front]));
    }
  } finally {
    await built.close({ drain: 0 });
  }
}

/**
 * The chain as a program.
 *
 * @param {Endpoint} target
 * @param {string[] | undefined} revisions
 * @returns {Endpoint}
 */
function proxyTo(target, revisions) {
  const limited = revisions === undefined ? [] : ['--revision', revisions.join(',')];
  const words = 'command' in target ? ['--', target.command, ...target.args] : [];
  const place = 'url' in target ? [target.url] : [];
  return { command: process.execPath, args: [MAIN, 'proxy', ...place, '--stdio', ...limited, ...words] };
}

/**
 * @param {Cell} cell
 * @param {Endpoint} endpoint
 * @returns {Promise<Outcome>}
 */
async function runCell(cell, endpoint) {
  const { client, server } = cell;
  const facts = { elicits: client.elicits && server.elicits, countsCancelled: server.countsCancelled };
  /** @type {string[]} */
  const failures = [];
  let tried = 0;
  try {
    const peer = await within('connect', client.open(endpoint, cell.front));
    for (const [feature, attempt] of Object.entries(FEATURES)) {
      const running = attempt(peer, facts);
      if (running === undefined) continue;
      tried += 1;
      await within(feature, running).catch((error) => failures.push(`${feature}: ${firstLine(error)}`));
    }
    await within('close', peer.close());
  } catch (error) {
    failures.push(firstLine(error));
  }
  return { ...cell, tried, failures };
}

/**
 * @template T
 * @param {string} what
 * @param {Promise<T>} work
 * @returns {Promise<T>}
 */
async function within(what, work) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${what} took longer than ${FEATURE_MS / 1_000} s`)),
      FEATURE_MS,
    );
  });
  try {
    return await Promise.race([work, /** @type {Promise<never>} */ (late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** @param {unknown} error */
function firstLine(error) {
  return String(error instanceof Error ? error.message : error).split('\n')[0] ?? '';
}
