/** The servers of the matrix, over each transport that they have. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '../run.mjs';
import { PAGE_SIZE } from './fixture.mjs';

/** @typedef {'stdio' | 'http' | 'sse'} Transport */

/**
 * @typedef {object} MatrixServer
 * @property {string} name
 * @property {string[]} program  to be followed by the words of a transport
 * @property {{ stdio: string[], http: string[] }} words
 * @property {readonly Transport[]} transports
 * @property {string[]} [revisions]  what the chain may speak to it; all of them unless given
 * @property {boolean} elicits
 * @property {boolean} countsCancelled  has a tool that tells how many calls were cancelled
 */

const FIXTURES = join(root, 'conformance', 'serve.mjs');
const sdk = (/** @type {string} */ name) => join(root, 'scripts', 'matrix', name);

/**
 * @param {readonly any[]} revisions
 * @returns {MatrixServer[]}
 */
export function serversOf(revisions) {
  const handshake = revisions
    .filter(({ lifecycle }) => lifecycle === 'handshake')
    .map(({ version }) => version);
  const words = { stdio: ['stdio'], http: ['http'] };
  const official = { words, elicits: true, countsCancelled: true };
  return [
    ...revisions.map(({ version, lifecycle, elicitation }) => ({
      name: `demo ${version}`,
      program: [FIXTURES, '--revisions', version, '--page-size', String(PAGE_SIZE)],
      words: { stdio: ['--stdio'], http: ['--legacy-sse'] },
      transports: transportsOf(lifecycle),
      elicits: elicitation !== 'none',
      countsCancelled: false,
    })),
    {
      ...official,
      name: 'SDK v1',
      program: [sdk('sdk-v1-server.mjs')],
      transports: transportsOf('handshake'),
    },
    {
      ...official,
      name: 'SDK v2, handshake',
      program: [sdk('sdk-v2-server.mjs')],
      // It has left the old transport behind.
      transports: ['stdio', 'http'],
      revisions: handshake,
    },
    {
      ...official,
      name: 'SDK v2, stateless',
      program: [sdk('sdk-v2-server.mjs')],
      transports: ['stdio', 'http'],
      revisions: revisions.filter(({ lifecycle }) => lifecycle === 'stateless').map(({ version }) => version),
    },
  ];
}

/**
 * The old transport has no place for requests of the stateless era.
 *
 * @param {string} lifecycle
 * @returns {readonly Transport[]}
 */
export function transportsOf(lifecycle) {
  return lifecycle === 'handshake' ? ['stdio', 'http', 'sse'] : ['stdio', 'http'];
}

/**
 * Starts the server over HTTP.
 *
 * @param {MatrixServer} server
 * @returns {Promise<{ origin: string, stop: () => void }>}
 */
export async function startOverHttp({ name, program, words }) {
  const child = spawn(process.execPath, [...program, ...words.http], { stdio: ['pipe', 'pipe', 'pipe'] });
  const stop = () => void child.kill();
  let said = '';
  const found = new Promise((resolve) => {
    const take = (/** @type {Buffer} */ chunk) => {
      said += chunk;
      const origin = /http:\/\/[\d.]+:\d+/.exec(said)?.[0];
      if (origin !== undefined) resolve(origin);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
  });
  const origin = await Promise.race([found, once(child, 'close').then(() => undefined)]);
  if (origin === undefined) throw new Error(`${name} does not start:\n${said}`);
  return { origin, stop };
}

/**
 * Where the chain finds the server.
 *
 * @param {MatrixServer} server
 * @param {Transport} transport
 * @param {string} origin
 * @returns {{ command: string, args: string[] } | { url: string }}
 */
export function targetOf({ program, words }, transport, origin) {
  if (transport === 'stdio') return { command: process.execPath, args: [...program, ...words.stdio] };
  return { url: `${origin}/${transport === 'http' ? 'mcp' : 'sse'}` };
}
