/**
 * @param {number | undefined} value
 * @param {number} [digits]
 */
export function format(value, digits = 2) {
  if (value === undefined || !Number.isFinite(value)) return '-';
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/**
 * The median, and how far the rounds lay apart.
 *
 * @param {import('../results.mjs').Spread | undefined} spread
 * @param {number} [digits]
 */
export function formatSpread(spread, digits = 2) {
  if (spread === undefined) return '-';
  const { median, min, max } = spread;
  if (min === max) return format(median, digits);
  return `${format(median, digits)} (${format(min, digits)}–${format(max, digits)})`;
}
