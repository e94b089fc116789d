import { readFileSync } from 'node:fs';
import { CONTENDERS } from './index.mjs';

/** @param {string} path */
const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

/** @returns {Record<string, string>} versions of those that have one, by id */
export function versions() {
  const { packages } = read('../package-lock.json');
  const peers = CONTENDERS.flatMap(({ id, package: name }) =>
    name === undefined ? [] : [[id, packages[`node_modules/${name}`]?.version ?? 'unknown']],
  );
  return Object.fromEntries([['plumb', read('../../package.json').version], ...peers]);
}
