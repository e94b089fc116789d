/** docs/limits.md names every limit that can be set, with its default. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIST_LIMITS } from '../../../src/chain/list-limits.js';
import { DEFAULT_PARKING } from '../../../src/chain/options.js';
import { DEFAULT_MAX_PROCESSES } from '../../../src/chain/process-slots.js';
import { resolveSettings } from '../../../src/client/options.js';
import { DEFAULT_TIMELINE_LIMITS } from '../../../src/inspector/timeline/timeline.js';
import { DEFAULT_SESSION_BUCKET, DEFAULT_USER_BUCKET } from '../../../src/server/buckets/bucket.js';
import { DEFAULT_LEGACY_SSE } from '../../../src/server/http/legacy-sse.js';
import { DEFAULT_LIMITS } from '../../../src/server/limits.js';
import { DEFAULT_TASKS } from '../../../src/server/options.js';
import { memorySettings } from '../../../src/store/memory.js';
import { redisSettings } from '../../../src/store/redis-options.js';
import { DEFAULT_HTTP_LIMITS } from '../../../src/transports/http/server/limits.js';

const PAGE = readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8');
const UNITS: Readonly<Record<string, number>> = {
  KB: 1024,
  MB: 1024 * 1024,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
};

/** The names and defaults in the table below a heading. */
function table(heading: string): Record<string, number> {
  const [, after = ''] = PAGE.split(`\n## ${heading}\n`);
  const [section = ''] = after.split('\n## ');
  const rows = [...section.matchAll(/^\| `([\w.]+)` \| ([\d,]+)(?: (KB|MB|s|min|h))? \|/gm)];
  return Object.fromEntries(
    rows.map(([, name = '', digits = '', unit = '']) => [
      name,
      Number(digits.replaceAll(',', '')) * (UNITS[unit] ?? 1),
    ]),
  );
}

/** The settings that are numbers, without those that bound nothing of a peer's. */
function numbers(settings: object, prefix = '', leaveOut: readonly string[] = []): Record<string, number> {
  const entries = Object.entries(settings).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && !leaveOut.includes(entry[0]),
  );
  return Object.fromEntries(entries.map(([name, value]) => [`${prefix}${name}`, value]));
}

describe('docs/limits.md', () => {
  it.each([
    ['Servers and chains: `limits`', numbers(DEFAULT_LIMITS)],
    ['Tasks: `tasks`', numbers(DEFAULT_TASKS, '', ['pollInterval'])],
    [
      'Values between calls: `session` and `user`',
      {
        ...numbers(DEFAULT_SESSION_BUCKET, 'session.'),
        // A principal has one bucket.
        ...numbers(DEFAULT_USER_BUCKET, 'user.', ['maxPerPeer']),
      },
    ],
    ['HTTP: `http.limits`', numbers(DEFAULT_HTTP_LIMITS)],
    ['The old HTTP+SSE: `http.legacySse`', numbers(DEFAULT_LEGACY_SSE)],
    ['Sessions and replay in memory: `createMemoryStore()`', numbers(memorySettings({}))],
    ['Sessions and replay on Redis: `createRedisStore()`', numbers(redisSettings({}), '', ['lease'])],
    [
      'Chains: `parked` and `lists`',
      { ...numbers(DEFAULT_PARKING, 'parked.'), ...numbers(DEFAULT_LIST_LIMITS, 'lists.') },
    ],
    ["The inspector's timeline", numbers(DEFAULT_TIMELINE_LIMITS)],
  ])('has every limit of "%s", and its default', (heading, limits) => {
    expect(Object.keys(limits).length).toBeGreaterThan(1);
    expect(table(heading)).toEqual(limits);
  });

  it('has the limit of processes', () => {
    expect(table('Processes: `maxProcesses`')).toEqual({ maxProcesses: DEFAULT_MAX_PROCESSES });
  });

  it('has the defaults of the client', () => {
    const rows = table('Clients: `connect()`');
    const { maxCacheEntries, maxCacheBytes, ...others } = resolveSettings({});
    // As users write them.
    const cache = { maxEntries: maxCacheEntries, maxBytes: maxCacheBytes };
    const settings = { ...numbers(others), ...numbers(cache, 'cache.') };
    const bounds = Object.keys(settings).filter(
      (name) => /^(cache\.)?max/.test(name) && !['maxTimeout', 'maxReplays'].includes(name),
    );
    expect(Object.keys(rows).sort()).toEqual(bounds.sort());
    for (const [name, value] of Object.entries(rows)) expect([name, value]).toEqual([name, settings[name]]);
  });
});
