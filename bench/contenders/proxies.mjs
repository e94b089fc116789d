/** Programs that stand between a client and a server, each started as its users start it. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dist } from './plumb/dist.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/**
 * @typedef {object} Proxy
 * @property {(port: number, server: string[]) => string[]} [httpToStdio]  listens, and starts the server behind
 * @property {(url: string) => string[]} [stdioToHttp]  speaks stdio, and connects to the server behind
 * @property {boolean} [stateless]  over HTTP it has no sessions
 */

/**
 * @param {string} packageName
 * @returns {string[]} Node and the program of an installed package
 */
function installed(packageName) {
  const directory = join(here, '..', 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  return [process.execPath, join(directory, typeof bin === 'string' ? bin : bin[packageName])];
}

const plumb = [process.execPath, join(dist, 'cli', 'main.js')];

/** @param {string} file */
const bare = (file) => [process.execPath, join(here, 'limit', file)];

/** @type {Record<string, Proxy>} */
export const PROXIES = {
  limit: {
    httpToStdio: (port, server) => [...bare('http-to-stdio.mjs'), String(port), ...server],
    stdioToHttp: (url) => [...bare('stdio-to-http.mjs'), url],
  },
  plumb: {
    httpToStdio: (port, server) => [...plumb, 'proxy', '--http', String(port), '--', ...server],
    stdioToHttp: (url) => [...plumb, 'proxy', url],
  },
  'mcp-proxy': {
    httpToStdio: (port, server) => [
      ...installed('mcp-proxy'),
      ...['--port', String(port), '--host', '127.0.0.1', '--server', 'stream', '--', ...server],
    ],
  },
  supergateway: {
    httpToStdio: (port, server) => [
      ...installed('supergateway'),
      ...['--stdio', server.join(' '), '--outputTransport', 'streamableHttp', '--stateful'],
      ...['--port', String(port), '--logLevel', 'none'],
    ],
    stdioToHttp: (url) => [...installed('supergateway'), '--streamableHttp', url, '--logLevel', 'none'],
  },
  'supergateway-stateless': {
    httpToStdio: (port, server) => [
      ...installed('supergateway'),
      ...['--stdio', server.join(' '), '--outputTransport', 'streamableHttp'],
      ...['--port', String(port), '--logLevel', 'none'],
    ],
    stateless: true,
  },
  'mcp-remote': {
    stdioToHttp: (url) => [...installed('mcp-remote'), url, '--transport', 'http-only', '--silent'],
  },
};

/** @param {'httpToStdio' | 'stdioToHttp'} direction */
export const proxiesOf = (direction) =>
  Object.entries(PROXIES)
    .filter(([, proxy]) => proxy[direction] !== undefined)
    .map(([id]) => id);
