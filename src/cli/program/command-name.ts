/** How the user can call this command again: for commands to paste. */

import { basename, relative } from 'node:path';

interface Invocation {
  /** The file that Node runs. */
  readonly path: string;
  /** The script that npm runs, if it runs one; the programs that it starts inherit it. */
  readonly script: string | undefined;
  readonly directory: string;
}

/** `plumb`, or what stands for it where it is not on the PATH. */
export function commandName(
  { path, script, directory }: Invocation = {
    path: process.argv[1] ?? '',
    script: process.env.npm_lifecycle_script,
    directory: process.cwd(),
  },
): string {
  if (/^'?plumb\b/.test(script ?? '') || /[\\/]node_modules[\\/]\.bin[\\/]/.test(path)) return 'npx plumb';
  // `npm start` of the repository.
  return basename(path) === 'main.js' ? `node ${relative(directory, path)}` : 'plumb';
}
