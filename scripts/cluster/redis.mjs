import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.mjs';

/**
 * @typedef {object} Redis
 * @property {string} url
 * @property {(command: string) => Promise<string>} info  an INFO section
 * @property {() => Promise<import('./history.mjs').Change[]>} changes  the change log of the nodes
 * @property {() => Promise<void>} restart  kill -9, then start on the same data
 * @property {() => Promise<void>} stop
 */

/**
 * A redis-server that, by default, has written to disk whatever it has answered.
 *
 * @param {string} [fsync]
 * @returns {Promise<Redis>}
 */
export async function startRedis(fsync = 'always') {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'plumb-cluster-redis-'));
  let child = await launch(port, directory, fsync);
  const kill = async () => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  const url = `redis://127.0.0.1:${port}`;
  return {
    url,
    info: async (section) => String(await command(url, ['INFO', section])),
    changes: async () => {
      const entries = await command(url, ['XRANGE', 'plumb:{changes:all}', '-', '+']);
      if (!Array.isArray(entries)) throw new Error('Redis returned no list of changes');
      return entries.map(([id, [, text]]) => ({ id, text }));
    },
    restart: async () => {
      await kill();
      child = await launch(port, directory, fsync);
    },
    stop: async () => {
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/**
 * @param {string} url
 * @param {string[]} args
 * @returns {Promise<unknown>}
 */
async function command(url, args) {
  const { createClient } = await import('redis');
  const client = createClient({ url, RESP: 2 });
  await client.connect();
  const reply = await client.sendCommand(args);
  client.destroy();
  return reply;
}

/**
 * @param {number} port
 * @param {string} directory
 * @param {string} fsync
 * @returns {Promise<import('node:child_process').ChildProcess>}
 */
function launch(port, directory, fsync) {
  const where = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', directory];
  const durable = ['--save', '', '--appendonly', 'yes', '--appendfsync', fsync];
  const child = spawn('redis-server', [...where, ...durable], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let log = '';
    child.once('error', (cause) =>
      reject(new Error('redis-server cannot be started; install Redis 7 or later, in the PATH', { cause })),
    );
    child.once('exit', () => reject(new Error(`redis-server ended:\n${log}`)));
    child.stdout.setEncoding('utf8').on('data', (text) => {
      log += text;
      if (log.includes('Ready to accept connections')) resolve(child);
    });
  });
}
