/** Rates such as `100/min`. */

import { DURATION_UNITS } from '../protocol/duration.js';

export interface Rate {
  readonly count: number;
  readonly perMs: number;
}

export function parseRate(rate: string): Rate {
  const [, count = '', unit = ''] = /^(\d+)\s*\/\s*([a-z]+)$/.exec(rate.trim()) ?? [];
  const perMs = DURATION_UNITS.get(unit);
  if (perMs === undefined || Number(count) === 0)
    throw new TypeError(`"${rate}" is no rate; write 100/min or 5/s`);
  return { count: Number(count), perMs };
}
