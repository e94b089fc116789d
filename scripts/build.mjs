/**
 * Makes dist/ from src/, unless it already comes from these very sources: the compiler writes the declarations,
 * bundle.mjs the JavaScript, build-page.mjs the inspector's page.
 * On its own: `node scripts/build.mjs`.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
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
 * Copies the declarations that the entries of the package lead to, and writes those of its `types/`.
 *
 * @returns {string[]} their paths below dist/
 */
function copyDeclarations() {
  /** @type {{ exports: Record<string, string | { types: string }> }} */
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const places = Object.entries(exports).flatMap(([name, target]) =>
    typeof target === 'string' ? [] : [{ name, path: target.types.replace('./dist/', '') }],
  );
  const isList = (/** @type {{ name: string }} */ { name }) => name.startsWith('./types/');
  const entries = places.filter((place) => !isList(place));
  const files = entries.map(({ path }) => join(declared, path));
  /** @type {Map<string, string>} */
  const texts = new Map();
  for (const file of reach(files)) texts.set(relative(declared, file), declarationsOf(file));
  const lists = places.filter(isList).map(({ name, path }) => {
    const entry = entries.find((place) => name === place.name.replace('./', './types/'))?.path;
    if (entry === undefined) throw new Error(`package.json has ${name}, and no entry of that name`);
    const listed = [...reach([join(declared, entry)])].filter((file) => !files.includes(file));
    return { path, entry, listed: new Set(listed) };
  });
  for (const { path, entry, listed } of lists) {
    texts.set(path, typeList(listed, lists));
    // So that the compiler knows the list wherever the entry is used.
    const up = '../'.repeat(entry.split('/').length - 1);
    texts.set(entry, `${texts.get(entry)}import type {} from '${up}${path.replace('.d.ts', '.js')}';\n`);
  }
  for (const [path, text] of texts) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    writeFileSync(join(dist, path), text);
  }
  return [...texts.keys()].map((path) => path.split('/').join(sep));
}

/**
 * @param {string[]} entries
 * @returns {Set<string>} the declarations that they lead to, and they themselves
 */
function reach(entries) {
  const reached = new Set(entries);
  for (const file of reached) {
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g))
      reached.add(join(dirname(file), specifier.replace(/\.js$/, '.d.ts')));
  }
  return reached;
}

/**
 * Every type of these declarations by name. A project that writes declarations of its own (`declaration: true`) has to
 * name the types that the compiler has inferred, and it can name only what an entry of the package exports (TS2742).
 * A list that contains others refers to them.
 *
 * @param {ReadonlySet<string>} files
 * @param {readonly { path: string, listed: ReadonlySet<string> }[]} lists
 */
function typeList(files, lists) {
  const rest = new Set(files);
  const contained = lists
    .filter(({ listed }) => listed.size < files.size && [...listed].every((file) => files.has(file)))
    .sort((one, other) => other.listed.size - one.listed.size)
    .filter(({ listed }) => [...listed].filter((file) => rest.delete(file)).length > 0)
    .map(({ path }) => `export type * from './${basename(path, '.d.ts')}.js';\n`);
  const lines = [...rest].sort().flatMap((file) => {
    const found = readFileSync(file, 'utf8').matchAll(
      /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm,
    );
    const names = [...new Set([...found].map(([, name]) => name))].sort();
    const module = `../${relative(declared, file)
      .split(sep)
      .join('/')
      .replace(/\.d\.ts$/, '.js')}`;
    return names.length === 0 ? [] : [`export type { ${names.join(', ')} } from '${module}';\n`];
  });
  return `/** For the compiler, which names inferred types by it. Import types from the other entries of the package. */\n${[...contained, ...lines].join('')}`;
}

/**
 * Where a project has no types of Node, what we import of them is `any`, and the rest of the declarations compiles.
 * Indented by tabs, which are smaller than the four spaces of the compiler.
 *
 * @param {string} file
 */
function declarationsOf(file) {
  return readFileSync(file, 'utf8')
    .replace(/^import (?:type )?[^;]* from 'node:[^']+';$/gm, '// @ts-ignore: needs @types/node\n$&')
    .replace(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4));
}

if (isMain(import.meta)) {
  const result = await build();
  process.stdout.write(result.output);
  process.exitCode = result.ok ? 0 : 1;
}
