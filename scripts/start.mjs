/** `npm start`: installs and builds what is missing, then runs Plumb on its embedded defaults. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { install } from './install.mjs';
import { endWithParent, root } from './run.mjs';

endWithParent();

for (const [doing, prepare] of /** @type {const} */ ([
  ['install', install],
  ['build', build],
])) {
  const result = await prepare();
  if (!result.ok) {
    process.stderr.write(`${result.output}\nPlumb cannot start: ${doing} failed.\n`);
    process.exit(1);
  }
}

// In this very process, so that signals, exit code and terminal are the command's own.
const command = join(root, 'dist', 'cli', 'main.js');
process.argv = [process.execPath, command, 'start', ...process.argv.slice(2)];
await import(pathToFileURL(command).href);
