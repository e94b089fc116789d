/**
 * The lock file has to install with any registry and on any platform.
 * npm leaves out optional packages that the registry of the day did not have, and `npm ci` then refuses
 * the lock everywhere else; and where addresses are recorded, it downloads from those.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

/** @returns {import('./run.mjs').Outcome} */
export function checkLock() {
  const directories = ['.', 'bench', 'conformance', 'runtimes', 'site', 'test/journeys/servers'];
  const found = directories.flatMap((directory) => {
    const file = join(directory, 'package-lock.json');
    return problems(JSON.parse(readFileSync(join(root, file), 'utf8'))).map(
      (problem) => `${file}: ${problem}\n`,
    );
  });
  return { ok: found.length === 0, output: found.join('') };
}

/**
 * @param {{ packages: Record<string, { resolved?: string, optionalDependencies?: Record<string, string> }> }} lock
 * @returns {string[]}
 */
function problems({ packages }) {
  const locked = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  return Object.entries(packages).flatMap(([path, entry]) => [
    ...(entry.resolved ? [`${path} records a download address; see .npmrc`] : []),
    ...Object.keys(entry.optionalDependencies ?? {})
      .filter((name) => !locked.has(name))
      .map(
        (name) => `${path} needs ${name}, which is not locked; choose a version of ${path} that is complete`,
      ),
  ]);
}
