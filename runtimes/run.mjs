/** Runs the behaviours on every runtime, as server and as client, and the command on every Node. */
import { cpSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runtimes, workerRuntime } from './binaries.mjs';
import { runCommands } from './commands.mjs';
import { runOfficialClients } from './official-clients.mjs';
import { finish, start, stopAll } from './processes.mjs';
import { REVISIONS } from './programs/revisions.mjs';
import { makeWorker } from './worker-config.mjs';

/** @typedef {import('./binaries.mjs').Runtime} Runtime */
/** @typedef {{ runtime: string, side: 'server' | 'client' | 'command', transport: string, what: string, revision: string | undefined, outcome: string }} Result */
/** @typedef {import('./official-clients.mjs').OfficialTarget} OfficialTarget */

const EVERYTHING = join(
  import.meta.dirname,
  '..',
  'node_modules',
  '@modelcontextprotocol',
  'server-everything',
  'dist',
  'index.js',
);

/**
 * @param {string} folder  where the package is installed
 * @returns {Promise<{ versions: Record<string, string>, results: Result[] }>}
 */
export async function runAll(folder) {
  cpSync(join(import.meta.dirname, 'programs'), join(folder, 'programs'), { recursive: true });
  /** @type {Result[]} */
  const results = [];
  const processes = runtimes();
  const worker = workerRuntime();
  try {
    const peers = await startPeers(processes[0]?.command ?? process.execPath, folder);
    for (const runtime of processes) {
      await asServer(runtime, folder, results);
      await asClient(runtime, folder, peers, results);
      if (!runtime.isNode) continue;
      for (const [what, outcome] of Object.entries(await runCommands(runtime, folder)))
        results.push({
          runtime: runtime.name,
          side: 'command',
          transport: 'command',
          what,
          revision: undefined,
          outcome,
        });
    }
    await onWorker(worker, folder, peers, results);
  } finally {
    stopAll();
  }
  const versions = Object.fromEntries([...processes, worker].map(({ name, version }) => [name, version]));
  return { versions, results };
}

/** @typedef {{ origin: string, command: OfficialTarget, everything: string, everythingCommand: OfficialTarget }} Peers */

/**
 * Servers on our Node, for the clients of the runtimes.
 *
 * @param {string} node
 * @param {string} folder
 * @returns {Promise<Peers>}
 */
async function startPeers(node, folder) {
  const port = await freePort();
  const [origin] = await Promise.all([
    start(node, [join(folder, 'programs', 'serve-http.mjs')], { cwd: folder }),
    start(node, [EVERYTHING, 'streamableHttp'], {
      cwd: folder,
      env: { PORT: String(port) },
      ready: /listening on port/,
    }),
  ]);
  return {
    origin,
    command: { command: node, args: [join(folder, 'programs', 'serve-stdio.mjs')] },
    everything: `http://127.0.0.1:${port}/mcp`,
    everythingCommand: { command: node, args: [EVERYTHING, 'stdio'] },
  };
}

/**
 * @param {Runtime} runtime
 * @param {string} folder
 * @param {Result[]} results
 */
async function asServer({ name, command, args }, folder, results) {
  const program = (/** @type {string} */ file) => [...args, join(folder, 'programs', file)];
  const stdio = { command, args: program('serve-stdio.mjs') };
  await serve(name, 'stdio', stdio, stdio, folder, results);
  const listening = await start(command, program('serve-http.mjs'), { cwd: folder });
  await serve(name, 'HTTP', `${listening}/mcp`, `${listening}/sse`, folder, results);
  const mounted = await start(command, program('serve-mounted.mjs'), { cwd: folder });
  await serve(name, 'mounted', `${mounted}/mcp`, `${mounted}/mcp`, folder, results);
}

/**
 * @param {string} runtime
 * @param {string} transport
 * @param {OfficialTarget} target
 * @param {OfficialTarget} oldest  where clients of the oldest revision connect
 * @param {string} folder
 * @param {Result[]} results
 */
