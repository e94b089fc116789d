/** A real redis-server of the tests' own, on a free port, with everything written to disk before it answers. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';

export class RedisServer {
  readonly port: number;
  readonly #directory: string;
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(port: number, directory: string, args: readonly string[]) {
    this.port = port;
    this.#directory = directory;
    this.#args = args;
  }

  static async start(...args: readonly string[]): Promise<RedisServer> {
    const directory = await mkdtemp(join(tmpdir(), 'plumb-redis-'));
    const server = new RedisServer(await freePort(), directory, args);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const child = spawn(
      'redis-server',
      [
        ...['--port', `${this.port}`, '--bind', '127.0.0.1', '--dir', this.#directory, '--save', ''],
        ...['--appendonly', 'yes', '--appendfsync', 'always', ...this.#args],
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    this.#child = child;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`redis-server ended:\n${log}`)));
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        if (log.includes('Ready to accept connections')) resolve();
      });
    });
  }

  /** For a server that was started as a cluster: makes it the only node. */
  async assignAllSlots(): Promise<void> {
    const { createClient } = await import('redis');
    const client = createClient({ url: this.url });
    await client.connect();
    await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', '0', '16383']);
    while (!String(await client.sendCommand(['CLUSTER', 'INFO'])).includes('cluster_state:ok')) {
      // It needs a moment to believe it.
    }
    client.destroy();
  }

  /** As hard as it gets: what it has answered must be on disk. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#directory, { recursive: true, force: true });
  }
}
