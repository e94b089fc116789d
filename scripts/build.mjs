/**
 * Compiles src/ into dist/, unless dist/ already comes from these very sources, and bundles the inspector's page.
 * On its own: `node scripts/build.mjs`.
 */
import { existsSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { buildPage } from './build-page.mjs';
import { cache, isMain, root, runTool } from './run.mjs';
import { filesUnder, hashFiles, readStamp, writeStamp } from './stamp.mjs';

const source = join(root, 'src');
const dist = join(root, 'dist');
const stamp = join(cache, 'build.json');

/** Browser code, which has a build of its own. */
const page = join(source, 'inspector', 'web') + sep;

/** @returns {Promise<import('./run.mjs').Outcome>} */
export async function build() {
  const compiled = await compile();
  if (!compiled.ok) return compiled;
  const bundled = await buildPage();
  if (!bundled.ok || bundled.note === 'up to date') return bundled.ok ? compiled : bundled;
  return { ...bundled, output: compiled.output };
}

/** @returns {Promise<import('./run.mjs').Outcome>} */
async function compile() {
  const files = filesUnder(source).filter((file) => !file.startsWith(page));
  const hash = hashFiles([...files, join(root, 'tsconfig.json'), join(root, 'package-lock.json')]);
  const modules = files.map((file) => relative(source, file)).filter((file) => file.endsWith('.ts'));
  /** @type {{ hash: string, modules: string[] } | undefined} */
  const last = JSON.parse(readStamp(stamp) ?? 'null') ?? undefined;
  const complete = last?.modules.every((module) => existsSync(join(dist, withoutExtension(module, '.js'))));
  if (complete && last?.hash === hash) return { ok: true, output: '', note: 'up to date' };

  if (!complete) {
    // The compiler trusts its own notes and would not write again what someone deleted from dist/.
    rmSync(dist, { recursive: true, force: true });
    rmSync(join(cache, 'build.tsbuildinfo'), { force: true });
  }
  const result = await runTool('@typescript/native', 'tsc', ['-p', 'tsconfig.json']);
  if (!result.ok) return result;
  for (const module of last?.modules ?? []) if (!modules.includes(module)) removeOutputs(module);
  writeStamp(stamp, JSON.stringify({ hash, modules }));
  return result;
}

/**
 * @param {string} module
 * @param {string} extension
 */
function withoutExtension(module, extension) {
  return module.replace(/\.ts$/, extension);
}

/** @param {string} module a source that is gone */
function removeOutputs(module) {
  for (const extension of ['.js', '.js.map', '.d.ts', '.d.ts.map']) {
    rmSync(join(dist, withoutExtension(module, extension)), { force: true });
  }
}

if (isMain(import.meta)) {
  const result = await build();
  process.stdout.write(result.output);
  process.exitCode = result.ok ? 0 : 1;
}
