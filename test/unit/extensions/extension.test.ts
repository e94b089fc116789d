import { defineExtension } from 'plumb-mcp/extensions';
import { expect, test } from 'vitest';

test('an id without a prefix is refused', () => {
  expect(() => defineExtension({ id: 'stations' })).toThrow(/must be a prefix and a name/);
  expect(() => defineExtension({ id: 'com.example/' })).toThrow(/must be a prefix and a name/);
});

test('error codes that the protocol keeps for itself are refused', () => {
  expect(() => defineExtension({ id: 'com.example/x', errors: { lost: -32021 } })).toThrow(
    /use an integer outside -32768 to -32000/,
  );
});

test('an error is known again by its number', () => {
  const extension = defineExtension({ id: 'com.example/x', errors: { lost: 4001, late: 4002 } });
  const error = extension.error('late', 'Too late', { by: 3 });
  expect(error.toErrorObject()).toEqual({ code: 4002, message: 'Too late', data: { by: 3 } });
  expect(extension.errorName(error)).toBe('late');
  expect(extension.errorName(new Error('other'))).toBeUndefined();
});
