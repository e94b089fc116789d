/** Two nodes of a chain as processes of their own, with one Redis: what a node takes along when it dies is real. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { HttpAnswer } from './http-answer.js';
import { type HttpCall, sendTo } from './http-target.js';
import type { RedisServer } from './redis-server.js';

const NODE = fileURLToPath(new URL('../integration/store/fixtures/chain-node.mjs', import.meta.url));
const SERVER = fileURLToPath(new URL('../integration/store/fixtures/session-server.mjs', import.meta.url));

/** The server that remembers, once for each session. */
export const OWN_SERVER = { s: { command: process.execPath, args: [SERVER], isolate: 'session' } };

export class ChainNode {
  readonly origin: string;
  readonly #child: ChildProcess;

  private constructor(origin: string, child: ChildProcess) {
    this.origin = origin;
    this.#child = child;
  }

  static async start(redis: RedisServer, destination: object): Promise<ChainNode> {
    const key = Buffer.alloc(32, 7).toString('base64url');
    const child = spawn(process.execPath, [NODE, redis.url, JSON.stringify(destination)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, PLUMB_STATE_KEYS: key },
    });
    const origin = await new Promise<string>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`A node ended with ${code} before it listened`)));
      child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
    });
    return new ChainNode(origin, child);
  }

  readonly send = (call: HttpCall): Promise<HttpAnswer> => sendTo(this.origin, call);

  /** With -9: it says goodbye to nobody. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exited;
  }
}
