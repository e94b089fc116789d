/** `500ms`, `30s`, `5m`, `1h`, or a number of milliseconds; and rates such as `100/min`. */

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['sec', 1_000],
  ['m', 60_000],
  ['min', 60_000],
  ['h', 3_600_000],
  ['hour', 3_600_000],
]);

export type Duration = number | string;

export function milliseconds(duration: Duration): number {
  if (typeof duration === 'number') return duration;
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/.exec(duration.trim()) ?? [];
  const factor = UNITS.get(unit);
  if (factor === undefined || amount === '')
    throw new TypeError(`"${duration}" is not a duration; write 500ms, 30s, 5m or 1h`);
  return Number(amount) * factor;
}

export interface Rate {
  readonly count: number;
  readonly perMs: number;
}

export function parseRate(rate: string): Rate {
  const [, count = '', unit = ''] = /^(\d+)\s*\/\s*([a-z]+)$/.exec(rate.trim()) ?? [];
  const perMs = UNITS.get(unit);
  if (perMs === undefined || Number(count) === 0)
    throw new TypeError(`"${rate}" is no rate; write 100/min or 5/s`);
  return { count: Number(count), perMs };
}
