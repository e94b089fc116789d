/**
 * What a user installs: its size, how many packages come with it, and that every file of dist/ is reached from an entry
 * of package.json.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { npm } from './install.mjs';
import { root } from './run.mjs';
import { filesUnder } from './stamp.mjs';

const MAX_BYTES = 6 * 1024 * 1024;
const MAX_PACKAGES = 15;
const dist = join(root, 'dist');

/** @returns {Promise<import('./run.mjs').Outcome>} */
export async function checkInstalled() {
  const packed = await npm(['pack', '--dry-run', '--json', '--ignore-scripts'], root);
  const list = packed.output.slice(packed.output.indexOf('['), packed.output.lastIndexOf(']') + 1);
  if (!packed.ok || list === '') return { ...packed, ok: false };
  /** @type {[{ unpackedSize: number, files: { path: string }[] }]} */
  const [{ unpackedSize, files }] = JSON.parse(list);
  const packages = productionPackages();
  const others = packages.reduce((sum, path) => sum + sizeOf(join(root, path)), 0);
  const bytes = unpackedSize + others;
  const count = packages.length + 1;
  const reached = reachedFiles();
  const stray = files
    .map(({ path }) => path)
    .filter((path) => /^dist\/.*\.(js|d\.ts)$/.test(path) && !reached.has(path));
  const problems = [
    ...(bytes > MAX_BYTES ? [`A user installs ${bytes} bytes; at most ${MAX_BYTES} are allowed.`] : []),
    ...(count > MAX_PACKAGES
      ? [`A user installs ${count} packages; at most ${MAX_PACKAGES} are allowed.`]
      : []),
    ...stray.map((path) => `${path} is in the package, and no entry leads to it.`),
  ];
  const note = `${(bytes / 1e6).toFixed(1)} MB in ${count} packages`;
  return { ok: problems.length === 0, output: problems.map((line) => `${line}\n`).join(''), note };
}

/** @returns {string[]} the folders of the packages that come with ours */
function productionPackages() {
  /** @type {{ packages: Record<string, { dev?: boolean, devOptional?: boolean, peer?: boolean, optional?: boolean }> }} */
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(
      ([path, entry]) => path !== '' && !entry.dev && !entry.devOptional && !entry.peer && !entry.optional,
    )
    .map(([path]) => path);
}

/** @param {string} directory */
function sizeOf(directory) {
  return filesUnder(directory).reduce((sum, file) => sum + readFileSync(file).length, 0);
}

/** @returns {Set<string>} paths in the package */
function reachedFiles() {
  const entries =
    readFileSync(join(root, 'package.json'), 'utf8').match(/dist\/[\w./-]+\.(?:d\.ts|c?js)/g) ?? [];
  const reached = new Set(entries.map((path) => join(root, path)));
  for (const page of filesUnder(join(dist, 'inspector', 'web'))) reached.add(page);
  // Started by its path, as a thread.
  reached.add(join(dist, 'inspector', 'checking', 'check-worker.js'));
  for (const file of reached) {
    if (!existsSync(file)) continue;
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(
      /\b(?:from|import|import\()\s*['"`](\.[^'"`]+)['"`]/g,
    )) {
      const target = join(dirname(file), specifier);
      reached.add(file.endsWith('.d.ts') ? target.replace(/\.js$/, '.d.ts') : target);
    }
  }
  return new Set([...reached].map((file) => relative(root, file).split(sep).join('/')));
}
