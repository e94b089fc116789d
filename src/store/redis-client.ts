/** The part of the `redis` package that is used here, loaded when a store on Redis is created. */

import { StoreError } from './errors.js';
import { withoutSecrets } from './redis-address.js';
import type { RedisSettings } from './redis-options.js';

export interface RedisClient {
  /** Rejects at the latest after the given time, unless it has been sent by then. */
  send(args: string[], milliseconds: number): Promise<unknown>;
  subscribe(channel: string, listener: (text: string) => void): Promise<void>;
  unsubscribe(channel: string, listener: (text: string) => void): Promise<void>;
  /** Called each time the connection has been made again, with its subscriptions. */
  onReady(listener: () => void): void;
  destroy(): void;
}

/** The client of one Redis, or of one member of a cluster. */
export interface SingleRedisClient extends RedisClient {
  /** Called each time the connection is lost, and each time it cannot be made again. */
  onLost(listener: () => void): void;
}

export interface RedisClientOptions {
  readonly purpose: string;
  /** Whether a connection that was there is made again, for as long as it takes. */
  readonly persistent: boolean;
  /** False rejects at once what cannot be sent at once: another member may have its slot by now. */
  readonly queues?: boolean;
}

const FIRST_RETRY_MS = 25;
const MAX_RETRY_MS = 1_000;
/** A connection that is silently cut is noticed after the second of these at the latest. */
const PING_MS = 5_000;
const SILENCE_MS = 15_000;

export async function openClient(
  url: string,
  { timeout, onError }: RedisSettings,
  { purpose, persistent, queues = true }: RedisClientOptions,
): Promise<SingleRedisClient> {
  const template = await clientTemplate();
  const deadline = Date.now() + timeout;
  let connected = false;
  const client = template.duplicate({
    url,
    name: `plumb-${purpose}`,
    pingInterval: PING_MS,
    disableOfflineQueue: !queues,
    socket: {
      connectTimeout: timeout,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (retries, cause) => {
        if (connected && !persistent) return cause;
        // A wrong address is reported immediately instead of being retried forever; a Redis that was there
        // comes back.
        if (!connected && (Date.now() > deadline || !queues || isRefusal(cause))) return cause;
        return Math.min(FIRST_RETRY_MS * 2 ** retries, MAX_RETRY_MS) * (0.5 + Math.random() / 2);
      },
    },
  });
  client.on('error', onError);
  try {
    await client.connect();
  } catch (error) {
    client.destroy();
    const reason = error instanceof Error ? error.message || error.name : String(error);
    throw new StoreError('store_unavailable', `No Redis at ${withoutSecrets(url)}: ${reason}`, {
      cause: error,
    });
  }
  connected = true;
  return {
    // An operation without a waiter must not wait for Redis either. Sent immediately, it cannot.
    send: (args, milliseconds) =>
      client.isReady || !queues
        ? client.sendCommand(args)
        : client.sendCommand(args, { abortSignal: AbortSignal.timeout(milliseconds) }),
    // In a cluster, messages stay with the slot of their channel: in the order in which that member sends them.
    subscribe: (channel, listener) => client.sSubscribe(channel, listener),
    unsubscribe: (channel, listener) => client.sUnsubscribe(channel, listener),
    onReady: (listener) => void client.on('ready', listener),
    onLost: (listener) => void client.on('reconnecting', listener),
    destroy: () => client.destroy(),
  };
}

/** A certificate that is not trusted, or a password that is wrong, will be so a moment later too. */
function isRefusal(cause: Error): boolean {
  const code = 'code' in cause ? String(cause.code) : '';
  return /CERT|SIGNATURE/.test(code) || /^(NOAUTH|WRONGPASS|NOPERM)\b/.test(cause.message);
}

/**
 * `createClient` builds a class with every command of Redis, 40 ms of CPU, and keeps only the one for the options that it
 * was given last. Duplicates share the class; the template itself never connects.
 */
async function createTemplate() {
  const { createClient } = await loadPackage();
  // Plain arrays, which every Redis and Valkey can send.
  return createClient({ RESP: 2 });
}

let template: ReturnType<typeof createTemplate> | undefined;

function clientTemplate(): ReturnType<typeof createTemplate> {
  // A package that is missing now may have been installed when the next store is created.
  template ??= createTemplate().catch((error) => {
    template = undefined;
    throw error;
  });
  return template;
}

async function loadPackage() {
  try {
    return await import('redis');
  } catch (error) {
    throw new StoreError(
      'store_package_missing',
      'A store on Redis needs the package "redis"; install it with: npm install redis',
      { cause: error },
    );
  }
}
