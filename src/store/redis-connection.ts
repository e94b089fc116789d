/**
 * Two connections to Redis: one for commands, one for messages. Commands wait for a lost connection to come
 * back, within a time and a number. One that was under way when the connection broke is sent again, and
 * marked as repeated: whatever is not safe to repeat has to recognise itself.
 */

import { createHash } from 'node:crypto';
import { StoreError } from './errors.js';
import { parseAddress } from './redis-address.js';
import { openClient, type RedisClient } from './redis-client.js';
import { RedisCluster } from './redis-cluster.js';
import type { RedisSettings } from './redis-options.js';
import { RedisTopology } from './redis-topology.js';
import type { Unsubscribe } from './store.js';

/** Between attempts; it doubles with each. */
const PAUSE_MS = 25;
const MAX_PAUSE_MS = 400;
/** Redis is there, but not yet or no longer the one to ask. */
const PASSING = /^(LOADING|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|READONLY|NOREPLICAS|MOVED|ASK)\b/;

export interface Script {
  readonly text: string;
  readonly sha: string;
}

export function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

export class RedisConnection {
  readonly settings: RedisSettings;
  readonly #commands: RedisClient;
  readonly #messages: RedisClient;
  readonly #resumed = new Set<() => void>();
  #waiting = 0;
  #closed = false;

  constructor(settings: RedisSettings, commands: RedisClient, messages: RedisClient) {
    this.settings = settings;
    this.#commands = commands;
    this.#messages = messages;
    messages.onReady(() => {
      for (const resume of [...this.#resumed]) resume();
    });
  }

  static async open(address: string, settings: RedisSettings): Promise<RedisConnection> {
    const { urls, isCluster } = parseAddress(address);
    if (isCluster) {
      const topology = await RedisTopology.open(urls, settings);
      const open = (purpose: string): RedisClient => new RedisCluster(topology, settings, purpose);
      return new RedisConnection(settings, open('commands'), open('messages'));
    }
    const [url = ''] = urls;
    const [commands, messages] = await Promise.all([
      openClient(url, settings, { purpose: 'commands', persistent: true }),
      openClient(url, settings, { purpose: 'messages', persistent: true }),
    ]);
    return new RedisConnection(settings, commands, messages);
  }

  /** A key or channel of ours. `tag` decides the slot of a cluster: what is used together shares it. */
  key(kind: string, tag: string, part = ''): string {
    return `${this.settings.prefix}:{${kind}:${tag}}${part}`;
  }

  /** `args` is asked again for a command that may have been executed before. */
  async send(args: (again: boolean) => readonly string[]): Promise<unknown> {
    if (this.#waiting >= this.settings.maxQueued) {
      throw new StoreError('store_busy', `More than ${this.settings.maxQueued} operations wait for Redis`);
    }
    this.#waiting += 1;
    try {
      return await this.#persist((again, left) => this.#commands.send([...args(again)], left));
    } finally {
      this.#waiting -= 1;
    }
  }

  command(...args: readonly string[]): Promise<unknown> {
    return this.send(() => args);
  }

  /** Runs a script atomically. Its first argument is the offset of the clock. */
  async run(
    { text, sha }: Script,
    keys: readonly string[],
    args: readonly (string | number)[] | ((again: boolean) => readonly (string | number)[]),
  ): Promise<unknown> {
    const operands = (again: boolean): string[] => {
      const given = typeof args === 'function' ? args(again) : args;
      return [`${keys.length}`, ...keys, `${this.settings.clockOffset()}`, ...given.map(String)];
    };
    let repeated = false;
    const attempt = (again: boolean): string[] => {
      repeated ||= again;
      return operands(repeated);
    };
    try {
      return await this.send((again) => ['EVALSHA', sha, ...attempt(again)]);
    } catch (error) {
      // A Redis that was restarted has forgotten the scripts, but not what they did before.
      if (!(error instanceof Error && isNoScript(error))) throw error;
      return this.send((again) => ['EVAL', text, ...attempt(again)]);
    }
  }

  async subscribe(channel: string, receive: (text: string) => void): Promise<Unsubscribe> {
    let open = true;
    const listener = (text: string): void => {
      if (open) receive(text);
    };
    const unsubscribe = async (): Promise<void> => {
      if (!open) return;
      open = false;
      if (!this.#closed) await this.#messages.unsubscribe(channel, listener).catch(this.settings.onError);
    };
    try {
      await this.#persist(() => this.#messages.subscribe(channel, listener));
    } catch (error) {
      // It may be carried out yet. Redis is away, and so is whatever would wait for the opposite.
      void unsubscribe();
      throw error;
    }
    return unsubscribe;
  }

  /** Called whenever messages may have been missed, with the subscriptions in place again. */
  onResumed(resume: () => void): () => void {
    this.#resumed.add(resume);
    return () => this.#resumed.delete(resume);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#resumed.clear();
    this.#commands.destroy();
    this.#messages.destroy();
  }

  async #persist<T>(attempt: (again: boolean, left: number) => Promise<T>): Promise<T> {
    const deadline = Date.now() + this.settings.timeout;
    let pause = PAUSE_MS;
    for (let again = false; ; again = true) {
      const left = deadline - Date.now();
      if (left <= 0 || this.#closed) throw unavailable(undefined);
      try {
        return await within(attempt(again, left), left);
      } catch (error) {
        if (error instanceof StoreError && error.code !== 'store_unavailable') throw error;
        if (Date.now() >= deadline) throw unavailable(error);
        if (isNoScript(error)) throw error;
        if (isReply(error) && !PASSING.test(error.message)) {
          throw new StoreError('store_failed', `Redis refused an operation: ${error.message}`, {
            cause: error,
          });
        }
        if (this.#closed) throw unavailable(error);
      }
      const wait = pause;
      await new Promise((resolve) => setTimeout(resolve, wait));
      pause = Math.min(2 * pause, MAX_PAUSE_MS);
    }
  }
}

function isReply(error: unknown): error is Error {
  // The class is known to the package only, which is loaded on demand.
  return (
    error instanceof Error && ['ErrorReply', 'SimpleError', 'BlobError'].includes(error.constructor.name)
  );
}

function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

function unavailable(cause: unknown): StoreError {
  return new StoreError('store_unavailable', 'Redis cannot be reached; check that it runs', { cause });
}

function within<T>(promise: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(unavailable(undefined)), milliseconds);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
