/** Expectations written as text: those of older test files, and what ours adds, read without running code. */

import { describe, expect, test } from 'vitest';
import { compileExpectation } from '../../../src/testing/expect/expectation.js';
import { compileExpression } from '../../../src/testing/expect/expression-check.js';
import type { Observed } from '../../../src/testing/expect/subject.js';

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

const holds = async (source: string, result: unknown, more: Partial<Observed> = {}): Promise<boolean> =>
  (await compileExpression(source)({ result, ...more })).length === 0;

describe('an expression', () => {
  test.each<[string, unknown, boolean]>([
    ['exists', {}, true],
    ['exists', null, false],
    ['exists', undefined, false],
    ['contains:wor', text('hello world'), true],
    ['contains:sun', text('hello world'), false],
    ["content[0].text === '8'", text('8'), true],
    ['content[0].text === "8"', text('9'), false],
    ['content[0].text == 8', text('8'), true],
    ['content[0].text !== "8"', text('9'), true],
    ['content[0].text != 8', text('8'), false],
    ['content && content.length > 0', text('x'), true],
    ['content.length >= 1', text('x'), true],
    ['content.length <= 0', text('x'), false],
    ['content.length < 2', text('x'), true],
    ['length > 0', [1], true],
    ['length === 2', 'ab', true],
    ['count >= 1', text('x'), true],
    ['messageId !== undefined', { messageId: 'a' }, true],
    ['messageId !== undefined', {}, false],
    ['error === null', { error: null }, true],
    ['done === true', { structuredContent: { done: true } }, true],
    ['user.id === 1 && user.email', text('{"user":{"id":1,"email":"a@b"}}'), true],
    ['result === 8', text('8'), true],
    ["result === 'Hello, World!'", text('Hello, World!'), true],
    ["contents[0].text.includes('Hello, john')", { contents: [{ text: 'Hello, john!' }] }, true],
    ['Array.isArray(embedding) && embedding.length === 2', text('{"embedding":[1,2]}'), true],
    ['rows.length > 0 && rows.every(r => r.active === true)', text('{"rows":[{"active":true}]}'), true],
    ['rows.every(r => r.active === true)', text('{"rows":[{"active":false}]}'), false],
    [
      "results.length <= 10 && results.every(r => r.title.toLowerCase().includes('typescript'))",
      text('{"results":[{"title":"TypeScript"}]}'),
      true,
    ],
    ['content[0].text === hello', text('hello'), true],
    ['content[0].text === hello world', text('hello world'), true],
    ['!missing', {}, true],
    ['a + b === 3', { a: 1, b: 2 }, true],
    ['a > 0 ? b === 2 : false', { a: 1, b: 2 }, true],
    ['missing.deep.path', {}, false],
    ['missing > 0', {}, false],
    ["'10' > 9", {}, false],
  ])('%s of %j is %s', async (source, result, expected) => {
    expect(await holds(source, result)).toBe(expected);
  });

  test('sees progress, log messages, questions and the time that a call took', async () => {
    const more = { progress: [{ progress: 1 }], logs: [{ level: 'info' }], asked: [], duration: 5, count: 3 };
    expect(await holds('progress.length === 1 && logs[0].level === "info"', {}, more)).toBe(true);
    expect(await holds('asked.length === 0 && duration < 10 && count === 3', {}, more)).toBe(true);
  });

  test('reports the part that is false, with its value', async () => {
    const [problem] = await compileExpression("content.length > 0 && content[0].text === '8'")({
      result: text('9'),
    });
    expect(problem).toMatchObject({ path: 'content[0].text', actual: '9' });
    expect(problem?.message).toBe(`expected content[0].text === '8', but content[0].text is "9"`);
  });

  test.each([
    "constructor.constructor('return 1')()",
    "content.constructor === 'x'",
    '__proto__.polluted',
    "''.__proto__",
    "content[0]['constructor']",
    'toString.call',
  ])('%s reaches no code', async (source) => {
    expect(await holds(source, text('x'))).toBe(false);
  });

  test.each(['content[0', "content === 'x", 'a ===', '', '(a', 'a b c'])('%j is refused', (source) => {
    expect(() => compileExpression(source)).toThrow();
  });

  test('ends, however many steps it would take', async () => {
    const items = Array.from({ length: 2_000 }, (_, index) => index);
    const problems = await compileExpression('items.every(a => items.every(b => a + b >= 0))')({
      result: { items },
    });
    expect(problems[0]?.message).toMatch(/too many steps/);
  });
});

