#!/usr/bin/env node
/** The command `plumb`. */

import { run } from './program/program.js';

// `plumb list | head` closes our output early, which is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await run(process.argv.slice(2));
