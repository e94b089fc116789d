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

  command(...args: string[]): Promise<unknown> {
    return this.#send(() => args);
  }

  /** Runs a script atomically. Its first argument is the offset of the clock. */
  run(
    { text, sha }: Script,
    keys: readonly string[],
    args: readonly (string | number)[] | ((again: boolean) => readonly (string | number)[]),
  ): Promise<unknown> {
    return this.#send((again, isUnknown) => {
      const command = [isUnknown ? 'EVAL' : 'EVALSHA', isUnknown ? text : sha, `${keys.length}`, ...keys];
      command.push(`${this.settings.clockOffset()}`);
      for (const operand of typeof args === 'function' ? args(again) : args) command.push(String(operand));
      return command;
    });
  }

  /**
   * `build` is asked for each attempt: `again`, where an earlier one may have been executed, and `isUnknown`, where Redis
   * does not know the script. One that was restarted has forgotten the scripts, but not what they did before.
   */
  #send(build: (again: boolean, isUnknown: boolean) => string[]): Promise<unknown> {
    const { maxQueued } = this.settings;
    if (this.#waiting >= maxQueued)
      return Promise.reject(new StoreError('store_busy', `More than ${maxQueued} operations wait for Redis`));
    this.#waiting += 1;
    const sent = this.#persist((again, left, isUnknown) =>
      this.#commands.send(build(again, isUnknown), left),
    );
    sent.then(this.#sent, this.#sent);
    return sent;
  }

  readonly #sent = (): void => {
    this.#waiting -= 1;
  };

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

  async #persist<T>(attempt: (again: boolean, left: number, isUnknown: boolean) => Promise<T>): Promise<T> {
    const deadline = Date.now() + this.settings.timeout;
    let pause = PAUSE_MS;
    let [again, isUnknown] = [false, false];
    for (;;) {
      const left = deadline - Date.now();
      if (left <= 0 || this.#closed) throw unavailable(undefined);
      try {
        return await within(attempt(again, left, isUnknown), left);
      } catch (error) {
        if (error instanceof StoreError && error.code !== 'store_unavailable') throw error;
        if (Date.now() >= deadline || this.#closed) throw unavailable(error);
        if (isNoScript(error) && !isUnknown) {
          isUnknown = true;
          continue;
        }
        if (isReply(error) && !PASSING.test(error.message)) {
          throw new StoreError('store_failed', `Redis refused an operation: ${error.message}`, {
            cause: error,
          });
        }
      }
      const wait = pause;
      await new Promise((resolve) => setTimeout(resolve, wait));
      pause = Math.min(2 * pause, MAX_PAUSE_MS);
      again = true;
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
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
