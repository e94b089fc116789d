/** What nodes share besides sessions: credentials, rates, and the command line's way to say so. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSharedTokenStore } from '../../../src/auth/index.js';
import { connect } from '../../../src/client/index.js';
import { rateLimit } from '../../../src/middleware/index.js';
import { createServer } from '../../../src/server/index.js';
import { createRedisStore, type Store } from '../../../src/store/index.js';
import { RedisServer } from '../../support/redis-server.js';
import { plumb } from '../cli/plumb.js';

describe('nodes that share a Redis', () => {
  let redis: RedisServer;
  let stores: [Store, Store];

  beforeAll(async () => {
    redis = await RedisServer.start('--appendonly', 'no');
    stores = [await createRedisStore(redis.url), await createRedisStore(redis.url)];
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await redis.stop();
  });

  it('renew a credential once for all of them', async () => {
    let renewals = 0;
    const renew = (store: Store): Promise<unknown> => {
      const tokens = createSharedTokenStore(store);
      return tokens.lock('issuer', async () => {
        const known = await tokens.get('issuer');
        if (known !== undefined) return known.token;
        renewals += 1;
        await tokens.set('issuer', { token: `token ${renewals}` });
        return `token ${renewals}`;
      });
    };
    const got = await Promise.all([...stores, ...stores, ...stores].map(renew));
    expect(renewals).toBe(1);
    expect(new Set(got)).toEqual(new Set(['token 1']));
    const [tokens] = stores.map(createSharedTokenStore);
    await tokens?.set('issuer', undefined);
    expect(await tokens?.get('issuer')).toBeUndefined();
  });

  it('limit the calls of all of them together', async () => {
    const clients = await Promise.all(
      stores.map(({ rates }) => {
        const server = createServer({ name: 'limited', version: '1' });
        server.tool('echo', {}, () => 'echo');
        const { call } = rateLimit({ total: '3/min', rates });
        if (call !== undefined) server.use('tools/call', call);
        return connect(server);
      }),
    );
    const outcomes: string[] = [];
    for (const client of [...clients, ...clients]) {
      const outcome = await client.tools.call('echo').then(
        () => 'done',
        (error: Error) => error.message,
      );
      outcomes.push(outcome);
    }
    expect(outcomes.slice(0, 3)).toEqual(['done', 'done', 'done']);
    expect(outcomes[3]).toContain('Too many calls');
    await Promise.all(clients.map((client) => client.close()));
  });
});

describe('plumb demo --store', () => {
  it('needs --http, and a Redis that answers', async () => {
    const piped = await plumb(['demo', '--store', 'redis://127.0.0.1:1']);
    expect(piped.code).toBe(2);
    expect(piped.stderr).toContain('--http');
    const wrong = await plumb(['demo', '--http', '0', '--store', 'http://127.0.0.1:1']);
    expect(wrong.code).toBe(3);
    expect(wrong.stderr).toContain('redis://');
  });
});
