/**
 * Joins the modules of src/ into the few files that Node loads from dist/: an entry for each way in, and chunks/ for
 * what they share and for what is loaded when it is needed. Declarations are the compiler's (build.mjs).
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { root } from './run.mjs';

const source = join(root, 'src');
const LICENSES = 'THIRD-PARTY-LICENSES.txt';

/** The command of the package, in one CommonJS file: Node starts it faster than a module. */
const COMMAND = 'cli/plumb';

/** Ways in beside the exports of the package: its commands, and what scripts of this repository load by path. */
const INSIDE = [
  'cli/main',
  'chain/config-schema',
  'cli/demo/server',
  'client/connection/machine',
  'inspector/checking/check-worker',
  'inspector/inspector',
  'inspector/watch-chain',
];

/**
 * Modules that need Node, each behind one lazy import. dist/ imports them by these names of package.json, so that
 * bundlers and runtimes without Node get `protocol/without-node` in their place.
 */
const DOORS = {
  '#node/serve-stdio': 'server/node-stdio',
  '#node/stdio': 'transports/stdio/index',
  '#node/listen': 'server/http/node-service',
  '#node/request': 'transports/http/client/node-requester',
  '#node/guarded-fetch': 'auth/client/node-fetch',
  '#node/loopback': 'auth/client/node-loopback',
  '#node/file-store': 'auth/client/node-file-store',
  '#node/commands': 'chain/servers/node-commands',
  '#node/skills-folder': 'server/node-skills-folder',
  '#node/ajv': 'protocol/schema/ajv',
  '#node/linear-engine': 'protocol/schema/linear-engine',
  '#node/tasks': 'server/tasks/index',
};

/**
 * Packages of which dist/ holds the code that is used, so that users install fewer and less. They are development
 * dependencies; dist/THIRD-PARTY-LICENSES.txt has their terms, and those of what they bring with them.
 */
export const INLINED = [
  '@cfworker/json-schema',
  'ajv',
  'eventsource-parser',
  'jsonc-parser',
  're2js',
  'smol-toml',
  'yaml',
];

/**
 * What is always loaded together is one file: each takes what these modules import, lazy imports aside, and an earlier
 * one has not taken. So every chunk imports only earlier ones. What none takes is split where the lazy imports are.
 *
 * @type {{ name: string, from: string, sharedWith?: string[] }[]}
 */
const CHUNKS = [
  {
    name: 'base',
    from: 'server/index',
    sharedWith: ['client/index', 'transports/index', 'middleware/index', 'auth/index'],
  },
  { name: 'base', from: 'protocol/index' },
  // Needs no Node, and HTTP uses some of it too.
  { name: 'base', from: 'transports/stdio/reader' },
  // Used by clients and by middleware, of which neither needs the other.
  { name: 'base', from: 'middleware/tool-index' },
  { name: 'base', from: 'middleware/canonical' },
  { name: 'base', from: 'protocol/duration' },
  { name: 'base', from: 'protocol/timer' },
  { name: 'base', from: 'protocol/deadline' },
  { name: 'base', from: 'protocol/version' },
  { name: 'base', from: 'extensions/index' },
  { name: 'base', from: 'framing/sse' },
  { name: 'base', from: 'protocol/schema/validator' },
  { name: 'base', from: 'server/connection', sharedWith: ['client/index'] },
  { name: 'serving', from: 'server/index' },
  // Every server needs it, whatever it is served over.
  { name: 'serving', from: 'server/intake' },
  { name: 'serving', from: 'protocol/abortable' },
  { name: 'calling', from: 'client/index' },
  // What is loaded lazily, the smallest first: what two of them share is in the first one that has it.
  { name: 'secrets', from: 'protocol/secrets' },
  { name: 'secrets', from: 'protocol/telling-line' },
  { name: 'http-parts', from: 'transports/http/node-body' },
  { name: 'http-parts', from: 'transports/http/server/guard' },
  { name: 'http-parts', from: 'server/http/refusals' },
  { name: 'seldom', from: 'server/questions' },
  { name: 'seldom', from: 'server/uri-match' },
  { name: 'seldom', from: 'protocol/revisions/ask-encoding' },
  { name: 'serving-stdio', from: 'transports/stdio/server' },
  { name: 'process-group', from: 'transports/stdio/process-group' },
  { name: 'calling-stdio', from: 'transports/stdio/index' },
  { name: 'replaced-files', from: 'transports/stdio/replace-file' },
  { name: 'memory-store', from: 'store/memory' },
  { name: 'redis-store', from: 'store/index' },
  { name: 'listening', from: 'transports/http/server/node-server' },
  { name: 'calling-http', from: 'transports/http/client/transport' },
  { name: 'proxies', from: 'transports/http/client/node-proxy' },
  { name: 'calling-node', from: 'transports/http/client/node-requester' },
  { name: 'task-records', from: 'extensions/tasks/record' },
  { name: 'task-follower', from: 'client/features/start-task' },
  { name: 'item-rules', from: 'middleware/item-rules' },
  { name: 'skills', from: 'extensions/skills/entry' },
  // Needs no Node, and server and client load it for skills alone.
  { name: 'skill-manifest', from: 'extensions/skills/manifest' },
  { name: 'skill-reader', from: 'client/features/skill-reader' },
  { name: 'layers', from: 'middleware/index' },
  { name: 'chaining', from: 'chain/index' },
  { name: 'lock-files', from: 'chain/node-lock-file' },
  { name: 'chain-config', from: 'chain/node' },
  { name: 'program', from: 'cli/program/program' },
  { name: 'inspecting', from: 'inspector/inspector' },
];

