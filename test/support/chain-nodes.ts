/** Nodes of chains, in processes of their own, with one Redis: what a node takes along when it dies is real. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { HttpAnswer } from './http-answer.js';
import { type HttpCall, sendTo } from './http-target.js';
import type { RedisServer } from './redis-server.js';

const NODE = fileURLToPath(new URL('../integration/store/fixtures/chain-node.mjs', import.meta.url));
const SERVER = fileURLToPath(new URL('../integration/store/fixtures/session-server.mjs', import.meta.url));

/** The server that remembers, once for each session. */
export const OWN_SERVER = { s: { command: process.execPath, args: [SERVER], isolate: 'session' } };

/** One node of one chain. */
export interface ChainNode {
  readonly origin: string;
  send(call: HttpCall): Promise<HttpAnswer>;
}

/** A process with a node of each chain that it was asked for. */
export class ChainProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static start(redis: RedisServer): ChainProcess {
    const key = Buffer.alloc(32, 7).toString('base64url');
    const child = fork(NODE, [redis.url], {
      execArgv: [],
      env: { ...process.env, PLUMB_STATE_KEYS: key },
    });
    child.setMaxListeners(0);
    return new ChainProcess(child);
  }

  /** Nodes of one chain have the same `service`. */
  serve(service: string, destination: object): Promise<ChainNode> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const ended = (code: number | null): void =>
        reject(new Error(`A node ended with ${code} before it listened`));
      child.once('exit', ended);
      child.on('message', function receive(answer: { service: string; origin: string }) {
        if (answer.service !== service) return;
        child.off('message', receive);
        child.off('exit', ended);
        resolve({ origin: answer.origin, send: (call) => sendTo(answer.origin, call) });
      });
      child.send({ service, destination });
    });
  }

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
