import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  encodeError,
  encodeMessage,
  encodeNotification,
  encodeRequest,
  encodeResult,
} from '../../../src/jsonrpc/encode.js';
import { anyText } from '../../support/arbitraries.js';

describe('encoding', () => {
  test('a result is joined with its envelope unchanged', () => {
    expect(encodeResult(1, '{"a":[1,2]}')).toBe('{"jsonrpc":"2.0","id":1,"result":{"a":[1,2]}}');
    expect(encodeResult('1', '{}')).toBe('{"jsonrpc":"2.0","id":"1","result":{}}');
  });

  test('an error has the id of its request, the null of JSON-RPC, or none', () => {
    const error = { code: -32600, message: 'no' };
    expect(encodeError(7, error)).toBe('{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"no"}}');
    expect(encodeError(null, error)).toBe(
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}',
    );
    expect(encodeError(undefined, error)).toBe('{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}');
  });

  test('a call without params has no params member', () => {
    expect(encodeRequest(1, 'ping', undefined)).toBe('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    expect(encodeNotification('a/b', undefined)).toBe('{"jsonrpc":"2.0","method":"a/b"}');
    expect(encodeNotification('a/b', {})).toBe('{"jsonrpc":"2.0","method":"a/b","params":{}}');
  });

  test('ids, methods and params with quotes, newlines and lone surrogates stay one line of JSON', () => {
    const nasty = fc.oneof(anyText, fc.constantFrom('"', '\n', '\u2028', '\ud800', '\\'));
    fc.assert(
      fc.property(nasty, nasty, nasty, (id, method, value) => {
        for (const text of [
          encodeRequest(id, method, { value }),
          encodeNotification(method, { value }),
          encodeResult(id, JSON.stringify({ value })),
          encodeError(id, { code: 1, message: value, data: value }),
          encodeMessage({ jsonrpc: '2.0', id, method, params: { value } }),
        ]) {
          expect(text).not.toMatch(/[\n\r]/);
          expect(() => JSON.parse(text)).not.toThrow();
        }
        expect(JSON.parse(encodeRequest(id, method, { value }))).toEqual(
          JSON.parse(encodeMessage({ jsonrpc: '2.0', id, method, params: { value } })),
        );
      }),
    );
  });

  test('integers of any size are written as JSON numbers', () => {
    expect(JSON.parse(encodeResult(1e21, '{}')).id).toBe(1e21);
    expect(JSON.parse(encodeResult(-5, '{}')).id).toBe(-5);
  });
});
