import { expect, it } from 'vitest';
import { limitNumbers } from '../../../src/server/limits.js';
import { cacheHints, taskSettings } from '../../../src/server/options.js';
import { createServer } from '../../../src/server/server.js';
import { memorySettings } from '../../../src/store/memory.js';
import { redisSettings } from '../../../src/store/redis-options.js';
import { reconnectTimings } from '../../../src/transports/http/client/reconnect.js';
import { httpLimits } from '../../../src/transports/http/server/limits.js';

it('takes durations and sizes with a unit everywhere', () => {
  expect(limitNumbers({ sessionBytes: '1KB', batch: 3 })).toMatchObject({ sessionBytes: 1024, batch: 3 });
  expect(taskSettings({ ttl: '2h', pollInterval: '1s' })).toMatchObject({
    ttl: 7_200_000,
    maxTtl: 86_400_000,
    pollInterval: 1_000,
  });
  expect(cacheHints({ ttl: '5m', scope: 'public' })).toEqual({ ttlMs: 300_000, cacheScope: 'public' });
  expect(cacheHints()).toEqual({});
  expect(httpLimits({ bodyBytes: '8MB', requestTimeout: '1m' })).toMatchObject({
    bodyBytes: 8 * 1024 * 1024,
    requestTimeout: 60_000,
  });
  expect(memorySettings({ sessionIdle: '1h', maxSessionBytes: '4MB' })).toMatchObject({
    sessionIdle: 3_600_000,
    maxSessionBytes: 4 * 1024 * 1024,
    maxSessionBytesPerPeer: 1024 * 1024,
  });
  expect(redisSettings({ lease: '2s', timeout: '500ms' })).toMatchObject({ lease: 2_000, timeout: 500 });
  expect(reconnectTimings({ delay: '2s', idle: '1m' })).toEqual({
    delayMs: 2_000,
    maxDelayMs: 30_000,
    maxAttempts: 5,
    idleMs: 60_000,
  });
});

it('refuses what is no duration when the server is made, not when it is used', () => {
  const server = createServer({ name: 's', version: '1' });
  expect(() => server.tool('slow', { timeout: 'soon' }, () => '')).toThrow('"soon" is not a duration');
  expect(() => server.tool('slow', { timeout: 0 }, () => '')).toThrow('must be above 0');
  expect(() => createServer({ name: 's', version: '1', limits: { stateBytes: 'much' } })).toThrow(
    '"much" is not a size',
  );
});
