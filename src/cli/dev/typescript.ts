/** How TypeScript files are run: by Node itself where it strips types (22.18 and later), or else with tsx. */

import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../failure/failure.js';

const TYPESCRIPT: ReadonlySet<string> = new Set(['.ts', '.mts', '.cts']);

export function nodeRunsTypeScript(features: object = process.features): boolean {
  return 'typescript' in features && Boolean(features.typescript);
}

/** The command with what its Node needs to run a TypeScript file. `findTsx` returns the module that registers tsx. */
export function typescriptCommand(
  command: readonly string[],
  runsTypeScript: boolean = nodeRunsTypeScript(),
  findTsx: () => string | undefined = tsxOf(process.cwd()),
): string[] {
  const [program = '', ...args] = command;
  const file = args.find((word) => !word.startsWith('-'));
  const isNode = /(^|[\\/])node(\.exe)?$/.test(program);
  if (!isNode || file === undefined || !TYPESCRIPT.has(extname(file)) || runsTypeScript) return [...command];
  if (args.some((word) => word.includes('tsx'))) return [...command];
  const tsx = findTsx();
  if (tsx === undefined) {
    throw new UsageError(
      `Node ${process.versions.node} does not run ${file}; use Node 22.18 or later, or npm install --save-dev tsx`,
    );
  }
  return [program, '--import', tsx, ...args];
}

function tsxOf(directory: string): () => string | undefined {
  return () => {
    try {
      return pathToFileURL(createRequire(join(directory, 'package.json')).resolve('tsx')).href;
    } catch {
      return undefined;
    }
  };
}
