/** The inspector's page in Chromium: how long a frame takes while much is shown. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { dist } from '../contenders/plumb/dist.mjs';
import { startInspector, whenReady } from '../contenders/plumb/inspector.mjs';
import { orStop } from '../suite.mjs';

/** @typedef {import('../contenders/plumb/inspector.mjs').RunningInspector} RunningInspector */

const CHROMIUM = process.env.PLUMB_CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
const MESSAGES = 100_000;
const TOOLS = 2_000;
const SERVERS = 20;
const FRAMES = 120;

/**
 * What is put before the page, where it is looked at, and what moves in each frame.
 *
 * @typedef {{ prepare: (inspector: RunningInspector) => Promise<string>, shown: string, step: string, load?: boolean }} Scene
 */

/** @type {Record<string, Scene>} */
const SCENES = {
  messages: {
    prepare: async (inspector) => {
      await record(inspector, MESSAGES);
      return '#/timeline';
    },
    shown: '.virtual-list [role=option]',
    step: `const list = document.querySelector('.virtual-list');
      list.scrollTop = (list.scrollHeight / ${FRAMES}) * (frame + 1);`,
  },
  tools: {
    prepare: async (inspector) => `#/tools/${await addDemo(inspector, 'large', ['--tools', String(TOOLS)])}`,
    shown: '.split-items a',
    step: `document.querySelector('.split-items').scrollTop += 800;`,
  },
  servers: {
    prepare: async (inspector) => {
      const names = Array.from({ length: SERVERS }, (_, index) => `server ${index + 1}`);
      await Promise.all(names.map((name) => addDemo(inspector, name, [])));
      return '#/servers';
    },
    shown: 'article',
    step: '',
    load: true,
  },
};

/** @type {import('../suite.mjs').Suite} */
export default {
  id: 'page',
  title: "the inspector's page",
  about:
    'The time between two frames in Chromium, 120 of them in a turn, while the page scrolls or its servers are called. ' +
    'A screen that nothing delays has a frame every 16.7 ms.',
  metrics: [
    { id: 'frame50Ms', title: 'p50', unit: 'ms', digits: 1 },
    { id: 'frame95Ms', title: 'p95', unit: 'ms', digits: 1 },
    { id: 'frameMaxMs', title: 'longest', unit: 'ms', digits: 1 },
  ],
  cases: (settings) =>
    [
      { id: 'messages', title: `scrolling through ${MESSAGES.toLocaleString('en-US')} messages` },
      { id: 'tools', title: `scrolling through ${TOOLS.toLocaleString('en-US')} tools` },
      { id: 'servers', title: `${SERVERS} servers, all of them busy` },
    ].map((one) => ({
      ...one,
      contenders: ['plumb'],
      rounds: 1,
      turns: settings.quick ? 1 : 5,
      targets: [{ metric: 'frame95Ms', title: 'ms, p95', atMost: 50 }],
    })),
  open: async (_contender, { id }) => {
    const scene = SCENES[id];
    if (scene === undefined) throw new Error(`No scene ${id}`);
    if (!existsSync(CHROMIUM)) throw new Error('Chromium is missing: set PLUMB_CHROMIUM to its path');
    const inspector = await startInspector(['inspect']);
    return orStop(inspector.stop, () => openScene(inspector, scene));
  },
};

/**
 * @param {RunningInspector} inspector
 * @param {Scene} scene
 * @returns {Promise<import('../suite.mjs').Opened>}
 */
async function openScene(inspector, { prepare, shown, step, load = false }) {
  const hash = await prepare(inspector);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  const close = async () => {
    await browser.close();
    await inspector.stop();
  };
  return orStop(close, async () => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${inspector.url}${hash}`);
    await page.locator(shown).first().waitFor();
    const { servers } = load ? await serversOf(inspector) : { servers: [] };
    const turn = async () => {
      const calls = new AbortController();
      const busy = servers.map((server) => keepCalling(inspector, server, calls.signal));
      const times = /** @type {number[]} */ (await page.evaluate(framesWith(step)));
      calls.abort();
      await Promise.all(busy);
      times.sort((one, other) => one - other);
      const at = (/** @type {number} */ share) => times[Math.ceil(times.length * share) - 1] ?? 0;
      return { frame50Ms: at(0.5), frame95Ms: at(0.95), frameMaxMs: at(1) };
    };
    return { turn, close };
  });
}

/** @param {string} step */
function framesWith(step) {
  return `new Promise((resolve) => {
    const times = [];
    let frame = 0;
    let before;
    const draw = (now) => {
      if (before !== undefined) times.push(now - before);
      before = now;
      if (frame === ${FRAMES}) return resolve(times);
      ${step}
      frame += 1;
      requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
  })`;
}

/**
 * @param {RunningInspector} inspector
 * @param {string} name
 * @param {string[]} args
 */
async function addDemo(inspector, name, args) {
  const command = [join(dist, 'cli', 'plumb.cjs'), 'demo', ...args];
  const { id } = await inspector.ask('servers.add', {
    kind: 'command',
    command: process.execPath,
    args: command,
    name,
  });
  return whenReady(inspector, id);
}

/** @param {RunningInspector} inspector */
async function serversOf({ ask }) {
  const { figures } = await ask('figures.get', {});
  return { servers: figures.map(({ server }) => server) };
}

/**
 * @param {RunningInspector} inspector
 * @param {string} server
 * @param {AbortSignal} signal
 */
async function keepCalling({ ask }, server, signal) {
  const target = { kind: /** @type {const} */ ('tool'), name: 'echo', arguments: { message: 'hello' } };
  for (let count = 0; !signal.aborted; count += 1) {
    await ask('calls.run', { server, callId: `${server}-${count}`, target });
  }
}

/**
 * The messages of one call, again and again, as a file that is imported.
 *
 * @param {RunningInspector} inspector
 * @param {number} count
 */
async function record(inspector, count) {
  const server = await addDemo(inspector, 'demo', []);
  const target = { kind: /** @type {const} */ ('tool'), name: 'echo', arguments: { message: 'hello' } };
  await inspector.ask('calls.run', { server, callId: 'one', target });
  const exported = await fetch(new URL('api/timeline.export', inspector.url), {
    method: 'POST',
    headers: inspector.headers,
    body: JSON.stringify({ format: 'jsonl' }),
  });
  const lines = (await exported.text()).trim().split('\n');
  const text = Array.from({ length: count }, (_, index) => lines[index % lines.length]).join('\n');
  await inspector.ask('timeline.import', { name: 'many.jsonl', text });
}
