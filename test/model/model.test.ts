/**
 * Schedules of nodes, clients and a Redis in which things go wrong at the worst moment. The servers and their store are
 * the real ones; see `world.ts`. A later feature that keeps something in the store adds a scenario here.
 */

import { afterAll, describe, expect, it } from 'vitest';
import { type ExploreOptions, explore } from './explore.js';
import { changes } from './scenarios/changes.js';
import { locks } from './scenarios/locks.js';
import { parkedCalls } from './scenarios/parked-calls.js';
import { rates } from './scenarios/rates.js';
import { tasks } from './scenarios/tasks.js';
import { type CreateScenario, run, type Scenario, seeded } from './schedule.js';

interface Promised {
  readonly promise: string;
  readonly create: CreateScenario;
  readonly options?: Partial<ExploreOptions>;
}

const PROMISES: readonly Promised[] = [
  {
    promise: 'announces an acknowledged write to everyone who had subscribed, as often as it ran',
    create: (seed) => changes({ seed, subscribed: true }),
    options: { patient: true },
  },
  {
    promise: 'announces an acknowledged write to everyone who has just subscribed',
    create: (seed) => changes({ seed }),
    options: { patient: true },
  },
  {
    promise: 'announces acknowledged writes as often as they ran to clients on three nodes',
    create: (seed) => changes({ seed, writes: 2 }),
    options: { nodes: 3 },
  },
  {
    promise: 'announces an acknowledged write to a client with two streams',
    create: (seed) => changes({ seed, streams: 2, writes: 2 }),
    // Its streams are those of one schedule: later ones would begin with all that the earlier ones left.
    options: { inOneWorld: 3 },
  },
  {
    promise: 'announces through middleware what was acknowledged',
    create: (seed) => changes({ seed, outbound: true, subscribed: true }),
    options: { patient: true },
  },
  {
    promise: 'ends a call that asks with the answer that was given, and asks once',
    create: (seed) => parkedCalls({ seed, once: true }),
  },
  {
    promise: 'ends a call that asks, although Redis is away for long',
    create: (seed) => parkedCalls({ seed, once: false }),
    options: { patient: true },
  },
  { promise: 'ends a task with its result or a reason, the same for everyone', create: tasks },
  {
    promise: 'ends a task, although Redis is away for long',
    create: tasks,
    options: { patient: true },
  },
  { promise: 'allows as many calls as the limit says', create: rates, options: { patient: true } },
  {
    promise: 'lets one work at a time under a lock, and everyone in turn',
    create: locks,
    options: { patient: true },
  },
  {
    // Two may work at once then; docs/scale.md says so.
    promise: 'gives everyone the lock in turn, although Redis forgets its last second',
    create: () => ({ ...locks(), violations: () => [] }),
    options: { forgetful: true },
  },
];

const total = { schedules: 0, steps: 0, seconds: 0 };

describe('a service on several nodes', () => {
  afterAll(() => {
    const { schedules, steps, seconds } = total;
    const rate = Math.round(schedules / seconds);
    console.log(`${schedules} schedules of ${steps} steps, ${rate} schedules a second of CPU time`);
  });

  for (const { promise, create, options } of PROMISES) {
    for (const faults of [1, 3]) {
      it(`${promise}, whatever ${faults === 1 ? 'one thing goes' : `${faults} things go`} wrong`, async () => {
        const { found, ...explored } = await explore(create, { faults, schedules: 200, ...options });
        total.schedules += explored.schedules;
        total.steps += explored.steps;
        total.seconds += explored.seconds;
        expect(found?.violations, `MODEL_SEED=${found?.seed}\n${found?.trace}`).toBeUndefined();
      });
    }
  }
});

describe('the model', () => {
  it('runs a schedule again exactly as it was', async () => {
    const options = { faults: 3, traced: true, schedules: 4 };
    const first = await run(() => changes(), seeded(11), options);
    expect(first.log.length).toBeGreaterThan(100);
    expect((await run(() => changes(), seeded(11), options)).log).toEqual(first.log);
  });

  it('finds a write that is announced after its answer, and shows how in a few steps', async () => {
    const careless = (seed: number): Scenario => {
      const scenario = changes({ seed });
      const late = { announce: (update: () => void) => void setTimeout(update, 0) };
      return {
        ...scenario,
        furnish: (server, store) => scenario.furnish(postponing(server, late.announce), store),
      };
    };
    const { found } = await explore(careless, { faults: 1, schedules: 2_000 });
    expect(found?.violations.join()).toContain('never heard of');
    expect(found?.trace).toMatch(/fault: node\d dies/);
  });
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
