/** Which of the 16,384 slots of a Redis Cluster a key belongs to. */

const SLOTS = 16_384;
const POLYNOMIAL = 0x1021;

/** By the part in braces where there is one: what is used together shares it. */
export function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  const hashed = close > open + 1 ? key.slice(open + 1, close) : key;
  let crc = 0;
  for (const byte of new TextEncoder().encode(hashed)) crc = ((crc << 8) & 0xffff) ^ entry((crc >> 8) ^ byte);
  return crc % SLOTS;
}

const entries: number[] = [];

function entry(index: number): number {
  const known = entries[index];
  if (known !== undefined) return known;
  let crc = index << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ POLYNOMIAL;
  entries[index] = crc & 0xffff;
  return crc & 0xffff;
}

/** The key, or channel, that decides where a command goes. */
export function routeOf(args: readonly string[]): string {
  const [name = '', first = '', , key = ''] = args;
  return name === 'EVALSHA' || name === 'EVAL' ? key : first;
}
