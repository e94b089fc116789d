import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Batch,
  type Decoded,
  decodeText,
  decodeValue,
  type Malformed,
} from '../../../src/jsonrpc/decode.js';
import { encodeMessage } from '../../../src/jsonrpc/encode.js';
import type { Message } from '../../../src/jsonrpc/message.js';
import { anyText } from '../../support/arbitraries.js';

function malformed(text: string): Malformed {
  const decoded = decodeText(text);
  if (decoded.kind !== 'malformed') throw new Error(`${text} decoded as ${decoded.kind}`);
  return decoded;
}

const nested = (depth: number, inner = '1'): string => '['.repeat(depth) + inner + ']'.repeat(depth);

describe('what is a message', () => {
  test('a request has a method and an id', () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect(decodeText(JSON.stringify(message))).toEqual({ kind: 'request', message });
  });

  test('a notification has a method and no id', () => {
    const message = { jsonrpc: '2.0', method: 'notifications/initialized', params: {} };
    expect(decodeText(JSON.stringify(message))).toEqual({ kind: 'notification', message });
  });

  test('a result has an id and a result', () => {
    const message = { jsonrpc: '2.0', id: 'a', result: {} };
    expect(decodeText(JSON.stringify(message))).toEqual({ kind: 'result', message });
  });

  test('an error keeps its code, message and data', () => {
    const error = { code: -32601, message: 'no', data: { method: 'x' } };
    expect(decodeText(JSON.stringify({ jsonrpc: '2.0', id: 3, error }))).toEqual({
      kind: 'error',
      id: 3,
      error,
    });
  });

  test('an error without a message gets a default text, and its data only when it had some', () => {
    const decoded = decodeText('{"jsonrpc":"2.0","id":3,"error":{"code":-1}}');
    expect(decoded).toEqual({
      kind: 'error',
      id: 3,
      error: { code: -1, message: expect.stringMatching(/without a message/) },
    });
    expect(decoded.kind === 'error' && 'data' in decoded.error).toBe(false);
  });

  test.each(['null', 'absent'])('an error may have an id that is %s', (id) => {
    const text = `{"jsonrpc":"2.0",${id === 'null' ? '"id":null,' : ''}"error":{"code":-32700,"message":"?"}}`;
    expect(decodeText(text)).toMatchObject({ kind: 'error', id: undefined });
  });

  test('a batch is handed on undecoded, also an empty one', () => {
    expect(decodeText('[1,{"a":2}]')).toEqual({ kind: 'batch', items: [1, { a: 2 }] });
    expect(decodeText('[]')).toEqual({ kind: 'batch', items: [] });
  });

  test('unknown members are tolerated on every kind', () => {
    expect(decodeText('{"jsonrpc":"2.0","id":1,"method":"m","x":1}').kind).toBe('request');
    expect(decodeText('{"jsonrpc":"2.0","method":"m","x":1}').kind).toBe('notification');
    expect(decodeText('{"jsonrpc":"2.0","id":1,"result":{},"x":1}').kind).toBe('result');
    expect(decodeText('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","x":1},"x":1}').kind).toBe(
      'error',
    );
  });
});

describe('ids', () => {
  test.each([
    ['"7"', '7'],
    ['7', 7],
    ['0', 0],
    ['-1', -1],
    ['""', ''],
    ['7.0', 7],
  ])('%s keeps its type', (text, id) => {
    const decoded = decodeText(`{"jsonrpc":"2.0","id":${text},"method":"m"}`);
    expect(decoded).toMatchObject({ kind: 'request', message: { id } });
  });

  test.each(['null', '1.5', 'true', '{}', '[1]', '1e400'])('a request with id %s is malformed', (id) => {
    expect(malformed(`{"jsonrpc":"2.0","id":${id},"method":"m"}`)).toMatchObject({
      code: -32600,
      id: undefined,
      isAnswer: false,
      reason: expect.stringContaining('id'),
    });
  });

  test('a readable id survives whatever else is wrong', () => {
    expect(malformed('{"id":"x","method":"m"}').id).toBe('x');
    expect(malformed('{"jsonrpc":"2.0","id":4}').id).toBe(4);
    expect(malformed('{"jsonrpc":"2.0","id":4,"method":5}').id).toBe(4);
    expect(malformed('{"jsonrpc":"2.0","id":4,"method":"m","params":[]}').id).toBe(4);
    expect(malformed(`{"jsonrpc":"2.0","id":4,"method":"m","params":{"a":${nested(600)}}}`).id).toBe(4);
  });
});