describe('an expectation as an object', () => {
  const result = {
    content: [{ type: 'text', text: 'The sum is 8.' }],
    structuredContent: { sum: 8, parts: [5, 3], label: 'sum' },
  };
  test.each<[string, unknown, boolean]>([
    ['equals', { equals: { sum: 8, parts: [5, 3], label: 'sum' } }, true],
    ['equals less', { equals: { sum: 8 } }, false],
    ['partial', { partial: { sum: 8 } }, true],
    ['partial of the whole result', { partial: { content: [{ text: 'The sum is 8.' }] } }, true],
    ['partial other', { partial: { sum: 9 } }, false],
    ['contains', { contains: 'sum is' }, true],
    ['contains all', { contains: ['sum', 'nothing'] }, false],
    ['matches', { matches: 'sum is \\d\\.$' }, true],
    ['matches with flags', { matches: '/THE SUM/i' }, true],
    ['path and number', { path: { 'structuredContent.sum': { gt: 7, lt: 9 } } }, true],
    ['path into the value', { path: { sum: { gte: 8, lte: 8 } } }, true],
    ['path and value', { path: { '$.structuredContent.parts[1]': 3 } }, true],
    ['path and other value', { path: { '$.structuredContent.parts[1]': 4 } }, false],
    ['path to nothing', { path: { '$.structuredContent.no': 4 } }, false],
    ['plural path', { path: { '$..sum': [8] } }, true],
    ['count at a path', { path: { parts: { count: 2 } } }, true],
    ['length', { path: { label: { length: '>= 3' } } }, true],
    ['type', { path: { label: { type: 'string' } } }, true],
    [
      'schema',
      { schema: { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] } },
      true,
    ],
    ['schema that does not fit', { schema: { type: 'object', required: ['missing'] } }, false],
    ['not', { not: { contains: 'error' } }, true],
    ['anyOf', { anyOf: [{ contains: 'error' }, 'structuredContent.sum === 8'] }, true],
    ['anyOf none', { anyOf: [{ contains: 'error' }, 'structuredContent.sum === 9'] }, false],
    ['a list', ['exists', { contains: 'sum' }], true],
    ['a function', (given: unknown) => given === result, true],
    [
      'a function that throws',
      () => {
        throw new Error('no');
      },
      false,
    ],
  ])('%s', async (_name, expectation, expected) => {
    const problems = await compileExpectation(expectation, 'expect')({ result });
    expect(problems.length === 0).toBe(expected);
  });

  test('written for the whole result is compared with the whole result', async () => {
    const check = compileExpectation({ partial: { structuredContent: { sum: 9 } } }, 'expect');
    const problems = await check({ result: { ...text('8'), structuredContent: { sum: 8 } } });
    expect(problems).toMatchObject([{ path: 'structuredContent.sum', expected: 9, actual: 8 }]);
  });

  test('differences are reported by path', async () => {
    const problems = await compileExpectation({ partial: { sum: 9, parts: [5, 4] } }, 'expect')({ result });
    expect(problems.map(({ path, expected, actual }) => [path, expected, actual])).toEqual([
      ['sum', 9, 8],
      ['parts[1]', 4, 3],
    ]);
  });

  test.each<[unknown, RegExp]>([
    [{ equal: 1 }, /expect\.equal is not an expectation; known: equals,/],
    [{ matches: '(' }, /expect\.matches: Invalid regular expression/],
    [{ count: 'many' }, /expect\.count must be a number/],
    ['content[', /is not an expression/],
    [3, /must be a text, an object, a list or a function/],
  ])('%j is refused with its place', (expectation, message) => {
    expect(() => compileExpectation(expectation, 'expect')).toThrow(message);
  });
});
