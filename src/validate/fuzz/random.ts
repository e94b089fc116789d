/** Random messages that can be had again: the same seed gives the same sequence. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';

/** Numbers from 0 to 1 (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const STRANGE: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '../../etc/passwd',
  '%00',
  'x'.repeat(5_000),
  [],
  [[]],
  {},
  { a: { b: { c: {} } } },
  ['x', 1, null],
  '__proto__',
  'constructor',
  '<script>',
  '\u202e',
  '🎉',
];

/** Changes a message in one to three places. */
export function garble(message: JsonObject, random: () => number): JsonObject {
  let result = message;
  for (let times = 1 + Math.floor(random() * 3); times > 0; times -= 1) {
    const paths = pathsOf(result);
    const path = paths[Math.floor(random() * paths.length)] ?? [];
    result = change(result, path, random);
  }
  return result;
}

function pathsOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (!isRecord(value)) return path.length === 0 ? [] : [path];
  return [
    ...(path.length === 0 ? [] : [path]),
    ...Object.entries(value).flatMap(([key, child]) => pathsOf(child, [...path, key])),
  ];
}

function change(message: JsonObject, path: readonly string[], random: () => number): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return message;
  const child = message[key];
  if (rest.length > 0 && isRecord(child)) return { ...message, [key]: change(child, rest, random) };
  const chance = random();
  if (chance < 0.2) return Object.fromEntries(Object.entries(message).filter(([name]) => name !== key));
  const strange = STRANGE[Math.floor(random() * STRANGE.length)];
  if (chance < 0.3) return { ...message, [String(strange)]: child };
  return { ...message, [key]: strange };
}

/** Every message with one field less, the outer ones first: what shrinking tries. */
export function smaller(message: JsonObject): readonly JsonObject[] {
  const keys = Object.keys(message);
  const without = keys.map((key) =>
    Object.fromEntries(Object.entries(message).filter(([name]) => name !== key)),
  );
  const within = keys.flatMap((key) => {
    const child = message[key];
    return isRecord(child) ? smaller(child).map((less) => ({ ...message, [key]: less })) : [];
  });
  return [...without, ...within];
}