describe('what is not a message', () => {
  test.each(['', '{', 'nonsense', '{"a":1}{"b":2}', '\u0000', "{'a':1}", '{"a":NaN}', '\ufeff{}'])(
    '%j is a parse error',
    (text) => {
      expect(malformed(text)).toMatchObject({ code: -32700, id: undefined, isAnswer: false });
    },
  );

  test.each(['1', '"text"', 'null', 'true'])('%s is JSON, but no message', (text) => {
    expect(malformed(text).code).toBe(-32600);
  });

  test.each([
    ['no version', '{"id":1,"method":"m"}'],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"m"}'],
    ['a number for a version', '{"jsonrpc":2.0,"id":1,"method":"m"}'],
    ['nothing to do', '{"jsonrpc":"2.0","id":1}'],
    ['a method that is no string', '{"jsonrpc":"2.0","id":1,"method":null}'],
    ['positional params', '{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}'],
    ['null params', '{"jsonrpc":"2.0","id":1,"method":"m","params":null}'],
    ['a method and a result', '{"jsonrpc":"2.0","id":1,"method":"m","result":{}}'],
    ['a method and an error', '{"jsonrpc":"2.0","id":1,"method":"m","error":{"code":1,"message":""}}'],
  ])('a request with %s is refused, and may be answered', (_name, text) => {
    expect(malformed(text)).toMatchObject({ code: -32600, id: 1, isAnswer: false });
  });

  test.each([
    ['a result that is no object', '{"jsonrpc":"2.0","id":1,"result":5}', 1],
    ['a null result', '{"jsonrpc":"2.0","id":1,"result":null}', 1],
    ['a result without id', '{"jsonrpc":"2.0","result":{}}', undefined],
    ['an error that is a string', '{"jsonrpc":"2.0","id":1,"error":"no"}', 1],
    ['an error without a code', '{"jsonrpc":"2.0","id":1,"error":{"message":"no"}}', 1],
    ['a result and an error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}', 1],
  ])('an answer with %s is malformed, and not to be answered', (_name, text, id) => {
    expect(malformed(text)).toMatchObject({ code: -32600, id, isAnswer: true });
  });
});

