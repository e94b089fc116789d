/** Counts of malformed messages, faults and lost messages, also reported to the observer of the server. */

import type { ServerStats } from './host.js';

export function createStats(told: (kind: keyof ServerStats) => void): ServerStats {
  const counts = { malformed: 0, faults: 0, lost: 0 };
  const counter = (kind: keyof ServerStats): PropertyDescriptor & ThisType<unknown> => ({
    enumerable: true,
    get: () => counts[kind],
    set: (value: number) => {
      counts[kind] = value;
      told(kind);
    },
  });
  const stats: ServerStats = { ...counts };
  Object.defineProperties(stats, {
    malformed: counter('malformed'),
    faults: counter('faults'),
    lost: counter('lost'),
  });
  return stats;
}