async function serve(runtime, transport, target, oldest, folder, results) {
  /** @type {typeof import('./programs/behaviours.mjs')} */
  const { runBehaviours } = await import(pathToFileURL(join(folder, 'programs', 'behaviours.mjs')).href);
  const common = { runtime, side: /** @type {const} */ ('server'), transport };
  for (const revision of REVISIONS) {
    const outcomes = await runBehaviours(revision === REVISIONS[0] ? oldest : target, revision);
    for (const [what, outcome] of Object.entries(outcomes))
      results.push({ ...common, what, revision: revision.version, outcome });
  }
  for (const [what, outcome] of Object.entries(await runOfficialClients(target)))
    results.push({ ...common, what, revision: undefined, outcome });
}

/**
 * @param {Runtime} runtime
 * @param {string} folder
 * @param {Peers} peers
 * @param {Result[]} results
 */
async function asClient({ name, command, args }, folder, peers, results) {
  const targets = [
    { transport: 'stdio', target: peers.command, official: peers.everythingCommand },
    {
      transport: 'HTTP',
      target: `${peers.origin}/mcp`,
      oldest: `${peers.origin}/sse`,
      official: peers.everything,
    },
  ];
  const program = join(folder, 'programs', 'client.mjs');
  const { stdout, stderr } = await finish(command, [...args, program, JSON.stringify(targets)], {
    cwd: folder,
  });
  const line = stdout.trim().split('\n').at(-1) ?? '';
  if (!line.startsWith('[')) throw new Error(`The client on ${name} ended early: ${stdout}${stderr}`);
  /** @type {{ transport: string, revision?: string, outcome?: Record<string, string>, official?: string }[]} */
  const outcomes = JSON.parse(line);
  for (const { transport, revision, outcome = {}, official } of outcomes) {
    const common = { runtime: name, side: /** @type {const} */ ('client'), transport };
    for (const [what, text] of Object.entries(outcome))
      results.push({ ...common, what, revision, outcome: text });
    if (official !== undefined)
      results.push({ ...common, what: 'official server', revision: undefined, outcome: official });
  }
}

/**
 * @param {Runtime} runtime
 * @param {string} folder
 * @param {Peers} peers
 * @param {Result[]} results
 */
async function onWorker({ name, command, args }, folder, peers, results) {
  const port = await freePort();
  const config = await makeWorker(folder, port);
  const origin = `http://127.0.0.1:${port}`;
  // It says nothing when it listens.
  const ended = start(command, [...args, '--verbose', config], { cwd: folder, ready: /$never/ });
  await Promise.race([ended, answering(`${origin}/`)]);
  ended.catch(() => undefined);
  await serve(name, 'mounted', `${origin}/mcp`, `${origin}/mcp`, folder, results);
  const common = { runtime: name, side: /** @type {const} */ ('client'), transport: 'HTTP' };
  for (const { version } of REVISIONS) {
    const oldest = version === REVISIONS[0]?.version;
    const target = encodeURIComponent(`${peers.origin}${oldest ? '/sse' : '/mcp'}`);
    const answer = await json(`${origin}/client?revision=${version}&target=${target}`);
    const outcome = /** @type {Record<string, string>} */ (answer);
    for (const [what, text] of Object.entries(outcome))
      results.push({ ...common, what, revision: version, outcome: text });
  }
  const official = await json(`${origin}/official?target=${encodeURIComponent(peers.everything)}`);
  results.push({ ...common, what: 'official server', revision: undefined, outcome: String(official) });
  const refusals = /** @type {Record<string, string>} */ (await json(`${origin}/refusals`));
  for (const [what, text] of Object.entries(refusals)) {
    const outcome = text.includes('needs Node, Bun or Deno') ? 'ok' : `was not refused: ${text}`;
    results.push({ runtime: name, side: 'server', transport: 'refused', what, revision: undefined, outcome });
  }
}

/** @param {string} url */
async function json(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answers with ${response.status}: ${await response.text()}`);
  return response.json();
}

/**
 * Resolves when something listens there.
 *
 * @param {string} url
 */
async function answering(url) {
  const until = performance.now() + 30_000;
  for (;;) {
    const answered = await fetch(url).then(
      () => true,
      () => false,
    );
    if (answered) return;
    if (performance.now() > until) throw new Error(`Nothing listens at ${url}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