/**
 * @param {string} id
 * @param {string | undefined} importer
 */
function isInlined(id, importer) {
  if (INLINED.some((name) => id === name || id.startsWith(`${name}/`))) return true;
  // What an inlined package imports goes with it.
  return importer?.includes(`${sep}node_modules${sep}`) ?? false;
}

/** @returns {string[]} modules of src/, without their extension */
function entries() {
  /** @type {{ exports: Record<string, string | { default?: string }> }} */
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const exported = Object.values(exports).flatMap((target) =>
    typeof target === 'string' || target.default === undefined
      ? []
      : [target.default.replace(/^\.\/dist\/(.*)\.js$/, '$1')],
  );
  return [...new Set([...INSIDE, 'protocol/without-node', ...Object.values(DOORS), ...exported])];
}

/**
 * @param {string} directory
 * @returns {Promise<{ files: string[] } | { problem: string }>} what it wrote there
 */
export async function bundle(directory) {
  // Loaded only when there is something to do.
  const [{ rolldown }, { minifySync }] = await Promise.all([import('rolldown'), import('rolldown/utils')]);
  /** What each module loads at once. @type {Map<string, readonly string[]>} */
  const imports = new Map();
  /** @type {string[]} */
  const problems = [];
  const build = await rolldown({
    input: Object.fromEntries(entries().map((entry) => [entry, file(entry)])),
    external: (id, importer) => !id.startsWith('.') && !id.startsWith(root) && !isInlined(id, importer),
    resolve: { mainFields: ['module', 'main'], conditionNames: ['import', 'default'] },
    // Nothing of Node in what runs wherever fetch does.
    platform: 'neutral',
    tsconfig: join(root, 'tsconfig.json'),
    transform: { target: 'es2023' },
    plugins: [
      {
        name: 'doors',
        resolveId: (specifier, importer, { kind }) => {
          if (kind !== 'dynamic-import' || importer === undefined || !specifier.startsWith('.'))
            return undefined;
          const target = join(dirname(importer), specifier).replace(/\.js$/, '.ts');
          const door = Object.entries(DOORS).find(([, module]) => file(module) === target);
          return door === undefined ? undefined : { id: door[0], external: true };
        },
      },
      {
        // Chunks of inlined packages, with nothing of ours to read but perhaps the module that imports them. At the end,
        // because what a plugin renders is printed with white space again.
        name: 'minified-packages',
        generateBundle: (_options, written) => {
          for (const chunk of Object.values(written)) {
            if (chunk.type !== 'chunk') continue;
            const ours = chunk.moduleIds.filter((id) => id.startsWith(source));
            if (ours.length > 1 || ours.length === chunk.moduleIds.length) continue;
            const { fileName, map: inputMap } = chunk;
            const mapped = written[`${fileName}.map`];
            if (inputMap === null || mapped?.type !== 'asset')
              throw new Error(`${fileName} has no source map`);
            const { code, map } = minifySync(fileName, chunk.code, {
              module: true,
              sourcemap: true,
              inputMap,
            });
            chunk.code = code;
            mapped.source = JSON.stringify(map);
          }
        },
      },
      {
        name: 'imports',
        moduleParsed: ({ id, importedIds }) => void imports.set(id, importedIds),
      },
    ],
    onLog: (level, { message }) => {
      if (level === 'warn') problems.push(message);
    },
  });
  try {
    /** @type {Map<string, string> | undefined} */
    let chunks;
    const chunkOf = (/** @type {string} */ id) => {
      chunks ??= assign(imports);
      return chunks.get(id);
    };
    const { output } = await build.write({
      dir: directory,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name].js',
      minifyInternalExports: false,
      // For tests and profiles; the package has neither maps nor sources, and its code is readable as it is.
      sourcemap: 'hidden',
      sourcemapExcludeSources: true,
      codeSplitting: {
        groups: CHUNKS.map(({ name }) => ({ name, test: (id) => chunkOf(id) === name })),
      },
    });
    for (const chunk of output) if (chunk.type === 'chunk') problems.push(...renamedClasses(chunk));
    if (problems.length > 0) return { problem: problems.join('\n') };
    writeFileSync(join(directory, LICENSES), licensesOf([...imports.keys()]));
    const files = [...output.map(({ fileName }) => fileName), await bundleCommand(directory)];
    return { files: [LICENSES, ...files.map((name) => name.split('/').join(sep))] };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  } finally {
    await build.close();
  }
}

