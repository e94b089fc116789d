/** Waits for programs that say nothing when they are ready. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const START_MS = 30_000;

/**
 * @param {number} port
 * @param {{ child: import('node:child_process').ChildProcess, describe: () => string }} program
 */
export async function listening(port, { child, describe }) {
  const deadline = performance.now() + START_MS;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      throw new Error(`${describe()}: does not listen on port ${port}`);
    }
    await sleep(30);
  }
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
