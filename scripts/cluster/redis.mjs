import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithUs } from './children.mjs';
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
  const redis = await RedisProcess.start(fsync, []);
  const { url } = redis;
  return {
    url,
    info: async (section) => String(await command(url, ['INFO', section])),
    changes: () => readChanges(url, 'plumb:{changes:all}'),
    restart: async () => {
      await redis.kill();
      await redis.launch();
    },
    stop: () => redis.stop(),
  };
}

const MAX_ATTEMPTS = 5;

/** A redis-server with a directory of its own. It does not outlive this process. */
export class RedisProcess {
  #directory = mkdtempSync(join(tmpdir(), 'plumb-cluster-redis-'));
  #args;
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;

  /**
   * @param {string} fsync
   * @param {readonly string[]} args
   * @param {number} port
   * @param {number} busPort  of members of a cluster
   */
  constructor(fsync, args, port, busPort) {
    this.port = port;
    this.busPort = busPort;
    const isMember = args.includes('--cluster-enabled');
    this.#args = [
      ...['--port', `${port}`, '--bind', '127.0.0.1', '--dir', this.#directory],
      ...['--save', '', '--appendonly', 'yes', '--appendfsync', fsync],
      ...(isMember ? ['--cluster-port', `${busPort}`] : []),
      ...args,
    ];
  }

  /**
   * @param {string} fsync
   * @param {readonly string[]} args
   */
  static async start(fsync, args) {
    for (let left = MAX_ATTEMPTS; ; left -= 1) {
      const redis = new RedisProcess(fsync, args, await freePort(), await freePort());
      try {
        await redis.launch();
        return redis;
      } catch (error) {
        await redis.stop();
        // Another process was given the port first.
        if (left === 0 || !String(error).includes('Address already in use')) throw error;
      }
    }
  }

  get url() {
    return `redis://127.0.0.1:${this.port}`;
  }

  get isRunning() {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** @returns {Promise<void>} */
  launch() {
    const child = spawn('redis-server', this.#args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    endWithUs(child);
    return new Promise((resolve, reject) => {
      let log = '';
      child.once('error', (cause) =>
        reject(new Error('redis-server cannot be started; install Redis 7 or later, in the PATH', { cause })),
      );
      child.once('exit', () => reject(new Error(`redis-server ended:\n${log}`)));
      child.stdout.setEncoding('utf8').on('data', (text) => {
        log += text;
        if (log.includes('Ready to accept connections')) resolve();
      });
    });
  }

  async kill() {
    if (this.#child === undefined || !this.isRunning) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  async stop() {
    await this.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/**
 * @param {string} url
 * @param {string} key
 * @returns {Promise<import('./history.mjs').Change[]>}
 */
export async function readChanges(url, key) {
  const entries = await command(url, ['XRANGE', key, '-', '+']);
  if (!Array.isArray(entries)) throw new Error('Redis returned no list of changes');
  return entries.map(([id, [, text]]) => ({ id, text }));
}

/** Its duplicates share the class of the commands, which takes 40 ms to build. */
async function createTemplate() {
  const { createClient } = await import('redis');
  return createClient({ RESP: 2 });
}

/** @type {ReturnType<typeof createTemplate> | undefined} */
let template;

/**
 * @param {string} url
 * @param {string[]} args
 * @returns {Promise<unknown>}
 */
export async function command(url, args) {
  template ??= createTemplate();
  const client = (await template).duplicate({ url });
  // What went wrong is known from the command itself.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.sendCommand(args);
  } finally {
    client.destroy();
  }
}
