/**
 * Bundles the inspector's page, src/inspector/web, into dist/inspector/web, unless what is there comes from
 * these very sources. Fails when the page has become heavier than its budget.
 * On its own: `node scripts/build-page.mjs`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { cache, isMain, root } from './run.mjs';
import { filesUnder, hashFiles, readStamp, writeStamp } from './stamp.mjs';

const source = join(root, 'src', 'inspector', 'web');
/** What the page shares with the process behind it. */
const shared = ['inspector/api', 'protocol', 'jsonrpc'].map((room) => join(root, 'src', room));
const output = join(root, 'dist', 'inspector', 'web');
const stamp = join(cache, 'page.json');

/** Everything that a browser loads, compressed. */
const BUDGET_BYTES = 450_000;

/** @returns {Promise<import('./run.mjs').Outcome>} */
export async function buildPage() {
  const files = [source, ...shared].flatMap(filesUnder);
  const hash = hashFiles([
    ...files,
    join(root, 'scripts', 'build-page.mjs'),
    join(root, 'package-lock.json'),
  ]);
  /** @type {{ hash: string, outputs: string[] } | undefined} */
  const last = JSON.parse(readStamp(stamp) ?? 'null') ?? undefined;
  const complete = last?.outputs.every((file) => existsSync(join(output, file)));
  if (complete && last?.hash === hash) return { ok: true, output: '', note: 'up to date' };

  const problem = await bundle();
  if (problem !== undefined) return { ok: false, output: `${problem}\n` };
  const outputs = filesUnder(output);
  const weight = outputs.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0);
  const note = `page of ${Math.round(weight / 1000)} kB compressed`;
  if (weight > BUDGET_BYTES) {
    return { ok: false, output: `The ${note} is over its budget of ${BUDGET_BYTES / 1000} kB.\n`, note };
  }
  writeStamp(stamp, JSON.stringify({ hash, outputs: outputs.map((file) => relative(output, file)) }));
  return { ok: true, output: '', note };
}

/**
 * The validator of forms matches the patterns of servers with RegExp and has no option for another engine, so its two
 * expressions are made by our own module, in linear time.
 *
 * @type {import('vite').Plugin}
 */
const linearPatterns = {
  name: 'linear-patterns',
  transform(code, id) {
    if (!/@cfworker\/json-schema\/dist\/\w+\/validate\.js$/.test(id.replaceAll('\\', '/'))) return undefined;
    const parts = code.split('new RegExp(');
    if (parts.length !== 3)
      throw new Error(`${id} makes ${parts.length - 1} regular expressions instead of 2; look at it again`);
    const module = JSON.stringify(join(source, 'form', 'page-patterns.ts').replaceAll('\\', '/'));
    return { code: `import { pagePattern } from ${module};\n${parts.join('pagePattern(')}`, map: null };
  },
};

/** @returns {Promise<string | undefined>} what went wrong */
async function bundle() {
  // Loaded only when there is something to do: most builds change nothing here.
  const { build } = await import('vite');
  const before = process.env.NODE_ENV;
  // Also where tests call this, whose environment says otherwise: it decides which React is bundled.
  process.env.NODE_ENV = 'production';
  try {
    await build({
      root: source,
      configFile: false,
      envDir: false,
      logLevel: 'error',
      mode: 'production',
      // Served under any path.
      base: './',
      plugins: [linearPatterns],
      build: {
        outDir: output,
        emptyOutDir: true,
        target: 'es2022',
        // The policy of the page allows no data: scripts and styles, and inlined files gain nothing.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
        chunkSizeWarningLimit: 2_000,
      },
    });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

if (isMain(import.meta)) {
  const result = await buildPage();
  process.stdout.write(result.output);
  process.exitCode = result.ok ? 0 : 1;
}
