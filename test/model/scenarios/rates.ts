/** So many calls as the limit allows are allowed, and no more, on however many nodes and however often they are sent. */

import type { Store } from '../../../src/store/index.js';
import type { Scenario } from '../schedule.js';

const LIMIT = 4;
const CALLS = 6;
/** Longer than a schedule takes: nothing is refilled meanwhile. */
const WINDOW_MS = 3_600_000;

export function rates(): Scenario {
  const stores: Store[] = [];
  let verdicts: boolean[] = [];
  /** Calls whose verdict died with the node that asked, or with a Redis that was away: they may have been counted. */
  let unknown = 0;
  return {
    name: 'rates',
    furnish: (_server, store) => void stores.push(store),
    prepare: () => Promise.resolve(),
    live: async (world, schedule) => {
      [verdicts, unknown] = [[], 0];
      const take = async (): Promise<void> => {
        const node = world.nodes[world.choose(world.nodes.length)];
        if (node === undefined) return;
        const taken = Promise.resolve(
          node.store.rates.take(`ada${schedule}`, { limit: LIMIT, windowMs: WINDOW_MS }),
        );
        const lost = (): undefined => undefined;
        const verdict = await Promise.race([taken.catch(lost), node.death.then(lost)]);
        if (verdict === undefined) unknown += 1;
        else verdicts.push(verdict.allowed);
      };
      await Promise.all(Array.from({ length: CALLS }, take));
    },
    violations: () => {
      const allowed = verdicts.filter(Boolean).length;
      if (allowed > LIMIT) return [`${allowed} calls were allowed, and ${LIMIT} is the limit`];
      if (allowed + unknown < LIMIT)
        return [`only ${allowed} of ${LIMIT} calls were allowed, ${unknown} unknown`];
      return [];
    },
  };
}
