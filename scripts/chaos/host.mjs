/** A server process behind HTTP that is started again whenever it dies, and a wire to it that is cut or stalls at random. */
import { fork } from 'node:child_process';
import { createServer, connect as dial } from 'node:net';
import { fileURLToPath } from 'node:url';
import { freePort } from '../cluster/free-port.mjs';

const SERVER = fileURLToPath(new URL('./server.mjs', import.meta.url));

/**
 * @typedef {object} Host
 * @property {number} port  where the wire begins
 * @property {() => Promise<void>} close
 * @property {{ restarts: number, cuts: number, truncations: number, stalls: number }} counts
 */

/**
 * @param {{ file: string, revision: string, seed: number, sabotage: string, dice: import('./dice.mjs').Dice }} options
 * @returns {Promise<Host>}
 */
export async function startHost({ file, revision, seed, sabotage, dice }) {
  const inner = await freePort();
  const counts = { restarts: -1, cuts: 0, truncations: 0, stalls: 0 };
  let over = false;
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;
  const start = () =>
    new Promise((resolve) => {
      counts.restarts += 1;
      const args = [file, revision, String(seed + counts.restarts), sabotage, String(inner)];
      child = fork(SERVER, args, { stdio: 'ignore' });
      child.once('message', resolve);
      child.once('exit', () => {
        resolve(undefined);
        if (!over) setTimeout(() => over || start(), dice.between(50, 300)).unref();
      });
    });
  await start();

  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  const wire = createServer((near) => {
    const far = dial(inner, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.on('data', (chunk) => {
      // Sometimes an answer ends in the middle.
      if (dice.happens(0.005)) {
        near.end(chunk.subarray(0, Math.floor(chunk.length / 2)));
        far.destroy();
        counts.truncations += 1;
      } else near.write(chunk);
    });
  });
  await new Promise((resolve) => wire.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = wire.address();
  const trouble = setInterval(() => {
    const fate = dice.roll();
    if (fate < 0.05) {
      counts.cuts += 1;
      for (const socket of sockets) socket.destroy();
    } else if (fate < 0.1) stall();
    // A stopped process accepts connections and answers none.
    if (dice.happens(0.03)) child?.kill('SIGKILL');
  }, 500);
  /** Everything stays connected, and nothing arrives for a while. */
  const stall = () => {
    counts.stalls += 1;
    const stalled = [...sockets];
    for (const socket of stalled) socket.pause();
    setTimeout(() => stalled.forEach((socket) => void socket.resume()), dice.between(100, 2_000)).unref();
  };

  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    counts,
    close: async () => {
      over = true;
      clearInterval(trouble);
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => wire.close(() => resolve(undefined)));
      const last = child;
      if (last === undefined || last.exitCode !== null || last.signalCode !== null) return;
      const gone = new Promise((resolve) => last.once('exit', resolve));
      last.kill('SIGKILL');
      await gone;
    },
  };
}