describe('parser differentials', () => {
  test('member names are exact: no other case, no NUL inside', () => {
    expect(malformed('{"jsonrpc":"2.0","id":1,"Method":"tools/call"}').code).toBe(-32600);
    expect(malformed('{"jsonrpc":"2.0","id":1,"method\\u0000":"tools/call"}').code).toBe(-32600);
    expect(malformed('{"JSONRPC":"2.0","id":1,"method":"m"}').code).toBe(-32600);
  });

  test('of duplicate names the last one counts, for every member alike', () => {
    const decoded = decodeText('{"jsonrpc":"2.0","id":1,"id":2,"method":"safe","method":"other"}');
    expect(decoded).toMatchObject({ kind: 'request', message: { id: 2, method: 'other' } });
  });

  test('__proto__ and constructor are inert names', () => {
    expect(malformed('{"jsonrpc":"2.0","id":1,"__proto__":{"method":"m"}}').reason).toMatch(/needs "method"/);
    expect(malformed('{"jsonrpc":"2.0","__proto__":{"id":1},"result":{}}').id).toBeUndefined();
    const decoded = decodeText(
      '{"jsonrpc":"2.0","id":1,"method":"m","params":{"__proto__":{"polluted":true}}}',
    );
    expect(decoded.kind).toBe('request');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('nesting', () => {
  const wrap = (params: string): string => `{"jsonrpc":"2.0","id":1,"method":"m","params":${params}}`;

  test('is accepted up to the limit and refused beyond it', () => {
    // The message and its params are two levels themselves.
    expect(decodeText(wrap(`{"a":${nested(510)}}`)).kind).toBe('request');
    expect(malformed(wrap(`{"a":${nested(511)}}`))).toMatchObject({
      code: -32600,
      reason: expect.stringContaining('512'),
    });
  });

  test('is counted for batches and for texts barely long enough to exceed it', () => {
    expect(decodeText(nested(512, ''))).toMatchObject({ kind: 'batch' });
    expect(decodeText(nested(513, ''))).toMatchObject({ kind: 'malformed', code: -32600 });
    expect(decodeText(nested(3, ''), { maxDepth: 2 })).toMatchObject({ kind: 'malformed' });
    expect(decodeText(nested(2, ''), { maxDepth: 2 })).toMatchObject({ kind: 'batch' });
  });

  test('too deep in an answer still tells whose answer it is', () => {
    expect(malformed(`{"jsonrpc":"2.0","id":9,"result":{"a":${nested(600)}}}`)).toMatchObject({
      id: 9,
      isAnswer: true,
    });
    const error = `{"code":1,"message":"","data":${nested(600)}}`;
    expect(malformed(`{"jsonrpc":"2.0","id":9,"error":${error}}`)).toMatchObject({ id: 9, isAnswer: true });
    expect(malformed(wrap(`{"a":${nested(600)}}`))).toMatchObject({ id: 1, isAnswer: false });
  });

  test('of a hundred thousand levels does not overflow the stack', () => {
    expect(malformed(nested(100_000)).reason).toMatch(/Nested deeper/);
    expect(malformed(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`).reason).toMatch(/Nested deeper/);
  });
});

describe('decoding', () => {
  const id = fc.oneof(fc.string(), fc.integer());
  const params = fc.option(fc.dictionary(fc.string(), fc.jsonValue()), { nil: undefined });
  const withParams = (value: Record<string, unknown> | undefined) =>
    value === undefined ? {} : { params: value };
  const message: fc.Arbitrary<Message> = fc.oneof(
    fc
      .tuple(id, fc.string(), params)
      .map(([i, method, p]) => ({ jsonrpc: '2.0' as const, id: i, method, ...withParams(p) })),
    fc
      .tuple(fc.string(), params)
      .map(([method, p]) => ({ jsonrpc: '2.0' as const, method, ...withParams(p) })),
    fc
      .tuple(id, fc.dictionary(fc.string(), fc.jsonValue()))
      .map(([i, result]) => ({ jsonrpc: '2.0' as const, id: i, result })),
    fc
      .tuple(
        fc.option(id, { nil: undefined }),
        fc.integer(),
        fc.string(),
        fc.option(fc.jsonValue(), { nil: undefined }),
      )
      .map(([i, code, text, data]) => ({
        jsonrpc: '2.0' as const,
        ...(i === undefined ? {} : { id: i }),
        error: data === undefined ? { code, message: text } : { code, message: text, data },
      })),
  );

  const back = (decoded: Decoded | Batch): unknown => {
    if (decoded.kind === 'batch' || decoded.kind === 'malformed') return decoded;
    if (decoded.kind !== 'error') return decoded.message;
    const { id: errorId, error } = decoded;
    return { jsonrpc: '2.0', ...(errorId === undefined ? {} : { id: errorId }), error };
  };

  test('gives back what was encoded', () => {
    fc.assert(
      fc.property(message, (sent) => {
        const text = encodeMessage(sent);
        expect(text).not.toMatch(/[\n\r]/);
        // -0 has no JSON of its own.
        expect(JSON.stringify(back(decodeText(text)))).toBe(text);
        expect(back(decodeText(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.json()), (text) => {
        expect(['request', 'notification', 'result', 'error', 'malformed', 'batch']).toContain(
          decodeText(text).kind,
        );
      }),
      { numRuns: 500 },
    );
  });

  test('never throws, whatever the members hold', () => {
    const member = fc.option(fc.jsonValue(), { nil: undefined });
    const anything = fc.record(
      {
        jsonrpc: fc.oneof(fc.constant('2.0'), member),
        id: member,
        method: member,
        params: member,
        result: member,
        error: member,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(anything, (value) => {
        expect(decodeValue(JSON.parse(JSON.stringify(value)))).toHaveProperty('kind');
      }),
      { numRuns: 500 },
    );
  });
});
