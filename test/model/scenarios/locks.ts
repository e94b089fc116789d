/** What is done under a lock is done by one node at a time, and everyone gets their turn. */

import type { Scenario } from '../schedule.js';

const WORKERS = 3;
const WORK_MS = 300;

export function locks(): Scenario {
  const working = new Set<string>();
  const violations: string[] = [];
  return {
    name: 'locks',
    furnish: () => undefined,
    prepare: () => Promise.resolve(),
    live: async (world) => {
      const work = async (name: string): Promise<void> => {
        const node = world.nodes[world.choose(world.nodes.length)];
        if (node === undefined) return;
        const run = node.store.locks.run('key', async () => {
          for (const other of working) violations.push(`${name} works while ${other} does`);
          working.add(name);
          world.note(() => `${name} works on ${node.name}`);
          await world.steps.delay(WORK_MS);
          working.delete(name);
          world.note(() => `${name} has worked`);
        });
        // Whoever dies with the lock works no more; the others wait until it has expired.
        const died = node.death.then(() => {
          working.delete(name);
        });
        await Promise.race([run, died]).catch(async () => {
          // Redis was away for too long to get the lock.
          await world.steps.delay(WORK_MS);
          await work(name);
        });
      };
      await Promise.all(Array.from({ length: WORKERS }, (_, index) => work(`worker${index}`)));
    },
    violations: () => violations,
  };
}
