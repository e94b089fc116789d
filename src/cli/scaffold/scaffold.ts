/** A server to start from: every file of the new project, by its path. */

import { buildFiles } from './build-files.js';
import type { ScaffoldChoices } from './choices.js';
import { manifestFile, packageFile, readmeFile } from './project-files.js';
import { mainFile, serverFile, testFile } from './source-files.js';

export function scaffoldFiles(choices: ScaffoldChoices): ReadonlyMap<string, string> {
  return new Map([
    ['package.json', packageFile(choices)],
    ['README.md', readmeFile(choices)],
    ['manifest.json', manifestFile(choices)],
    ['src/server.ts', serverFile(choices)],
    ['src/main.ts', mainFile(choices)],
    ['src/server.test.ts', testFile(choices)],
    ...buildFiles(choices),
  ]);
}