/**
 * @param {string} directory
 * @returns {Promise<string>} its path there
 */
async function bundleCommand(directory) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input: file(COMMAND),
    external: (id) => id.startsWith('node:') || id === './main.js',
    platform: 'node',
    tsconfig: join(root, 'tsconfig.json'),
    transform: { target: 'es2023' },
  });
  const path = `${COMMAND}.cjs`;
  await build.write({ file: join(directory, path), format: 'cjs' });
  await build.close();
  return path;
}

/**
 * The terms of the packages that these modules belong to.
 *
 * @param {string[]} modules
 */
function licensesOf(modules) {
  const folder = `${sep}node_modules${sep}`;
  const packages = new Set(
    modules
      .filter((id) => id.includes(folder))
      .map((id) => {
        const start = id.lastIndexOf(folder) + folder.length;
        return id.slice(0, start) + /^(@[^/\\]+[/\\])?[^/\\]+/.exec(id.slice(start))?.[0];
      }),
  );
  const texts = [...packages].sort().map((directory) => {
    const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    const file = readdirSync(directory).find((entry) => /^licen[cs]e/i.test(entry));
    const terms =
      file === undefined ? `License: ${license}` : readFileSync(join(directory, file), 'utf8').trim();
    return `${name} ${version}\n\n${terms}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/**
 * Two modules of one chunk may not give a class the same name: one would get another, and errors bear the names of
 * their classes.
 *
 * @param {{ fileName: string, code: string }} chunk
 */
function renamedClasses({ fileName, code }) {
  return [...code.matchAll(/^(?:var|let|const|class) (\w+)\$\d+ (?:= class\b|extends\b|\{)/gm)].map(
    ([, name]) => `Two classes ${name} are in ${fileName}; rename one of them.`,
  );
}

/**
 * @param {ReadonlyMap<string, readonly string[]>} imports
 * @returns {Map<string, string>} the chunk of a module, where one takes it
 */
function assign(imports) {
  /** @type {Map<string, string>} */
  const taken = new Map();
  for (const { name, from, sharedWith } of CHUNKS) {
    const shared = new Set(sharedWith?.flatMap((module) => [...reach(file(module), imports)]));
    for (const id of reach(file(from), imports)) {
      if (!taken.has(id) && (sharedWith === undefined || shared.has(id))) taken.set(id, name);
    }
  }
  return taken;
}

/**
 * @param {string} module
 * @param {ReadonlyMap<string, readonly string[]>} imports
 * @returns {Set<string>} it and all that it loads at once, packages aside
 */
function reach(module, imports) {
  if (!imports.has(module)) throw new Error(`No module ${relative(root, module)} is bundled`);
  const found = new Set([module]);
  for (const id of found) for (const next of imports.get(id) ?? []) if (imports.has(next)) found.add(next);
  return found;
}

/** @param {string} module */
function file(module) {
  return join(source, `${module}.ts`);
}
