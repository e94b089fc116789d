/** Sizes as options take them: `64KB`, `4MB`, `1GB` (powers of 1024), or a number of bytes. */

const SIZE_UNITS: ReadonlyMap<string, number> = new Map([
  ['b', 1],
  ['kb', 1024],
  ['mb', 1024 ** 2],
  ['gb', 1024 ** 3],
]);

/** A number of bytes, or a number with a unit: `'64KB'`, `'4MB'`, `'1GB'`. */
export type Size = number | string;

export function byteCount(size: Size): number {
  if (typeof size === 'number') return size;
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/.exec(size.trim().toLowerCase()) ?? [];
  const factor = SIZE_UNITS.get(unit);
  if (factor === undefined || amount === '')
    throw new TypeError(`"${size}" is not a size; write 64KB, 4MB or 1GB`);
  return Math.floor(Number(amount) * factor);
}
