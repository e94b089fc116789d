import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRedisCluster } from '../../../scripts/cluster/redis-cluster.mjs';
import { createRedisStore, type Store } from '../../../src/store/index.js';
import type { RedisStoreOptions } from '../../../src/store/redis-options.js';
import { freePort } from '../../support/free-port.js';
import { RedisServer } from '../../support/redis-server.js';
import { describeStore, type StoreUnderTest } from '../../support/store-contract.js';

/**
 * On its own, as a cluster of one, which refuses whatever would need several slots at once, and as a cluster of three.
 */
const kinds: Readonly<Record<string, () => Promise<{ readonly url: string; stop(): Promise<void> }>>> = {
  'on Redis': () => RedisServer.start('--appendonly', 'no'),
  'on a Redis that is a cluster of one': async () => {
    const redis = await RedisServer.start('--appendonly', 'no', '--cluster-enabled', 'yes');
    await redis.assignAllSlots();
    return redis;
  },
  'on a Redis Cluster of three': () => startRedisCluster('no'),
};

for (const [name, start] of Object.entries(kinds)) {
  describe(`a store ${name}`, () => {
    let redis: Awaited<ReturnType<typeof start>>;
    let stores = 0;

    beforeAll(async () => {
      redis = await start();
    }, 90_000);
    afterAll(() => redis.stop());

    const open = async (options: RedisStoreOptions): Promise<StoreUnderTest> => {
      stores += 1;
      let offset = 0;
      const clockOffset = (): number => offset;
      const store = await createRedisStore(redis.url, { prefix: `test${stores}`, clockOffset, ...options });
      return {
        store,
        advance: (milliseconds) => {
          offset += milliseconds;
        },
      };
    };

    describeStore('keeps the contract', open);

    describe('shared by two nodes', () => {
      const two = async (): Promise<[Store, Store]> => {
        stores += 1;
        const prefix = `test${stores}`;
        return [await createRedisStore(redis.url, { prefix }), await createRedisStore(redis.url, { prefix })];
      };

      it('lets one work at a time under a lock, and the other when the first is done', async () => {
        const [one, other] = await two();
        const order: string[] = [];
        let finish: () => void = () => {};
        let begun: () => void = () => {};
        const inside = new Promise<void>((resolve) => {
          begun = resolve;
        });
        const first = one.locks.run('key', async () => {
          begun();
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          order.push('first');
        });
        await inside;
        const second = other.locks.run('key', async () => {
          order.push('second');
        });
        await other.values.get('anything');
        finish();
        await Promise.all([first, second]);
        expect(order).toEqual(['first', 'second']);
        await Promise.all([one.close(), other.close()]);
      });

      it('knows which of them is alive', async () => {
        const [one, other] = await two();
        expect(await other.nodes.isAlive(one.nodes.self)).toBe(true);
        await one.close();
        expect(await other.nodes.isAlive(one.nodes.self)).toBe(false);
        await other.close();
      });

      it('counts rates together', async () => {
        const [one, other] = await two();
        const limit = { limit: 2, windowMs: 600_000 };
        expect((await one.rates.take('ada', limit)).allowed).toBe(true);
        expect((await other.rates.take('ada', limit)).allowed).toBe(true);
        expect((await one.rates.take('ada', limit)).allowed).toBe(false);
        expect((await other.rates.take('ada', limit)).allowed).toBe(false);
        await Promise.all([one.close(), other.close()]);
      });
    });
  });
}

describe('creating a store on Redis', () => {
  it('tells at once what is wrong with the address', async () => {
    await expect(createRedisStore('http://127.0.0.1:1')).rejects.toThrow('redis://127.0.0.1:6379');
    await expect(createRedisStore('nonsense')).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  it('gives up when nobody answers, and does not repeat the password', async () => {
    const failure = await createRedisStore('redis://ada:secret@127.0.0.1:1', { timeout: 50 }).catch(String);
    expect(failure).toContain('redis://127.0.0.1:1');
    expect(failure).not.toContain('secret');
  });
});

describe('a store over TLS', () => {
  const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
  // Which certificates are trusted is decided when a process starts.
  const attempt = async (url: string, env: Readonly<Record<string, string>>): Promise<string> => {
    const args = [fixture('store-over-tls.mjs'), url];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
    return stdout;
  };

  it('is reached where its certificate is trusted, and not elsewhere', async () => {
    const port = await freePort();
    const [cert, key] = [fixture('tls/cert.pem'), fixture('tls/key.pem')];
    const redis = await RedisServer.start(
      ...[
        '--tls-port',
        `${port}`,
        '--tls-cert-file',
        cert,
        '--tls-key-file',
        key,
        '--tls-ca-cert-file',
        cert,
      ],
      ...['--tls-auth-clients', 'no', '--requirepass', 'secret'],
    );
    try {
      const url = `rediss://:secret@localhost:${port}`;
      expect(await attempt(url, { NODE_EXTRA_CA_CERTS: cert })).toBe('over TLS');
      expect(await attempt(url, { NODE_EXTRA_CA_CERTS: '' })).toContain('self-signed certificate');
    } finally {
      await redis.stop();
    }
  }, 60_000);
});

describe('a store behind a password', () => {
  it('is reached with the one in the address, and not without', async () => {
    const redis = await RedisServer.start('--requirepass', 'pass word');
    try {
      const authority = `:${encodeURIComponent('pass word')}@127.0.0.1:${redis.port}`;
      const store = await createRedisStore(`redis://${authority}/2`);
      await store.values.set('key', 'value');
      expect(await store.values.get('key')).toBe('value');
      await store.close();
      await expect(createRedisStore(redis.url, { timeout: 20_000 })).rejects.toThrow(/NOAUTH|auth/i);
    } finally {
      await redis.stop();
    }
  });
});
