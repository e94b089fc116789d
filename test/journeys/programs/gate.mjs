// Starts a server as late as its user wants: node gate.mjs FILE COMMAND ARGS... waits until FILE is there.
import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

const [file = '', command = '', ...args] = process.argv.slice(2);
console.error('Need to install the following packages: a-slow-server');
await new Promise((resolve) => {
  const watcher = watch(dirname(file), (_, name) => {
    if (name === basename(file) || existsSync(file)) resolve(watcher.close());
  });
  if (existsSync(file)) resolve(watcher.close());
});
const child = spawn(command, args, { stdio: 'inherit' });
child.once('exit', (code) => process.exit(code ?? 1));
