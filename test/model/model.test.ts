/**
 * Schedules of nodes, clients and a Redis in which things go wrong at the worst moment. The servers and their store are
 * the real ones; see `world.ts`. A later feature that keeps something in the store adds a scenario here.
 */

import { describe, expect, it } from 'vitest';
import { explore } from './explore.js';
import { changes } from './scenarios/changes.js';
import { run, type Scenario, seeded } from './schedule.js';

/** What a scenario promises, and for how long schedules are tried. */
const SCENARIOS: readonly (readonly [promise: string, create: () => Scenario])[] = [
  ['announces an acknowledged write to everyone who had subscribed, as often as it ran', changes],
];

describe('a service on several nodes', () => {
  for (const [promise, create] of SCENARIOS) {
    for (const faults of [1, 3]) {
      it(`${promise}, whatever ${faults === 1 ? 'one thing goes' : `${faults} things go`} wrong`, async () => {
        const { found } = await explore(create, { faults, schedules: 60, milliseconds: 2_000 });
        expect(found, found?.trace).toBeUndefined();
      }, 60_000);
    }
  }
});

describe('the model', () => {
  it('runs a schedule again exactly as it was', async () => {
    const options = { faults: 3, traced: true };
    const first = await run(changes, seeded(11), options);
    expect(first.log.length).toBeGreaterThan(100);
    expect((await run(changes, seeded(11), options)).log).toEqual(first.log);
  });

  it('finds a write that is announced after its answer, and shows how in a few steps', async () => {
    const careless = (): Scenario => {
      const scenario = changes();
      const late = { announce: (update: () => void) => void setTimeout(update, 0) };
      return {
        ...scenario,
        furnish: (server, store) => scenario.furnish(postponing(server, late.announce), store),
      };
    };
    const { found } = await explore(careless, { faults: 1, schedules: 2_000 });
    expect(found?.violations.join()).toContain('never heard of');
    expect(found?.trace).toMatch(/fault: node\d dies/);
  }, 120_000);
});

/** A server whose announcements leave when they please. */
function postponing<T extends { resourceUpdated(uri: string): void }>(
  server: T,
  postpone: (update: () => void) => void,
): T {
  const update = server.resourceUpdated.bind(server);
  server.resourceUpdated = (uri) => postpone(() => update(uri));
  return server;
}
