/** JSON as nobody would write it, and everybody may. */

import fc from 'fast-check';

export const space: fc.Arbitrary<string> = fc.string({
  unit: fc.constantFrom(' ', '\t', '\n', '\r'),
  maxLength: 3,
});

/** A string as JSON, some of its characters spelled with escapes though they need none. */
export const stringText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
        .map((text) => JSON.stringify(text).slice(1, -1)),
      fc.constantFrom(
        '\\"',
        '\\\\',
        '\\\\\\"',
        '\\u0022',
        '\\ud83d\\ude00',
        '\\ud800',
        '\\/',
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
      ),
      fc.constantFrom('\\"result\\":{', '\\"id\\":7,', '}}', '"'.padStart(2, '\\')),
    ),
    { maxLength: 6 },
  )
  .map((parts) => `"${parts.join('')}"`);

const numberText = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom('0', '-0', '1e5', '-1.5E-7', '12345678901234567890', '1e999', '0.1'),
);

/** A JSON text with everything that spelling leaves free: white space, escapes, keys that come twice, look-alikes. */
const { valueText: anyValue } = fc.letrec<{ valueText: string; object: string; array: string }>((tie) => ({
  valueText: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    stringText,
    numberText,
    fc.constantFrom('true', 'false', 'null', '{}', '[]'),
    tie('object'),
    tie('array'),
  ),
  object: fc
    .array(fc.tuple(fc.oneof(keyText(), stringText), tie('valueText'), space), { maxLength: 4 })
    .map(
      (members) => `{${members.map(([key, value, gap]) => `${gap}${key}${gap}:${value}${gap}`).join(',')}}`,
    ),
  array: fc
    .array(fc.tuple(tie('valueText'), space), { maxLength: 4 })
    .map((items) => `[${items.map(([value, gap]) => `${gap}${value}`).join(',')}]`),
}));

export const valueText: fc.Arbitrary<string> = anyValue;

export function keyText(): fc.Arbitrary<string> {
  return fc.constantFrom(
    '"id"',
    '"result"',
    '"params"',
    '"method"',
    '"jsonrpc"',
    '"name"',
    '"_meta"',
    '"__proto__"',
    '"i\\u0064"',
  );
}

export const objectText: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.oneof(keyText(), stringText), valueText, space), { maxLength: 5 })
  .map((members) => `{${members.map(([key, value, gap]) => `${gap}${key}:${gap}${value}`).join(',')}}`);
