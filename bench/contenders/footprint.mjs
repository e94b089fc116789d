/** What has to be installed for a server over stdio and HTTP: packages and their bytes, read from what is installed here. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { dist } from './plumb/dist.mjs';

const bench = fileURLToPath(new URL('..', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The modules of a server over stdio and HTTP, first the one that makes it; and the packages that its documentation has
 * users install.
 *
 * @type {Record<string, { entries: [string, ...string[]], packages: string[] }>}
 */
const INSTALLED = {
  'sdk-v1': {
    entries: [
      '@modelcontextprotocol/sdk/server/mcp.js',
      '@modelcontextprotocol/sdk/server/stdio.js',
      '@modelcontextprotocol/sdk/server/streamableHttp.js',
    ],
    packages: ['@modelcontextprotocol/sdk', 'zod'],
  },
  'sdk-v2': {
    entries: [
      '@modelcontextprotocol/server',
      '@modelcontextprotocol/server/stdio',
      '@modelcontextprotocol/node',
    ],
    packages: ['@modelcontextprotocol/server', '@modelcontextprotocol/node', 'zod'],
  },
  fastmcp: { entries: ['fastmcp'], packages: ['fastmcp', 'zod'] },
  tmcp: {
    entries: ['tmcp', '@tmcp/adapter-zod', '@tmcp/transport-http', '@tmcp/transport-stdio'],
    packages: ['tmcp', '@tmcp/adapter-zod', '@tmcp/transport-http', '@tmcp/transport-stdio', 'zod'],
  },
  'mcp-lite': {
    entries: ['mcp-lite', '@hono/node-server'],
    packages: ['mcp-lite', '@hono/node-server', 'zod'],
  },
};

/**
 * @param {string} contender
 * @returns {[string, ...string[]]} URLs of the modules that are imported for a server
 */
export function entriesOf(contender) {
  if (contender === 'plumb') return [pathToFileURL(join(dist, 'server', 'index.js')).href];
  const [first, ...rest] = INSTALLED[contender]?.entries ?? [contender];
  return [import.meta.resolve(first), ...rest.map((entry) => import.meta.resolve(entry))];
}

/** @param {string} contender */
export function footprint(contender) {
  const found = new Map();
  if (contender === 'plumb') {
    const { files, dependencies } = manifest(root);
    /** @type {string[]} */
    const own = files.filter((/** @type {string} */ file) => existsSync(join(root, file)));
    found.set(
      root,
      own.reduce((sum, file) => sum + bytesUnder(join(root, file)), 0),
    );
    for (const name of Object.keys(dependencies)) add(name, root, found);
  } else {
    for (const name of INSTALLED[contender]?.packages ?? []) add(name, bench, found);
  }
  const bytes = [...found.values()].reduce((sum, size) => sum + size, 0);
  return { packages: found.size, installedKb: bytes / 1024 };
}

/**
 * @param {string} name
 * @param {string} from  the directory of the package that needs it
 * @param {Map<string, number>} found
 */
function add(name, from, found) {
  const directory = locate(name, from);
  // Optional packages of other platforms are not installed.
  if (directory === undefined || found.has(directory)) return;
  found.set(directory, bytesUnder(directory));
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = manifest(directory);
  const peers = Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true);
  for (const next of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
    add(next, directory, found);
  }
}

/**
 * @param {string} name
 * @param {string} from
 */
function locate(name, from) {
  const places = createRequire(join(from, 'package.json')).resolve.paths(name) ?? [];
  const place = places.find((candidate) => existsSync(join(candidate, name, 'package.json')));
  return place === undefined ? undefined : realpathSync(join(place, name));
}

/** @param {string} directory */
function manifest(directory) {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
}

/** @param {string} path @returns {number} */
function bytesUnder(path) {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .reduce((sum, { name }) => sum + bytesUnder(join(path, name)), 0);
}
