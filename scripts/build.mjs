/**
 * Makes dist/ from src/, unless it already comes from these very sources: the compiler writes the declarations,
 * bundle.mjs the JavaScript, build-page.mjs the inspector's page.
 * On its own: `node scripts/build.mjs`.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { buildPage } from './build-page.mjs';
import { bundle } from './bundle.mjs';
import { cache, isMain, root, runTool } from './run.mjs';
import { filesUnder, hashFiles, readStamp, writeStamp } from './stamp.mjs';

const source = join(root, 'src');
const dist = join(root, 'dist');
const declared = join(cache, 'declarations');
const stamp = join(cache, 'build.json');

/** What decides the outcome beside the sources. */
const settings = [
  'tsconfig.json',
  'package.json',
  'package-lock.json',
  join('scripts', 'build.mjs'),
  join('scripts', 'bundle.mjs'),
].map((file) => join(root, file));

/** Browser code, which has a build of its own. */
const page = join(source, 'inspector', 'web') + sep;

/** @returns {Promise<import('./run.mjs').Outcome>} */
export async function build() {
  const compiled = await compile();
  if (!compiled.ok) return compiled;
  const made = await buildPage();
  if (!made.ok || made.note === 'up to date') return made.ok ? compiled : made;
  return { ...made, output: compiled.output };
}

/** @returns {Promise<import('./run.mjs').Outcome>} */
async function compile() {
  const files = filesUnder(source).filter((file) => !file.startsWith(page));
  const hash = hashFiles([...files, ...settings]);
  /** @type {{ hash: string, outputs: string[] } | undefined} */
  const last = JSON.parse(readStamp(stamp) ?? 'null') ?? undefined;
  const complete = last?.outputs?.every((file) => existsSync(join(dist, file)));
  if (complete && last?.hash === hash) return { ok: true, output: '', note: 'up to date' };

  if (!complete) {
    // The compiler trusts its own notes and would not write again what someone deleted from dist/.
    rmSync(dist, { recursive: true, force: true });
    rmSync(declared, { recursive: true, force: true });
    rmSync(join(cache, 'build.tsbuildinfo'), { force: true });
  }
  const result = await runTool('@typescript/native', 'tsc', ['-p', 'tsconfig.json', '--outDir', declared]);
  if (!result.ok) return result;
  const bundled = await bundle(dist);
  if ('problem' in bundled) return { ok: false, output: `${bundled.problem}\n` };
  const outputs = [...copyDeclarations(), ...bundled.files];
  for (const file of last?.outputs ?? [])
    if (!outputs.includes(file)) rmSync(join(dist, file), { force: true });
  writeStamp(stamp, JSON.stringify({ hash, outputs }));
  return result;
}

/**
 * Copies the declarations that the entries of the package lead to.
 *
 * @returns {string[]} their paths below dist/
 */
function copyDeclarations() {
  /** @type {{ exports: Record<string, string | { types: string }> }} */
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const reached = new Set(
    Object.values(exports).flatMap((target) =>
      typeof target === 'string' ? [] : [join(declared, target.types.replace('./dist/', ''))],
    ),
  );
  for (const file of reached) {
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g))
      reached.add(join(dirname(file), specifier.replace(/\.js$/, '.d.ts')));
  }
  return [...reached].map((file) => {
    const path = relative(declared, file);
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    writeFileSync(join(dist, path), withoutNodeTypes(readFileSync(file, 'utf8')));
    return path;
  });
}

/**
 * Where a project has no types of Node, what we import of them is `any`, and the rest of the declarations compiles.
 *
 * @param {string} text
 */
function withoutNodeTypes(text) {
  return text.replace(
    /^import (?:type )?[^;]* from 'node:[^']+';$/gm,
    '// @ts-ignore: needs @types/node\n$&',
  );
}

if (isMain(import.meta)) {
  const result = await build();
  process.stdout.write(result.output);
  process.exitCode = result.ok ? 0 : 1;
}
