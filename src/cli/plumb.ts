#!/usr/bin/env node
/**
 * The command `plumb`. Built as one CommonJS file: `plumb connect` starts with every server of every client, and Node starts
 * such a file without its loader of ES modules. All other commands are in main.ts.
 */

import { connectToHub } from './hub/connect.js';

const [command, ...words] = process.argv.slice(2);
if (command === 'connect' && words[0] !== undefined && !words[0].startsWith('-'))
  void connectToHub(words, process.argv[1] ?? '').then((code) => {
    process.exitCode = code;
  });
else void import('./main.js');
