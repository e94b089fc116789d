/** What it costs before anything is done: starting, importing, installing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleSize } from '../contenders/bundle.mjs';
import { entriesOf, footprint } from '../contenders/footprint.mjs';
import { contender as find, moduleOf, serversOverStdio } from '../contenders/index.mjs';
import { dist } from '../contenders/plumb/dist.mjs';
import { firstView } from '../contenders/plumb/inspector.mjs';
import { start } from '../processes.mjs';
import { eachTime, fewIn } from '../suite.mjs';
import { Lines } from '../wire/lines.mjs';
import { echoWork, INITIALIZED_BODY, initializeBody, prepareLine } from '../wire/requests.mjs';

const LAUNCH = fileURLToPath(new URL('../load/launch.mjs', import.meta.url));
const IMPORT = fileURLToPath(new URL('../load/import-time.mjs', import.meta.url));
const imported = () => ['plumb', 'sdk-v1', 'sdk-v2', 'fastmcp', 'tmcp', 'mcp-lite'];

/** @type {import('../suite.mjs').Suite} */
export default {
  id: 'start',
  title: 'cold start and size',
  about:
    'From starting a process to its answer to `initialize` and to the first call; importing the server in a fresh process; ' +
    'what an installation holds, and what a bundler makes of it.',
  metrics: [
    { id: 'firstMs', title: 'first answer', unit: 'ms', digits: 0 },
    { id: 'firstCallMs', title: 'first call', unit: 'ms', digits: 0 },
    { id: 'importMs', title: 'import', unit: 'ms', digits: 1 },
    { id: 'connectMs', title: 'plumb connect', unit: 'ms', digits: 1 },
    { id: 'viewMs', title: 'first view', unit: 'ms', digits: 0 },
    { id: 'packages', title: 'packages', unit: '', digits: 0 },
    { id: 'installedKb', title: 'installed', unit: 'KB', digits: 0 },
    { id: 'bundleKb', title: 'bundle', unit: 'KB', digits: 0 },
    { id: 'bundleGzipKb', title: 'bundle, gzip', unit: 'KB', digits: 0 },
  ],
  cases: (settings) => [
    {
      id: 'cold',
      title: 'cold start of a stdio server',
      turns: settings.quick ? 3 : 6,
      contenders: fewIn(settings, serversOverStdio()),
      targets: [
        { metric: 'firstMs', title: 'first answer, as a multiple of bare Node', against: {}, atMost: 1.3 },
      ],
    },
    {
      id: 'import',
      title: 'import of the server',
      turns: settings.quick ? 3 : 8,
      contenders: fewIn(settings, imported()),
      targets: [
        {
          metric: 'importMs',
          title: "as a share of SDK v2's",
          against: { contender: 'sdk-v2' },
          atMost: 0.1,
        },
      ],
    },
    {
      id: 'connect',
      title: 'plumb connect, which clients start for every server of the hub',
      turns: settings.quick ? 5 : 10,
      contenders: ['limit', 'plumb'],
      targets: [{ metric: 'connectMs', title: 'as a multiple of bare Node', against: {}, atMost: 1.3 }],
    },
    {
      id: 'view',
      title: 'the inspector, from plumb start to the tools of the demo on its page',
      turns: settings.quick ? 3 : 6,
      contenders: ['plumb'],
      targets: [{ metric: 'viewMs', title: 'ms', atMost: 1_500 }],
    },
    {
      id: 'size',
      title: 'installation and bundle',
      contenders: fewIn(settings, imported()),
      rounds: 1,
      turns: 1,
    },
  ],
  open: async (contender, { id }) => {
    if (id === 'connect') return openConnect(contender);
    return eachTime(async () => {
      if (id === 'view') return firstView();
      if (id === 'size') return { ...footprint(contender), ...(await bundleSize(contender)) };
      return id === 'cold' ? coldStart(contender) : { importMs: await importTime(contender) };
    });
  },
};

/**
 * A program from its start to its end: bare Node, or a client of a hub that accepts it.
 *
 * @param {string} contender
 * @returns {Promise<import('../suite.mjs').Opened>}
 */
async function openConnect(contender) {
  const folder = mkdtempSync(join(tmpdir(), 'plumb-bench-hub-'));
  const hub = createServer({ allowHalfOpen: true }, (socket) => {
    socket.once('data', () => socket.write('{"ok":true}\n'));
    socket.on('end', () => socket.end());
  });
  await new Promise((resolve) => hub.listen(join(folder, 'hub.sock'), () => resolve(undefined)));
  const args = contender === 'limit' ? ['-e', '0'] : [join(dist, 'cli', 'plumb.cjs'), 'connect', 'x'];
  const turn = () =>
    new Promise((resolve, reject) => {
      const started = performance.now();
      const { child, describe } = start('measured', [process.execPath, ...args], {
        env: { PLUMB_HUB: folder },
      });
      child.once('error', reject);
      child.once('close', (code) => {
        if (code === 0) resolve({ connectMs: performance.now() - started });
        else reject(new Error(describe()));
      });
    });
  const close = async () => {
    hub.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { turn, close };
}

/**
 * @param {string} contender
 * @returns {Promise<import('../suite.mjs').Values>}
 */
async function coldStart(contender) {
  const started = performance.now();
  const command = [process.execPath, LAUNCH, moduleOf(contender, 'stdio')];
  const program = start('measured', command, { stdio: ['pipe', 'pipe', 'pipe'] });
  const { child } = program;
  try {
    return await new Promise((resolve, reject) => {
      let firstMs = 0;
      const lines = new Lines((line) => {
        const { id, result } = JSON.parse(line.toString('utf8'));
        if (id === undefined) return;
        if (result === undefined) reject(new Error(`${find(contender).title} answered ${line}`));
        if (firstMs !== 0) return resolve({ firstMs, firstCallMs: performance.now() - started });
        firstMs = performance.now() - started;
        child.stdin?.write(`${INITIALIZED_BODY}\n`);
        child.stdin?.write(prepareLine(echoWork()).bytes);
      });
      child.stdout?.on('data', (chunk) => lines.push(chunk));
      child.once('exit', () => reject(new Error(`${program.describe()}: ended`)));
      child.stdin?.on('error', reject);
      child.stdin?.write(`${initializeBody()}\n`);
    });
  } finally {
    await program.stop();
  }
}

/**
 * @param {string} contender
 * @returns {Promise<number>}
 */
function importTime(contender) {
  const { child, describe } = start('measured', [process.execPath, IMPORT, entriesOf(contender)[0]]);
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(Number(text)) : reject(new Error(describe()))));
  });
}
