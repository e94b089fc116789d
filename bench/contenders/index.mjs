/** Who is measured, and in what. */

/** @typedef {import('../workload.mjs').Mode} Mode */

/**
 * @typedef {object} Contender
 * @property {string} id
 * @property {string} title
 * @property {string} [folder]  of its modules; programs have none
 * @property {string} [package]  whose version the report names
 * @property {Mode[]} [http]  ways in which it serves HTTP
 * @property {string} [accept]  what is asked of it over HTTP, where that is not what clients have to ask
 * @property {boolean} [stdio]  whether it serves stdio
 * @property {('memory' | 'stdio' | 'http')[]} [client]  where it has a client
 */

/** @type {Contender[]} */
export const CONTENDERS = [
  {
    id: 'limit',
    title: 'bare limit',
    folder: 'limit',
    http: ['stateless', 'sessions', 'modern'],
    stdio: true,
    client: ['memory', 'stdio', 'http'],
  },
  {
    id: 'plumb',
    title: 'Plumb',
    folder: 'plumb',
    http: ['stateless', 'sessions', 'modern'],
    stdio: true,
    client: ['memory', 'stdio', 'http'],
  },
  {
    id: 'sdk-v1',
    title: 'SDK v1',
    folder: 'peers/sdk-v1',
    package: '@modelcontextprotocol/sdk',
    http: ['stateless', 'sessions'],
    stdio: true,
    client: ['memory', 'stdio', 'http'],
  },
  {
    id: 'sdk-v2',
    title: 'SDK v2',
    folder: 'peers/sdk-v2',
    package: '@modelcontextprotocol/server',
    http: ['stateless', 'sessions', 'modern'],
    stdio: true,
    client: ['memory', 'stdio', 'http'],
  },
  {
    id: 'fastmcp',
    title: 'FastMCP',
    folder: 'peers/fastmcp',
    package: 'fastmcp',
    http: ['stateless', 'sessions'],
    stdio: true,
  },
  {
    id: 'tmcp',
    title: 'tmcp',
    folder: 'peers/tmcp',
    package: 'tmcp',
    http: ['stateless', 'sessions', 'modern'],
    stdio: true,
  },
  {
    id: 'mcp-lite',
    title: 'mcp-lite',
    folder: 'peers/mcp-lite',
    package: 'mcp-lite',
    http: ['stateless', 'sessions'],
  },
  {
    // It answers with a stream whoever admits one, as every client has to; this is what it can do without.
    id: 'mcp-lite-json',
    title: 'mcp-lite, JSON only',
    folder: 'peers/mcp-lite',
    package: 'mcp-lite',
    http: ['stateless', 'sessions'],
    accept: 'application/json',
  },
  { id: 'plumb-redis', title: 'Plumb on Redis', folder: 'plumb' },
  { id: 'mcp-proxy', title: 'mcp-proxy', package: 'mcp-proxy' },
  { id: 'supergateway', title: 'supergateway', package: 'supergateway' },
  { id: 'supergateway-stateless', title: 'supergateway, stateless', package: 'supergateway' },
  { id: 'mcp-remote', title: 'mcp-remote', package: 'mcp-remote' },
  { id: 'fetch', title: 'global fetch', folder: 'peers/fetch', client: ['http'] },
];

/** @param {Mode} mode */
export const serversOverHttp = (mode) =>
  CONTENDERS.filter(({ http }) => http?.includes(mode)).map(({ id }) => id);

export const serversOverStdio = () => CONTENDERS.filter(({ stdio }) => stdio).map(({ id }) => id);

/** @param {'memory' | 'stdio' | 'http'} transport */
export const clientsOver = (transport) =>
  CONTENDERS.filter(({ client }) => client?.includes(transport)).map(({ id }) => id);

/** Everything a name may stand for in `--contenders`. */
export const CONTENDER_IDS = CONTENDERS.map(({ id }) => id);

/** @param {string} id */
export function contender(id) {
  const found = CONTENDERS.find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`No contender ${id}`);
  return found;
}

/**
 * A contender's module, as the processes of the bench import it.
 *
 * @param {string} id
 * @param {'http' | 'stdio' | 'client' | 'listen' | 'store'} part
 */
export function moduleOf(id, part) {
  return new URL(`./${contender(id).folder}/${part}.mjs`, import.meta.url).href;
}
