/** The scanner must never say something else than the decoder; where it is not sure it says nothing. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText } from '../../../src/jsonrpc/decode.js';
import { encodeRequest, encodeResult } from '../../../src/jsonrpc/encode.js';
import { scanParams, scanResult } from '../../../src/jsonrpc/scan.js';
import { keyText, objectText, space, stringText, valueText } from '../../support/json-texts.js';

const idText = fc.oneof(
  fc.integer().map(String),
  stringText,
  fc.constantFrom('null', '1.5', '1.0', '1e2', '9007199254740993'),
);

/** A message whose members stand in any order, with others between them. */
function messageText(parts: fc.Arbitrary<readonly string[]>): fc.Arbitrary<string> {
  const others = fc.array(
    fc.tuple(fc.oneof(keyText(), stringText), valueText).map(([key, value]) => `${key}:${value}`),
    { maxLength: 2 },
  );
  return fc
    .tuple(parts, fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, others), space)
    .chain(([own, more, gap]) =>
      fc
        .shuffledSubarray([...own, ...more], { minLength: own.length + more.length })
        .map((members) => `${gap}{${gap}${members.join(`${gap},${gap}`)}${gap}}${gap}`),
    );
}

const resultText = messageText(
  fc
    .tuple(idText, objectText)
    .map(([id, result]) => ['"jsonrpc":"2.0"', `"id": ${id}`, `"result":${result}`]),
);

const requestText = messageText(
  fc
    .tuple(idText, objectText)
    .map(([id, params]) => ['"jsonrpc": "2.0"', `"id":${id}`, '"method":"tools/call"', `"params":${params}`]),
);

/** One character more, less, or another one. */
function damaged(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(
      texts,
      fc.nat(),
      fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', ' ', '1', 'x'),
      fc.boolean(),
    )
    .map(([text, place, inserted, replaces]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + inserted + text.slice(replaces ? at + 1 : at);
    });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What becomes of a value that is decoded and encoded again: JSON has no infinity, and no minus zero either. */
function reencoded(text: string): unknown {
  return JSON.parse(JSON.stringify(JSON.parse(text)));
}

const RUNS = { numRuns: 1500 };

describe('a result', () => {
  test('is what the decoder makes of it, or nothing', () => {
    fc.assert(
      fc.property(fc.oneof(resultText, requestText, damaged(resultText)), (text) => {
        const scanned = scanResult(text);
        if (scanned === undefined || !isJson(text)) return;
        const decoded = decodeText(text);
        if (decoded.kind !== 'result') throw new Error(`decoded as ${decoded.kind}`);
        expect(scanned.id).toBe(decoded.message.id);
        expect(JSON.parse(scanned.result)).toEqual(decoded.message.result);
      }),
      RUNS,
    );
  });

  test('put behind another id is what decoding and encoding gives', () => {
    fc.assert(
      fc.property(resultText, fc.oneof(fc.integer(), fc.string()), (text, id) => {
        const scanned = scanResult(text);
        const decoded = decodeText(text);
        if (scanned === undefined || decoded.kind !== 'result') return;
        const spliced = encodeResult(id, scanned.result);
        expect(reencoded(spliced)).toEqual(
          JSON.parse(encodeResult(id, JSON.stringify(decoded.message.result))),
        );
      }),
      RUNS,
    );
  });

  test('is found in every message as software writes it', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer(), fc.string()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (id, result) => {
          const text = JSON.stringify({ jsonrpc: '2.0', id, result });
          expect(scanResult(text)).toEqual({ id, result: JSON.stringify(result) });
          const spread = JSON.stringify({ result, id, jsonrpc: '2.0' }, null, 2);
          expect(JSON.parse(scanResult(spread)?.result ?? '')).toEqual(JSON.parse(JSON.stringify(result)));
        },
      ),
    );
  });

  test.each([
    ['a key that comes twice', '{"jsonrpc":"2.0","id":1,"id":2,"result":{}}'],
    ['a key spelled with escapes', '{"jsonrpc":"2.0","\\u0069d":1,"result":{}}'],
    ['an error beside it', '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1}}'],
    ['a method beside it', '{"jsonrpc":"2.0","id":1,"result":{},"method":"x"}'],
    ['no version', '{"id":1,"result":{}}'],
    ['a version spelled with escapes', '{"jsonrpc":"2\\u002e0","id":1,"result":{}}'],
    ['an id that is no integer', '{"jsonrpc":"2.0","id":1.5,"result":{}}'],
    ['a result that is no object', '{"jsonrpc":"2.0","id":1,"result":[1]}'],
    ['something behind it', '{"jsonrpc":"2.0","id":1,"result":{}} {}'],
    ['no end', '{"jsonrpc":"2.0","id":1,"result":{"a":"'],
    ['brackets that do not match', '{"jsonrpc":"2.0","id":1,"result":{"a":[}]}'],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"result":{}}]'],
  ])('is left to the decoder with %s', (_what, text) => {
    expect(scanResult(text)).toBeUndefined();
  });

  test('is left to the decoder where it nests deeper than the decoder admits', () => {
    const nested = (depth: number): string =>
      `{"jsonrpc":"2.0","id":1,"result":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`;
    expect(decodeText(nested(511)).kind).toBe('result');
    expect(scanResult(nested(511))).toBeDefined();
    expect(decodeText(nested(512)).kind).toBe('malformed');
    expect(scanResult(nested(512))).toBeUndefined();
  });
});

describe('the params of a request', () => {
  test('put behind another id are what decoding and encoding gives', () => {
    let found = 0;
    fc.assert(
      fc.property(requestText, fc.integer(), (text, id) => {
        const decoded = decodeText(text);
        const params = scanParams(text);
        if (decoded.kind !== 'request' || params === undefined) return;
        found += 1;
        const { method } = decoded.message;
        const spliced = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${params}}`;
        expect(reencoded(spliced)).toEqual(JSON.parse(encodeRequest(id, method, decoded.message.params)));
      }),
      RUNS,
    );
    expect(found).toBeGreaterThan(RUNS.numRuns / 10);
  });

  test.each([
    [
      'a name that comes twice',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}',
    ],
    [
      'a name spelled with escapes',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"n\\u0061me":"b"}}',
    ],
    ['two params', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{},"params":{"name":"b"}}'],
    ['none', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
  ])('are left to the encoder with %s', (_what, text) => {
    expect(scanParams(text)).toBeUndefined();
  });
});
