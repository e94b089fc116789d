/** Durations as options take them: `500ms`, `30s`, `5m`, `1h`, or a number of milliseconds. */

/** The units of durations and rates, in milliseconds. */
export const DURATION_UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['sec', 1_000],
  ['m', 60_000],
  ['min', 60_000],
  ['h', 3_600_000],
  ['hour', 3_600_000],
]);

/** A number of milliseconds, or a number with a unit: `'500ms'`, `'30s'`, `'5m'`, `'1h'`. */
export type Duration = number | string;

export function milliseconds(duration: Duration): number {
  if (typeof duration === 'number') return duration;
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/.exec(duration.trim()) ?? [];
  const factor = DURATION_UNITS.get(unit);
  if (factor === undefined || amount === '')
    throw new TypeError(`"${duration}" is not a duration; write 500ms, 30s, 5m or 1h`);
  return Number(amount) * factor;
}
