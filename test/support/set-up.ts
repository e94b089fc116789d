/** Runs before each test file. */

import { ChildProcess } from 'node:child_process';
import { Server } from 'node:net';
import { afterEach, expect } from 'vitest';
import { closeOpened } from './cleanup.js';

afterEach(closeOpened);

// Files of test/unit start no process and no listener; those that do belong in test/integration.
if (expect.getState().testPath?.replaceAll('\\', '/').includes('/test/unit/')) {
  const refuse = (what: string) => (): never => {
    throw new Error(`A test in test/unit ${what}; move its file to test/integration.`);
  };
  Server.prototype.listen = refuse('listens on a port');
  Object.assign(ChildProcess.prototype, { spawn: refuse('starts a process') });
}
