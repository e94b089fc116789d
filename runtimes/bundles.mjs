/**
 * What a bundler makes of the server and the client for a browser or a Worker: complete, without Node, and small. Two
 * sizes count. `whole`: everything in one file. `loaded`: where the bundler splits at lazy imports, the files that are
 * loaded until a server with one tool has answered clients of both eras, and the client has these answers.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from './bundler.mjs';

/** @typedef {{ loaded: number, whole: number }} Sizes  in bytes, compressed */
/** @typedef {{ name: string, limits: Sizes, sizes: Sizes, problem: string | undefined }} Bundle */
/** @typedef {'neutral' | 'browser'} Platform */
/** @typedef {{ entry: string, name: 'createServer' | 'connect', limits: Sizes }} Entry */

/** @type {Entry} */
const SERVER = { entry: 'plumb-mcp/server', name: 'createServer', limits: { loaded: 60_000, whole: 79_000 } };
/** @type {Entry} */
const CLIENT = { entry: 'plumb-mcp/client', name: 'connect', limits: { loaded: 60_000, whole: 99_000 } };

/** The newest revision of each era. */
const REVISIONS = ['2026-07-28', '2025-11-25'];

/**
 * @param {string} folder  where the package is installed
 * @returns {Promise<Bundle[]>}
 */
export async function makeBundles(folder) {
  /** @type {Bundle[]} */
  const bundles = [];
  for (const platform of /** @type {const} */ (['neutral', 'browser'])) {
    const server = await splitBundle(folder, platform, SERVER);
    const client = await splitBundle(folder, platform, CLIENT);
    await use((await server.load()).createServer, (await client.load()).connect);
    for (const [entry, split] of /** @type {const} */ ([
      [SERVER, server],
      [CLIENT, client],
    ])) {
      const { bytes, left } = await wholeBundle(folder, platform, entry);
      const sizes = { loaded: split.loaded(), whole: bytes };
      const problem = left === undefined ? tooLarge(sizes, entry.limits) : `imports ${left}`;
      bundles.push({
        name: `\`${entry.entry}\`, platform ${platform}`,
        limits: entry.limits,
        sizes,
        problem,
      });
    }
  }
  return bundles;
}

/**
 * One tool, called by clients of both eras over `fetch`, without a network.
 *
 * @param {Function} createServer
 * @param {Function} connect
 */
async function use(createServer, connect) {
  const server = createServer({ name: 'bundled', version: '1.0.0' });
  const input = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
  server.tool('add', { input }, (/** @type {{ a: number }} */ { a }) => a + 1);
  for (const revision of REVISIONS) {
    const client = await connect('http://localhost/mcp', {
      revisions: [revision],
      fetch: (/** @type {string} */ url, /** @type {RequestInit} */ init) =>
        server.fetch(new Request(url, init)),
    });
    const tools = await client.tools.list();
    const { content } = await client.tools.call('add', { a: 1 });
    if (tools.length !== 1 || content[0].text !== '2') throw new Error('The bundled server does not work');
    await client.close();
  }
  await server.close();
}

/**
 * @param {string} folder
 * @param {Platform} platform
 * @param {Entry} entry
 */
async function wholeBundle(folder, platform, entry) {
  const { outputFiles, metafile } = await build({ ...options(folder, platform, entry) });
  const left = Object.values(metafile.outputs).flatMap(({ imports }) => imports)[0]?.path;
  return { bytes: compressed(outputFiles[0]?.text ?? ''), left };
}

/**
 * Files that note that they are loaded.
 *
 * @param {string} folder
 * @param {Platform} platform
 * @param {Entry} entry
 */
async function splitBundle(folder, platform, entry) {
  const outdir = join(folder, 'bundles', `${entry.name}-${platform}`);
  const { outputFiles } = await build({ ...options(folder, platform, entry), splitting: true, outdir });
  mkdirSync(outdir, { recursive: true });
  writeFileSync(join(outdir, 'package.json'), '{ "type": "module" }');
  /** @type {Set<string>} */
  const loaded = new Set();
  const noted = `bundled ${outdir}`;
  Reflect.set(globalThis, noted, loaded);
  for (const { path, text } of outputFiles) {
    const note = `\nglobalThis[${JSON.stringify(noted)}].add(${JSON.stringify(basename(path))});\n`;
    writeFileSync(join(outdir, basename(path)), text + note);
  }
  return {
    load: () => import(pathToFileURL(join(outdir, 'stdin.js')).href),
    loaded: () =>
      outputFiles
        .filter(({ path }) => loaded.has(basename(path)))
        .reduce((sum, { text }) => sum + compressed(text), 0),
  };
}

/**
 * @param {string} folder
 * @param {Platform} platform
 * @param {Entry} entry
 */
function options(folder, platform, { entry, name }) {
  return {
    stdin: { contents: `export { ${name} } from '${entry}';`, resolveDir: join(folder, 'programs') },
    minify: true,
    platform,
    write: false,
    logLevel: 'silent',
  };
}

/** @param {string} text */
function compressed(text) {
  return gzipSync(text).length;
}

/**
 * @param {Sizes} sizes
 * @param {Sizes} limits
 */
function tooLarge(sizes, limits) {
  if (sizes.whole > limits.whole)
    return `has ${sizes.whole} bytes compressed; at most ${limits.whole} are allowed`;
  if (sizes.loaded > limits.loaded)
    return `loads ${sizes.loaded} bytes compressed; at most ${limits.loaded} are allowed`;
  return undefined;
}
