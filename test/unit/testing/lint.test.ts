import { describe, expect, test } from 'vitest';
import { PROVIDER_RULES, PROVIDERS } from '../../../src/middleware/fit/provider-rules.js';
import { lintTools } from '../../../src/testing/lint/lint.js';
import { estimateTokens } from '../../../src/testing/lint/tokens.js';

const tool = (more: object = {}) => ({
  name: 'run',
  description: 'Runs',
  inputSchema: { type: 'object', properties: { a: { type: 'string', description: 'a' } } },
  ...more,
});
const withArgument = (schema: object) => ({
  inputSchema: { type: 'object', properties: { a: { description: 'a', ...schema } } },
});
const found = (...tools: object[]): string[] =>
  lintTools(tools.map((each) => ({ ...each }))).findings.map(({ provider, rule }) =>
    provider === undefined ? rule : `${provider} ${rule}`,
  );

test('a plain tool is accepted by everybody', () => {
  expect(found(tool())).toEqual([]);
});

test.each<[string, object, string[]]>([
  ['a name with a dot', tool({ name: 'a.b' }), ['openai tool-name', 'anthropic tool-name']],
  ['a name of 65 letters', tool({ name: 'a'.repeat(65) }), ['openai tool-name', 'gemini tool-name']],
  ['a name that begins with a digit', tool({ name: '1a' }), ['gemini tool-name']],
  [
    'a union at the root',
    tool({ inputSchema: { type: 'object', anyOf: [{ required: ['a'] }] } }),
    ['openai root-keyword', 'anthropic root-keyword', 'gemini root-keyword'],
  ],
  [
    'an argument with a space',
    tool({ inputSchema: { type: 'object', properties: { 'a b': { type: 'string', description: 'x' } } } }),
    ['anthropic argument-name', 'gemini argument-name'],
  ],
  [
    'an array without items',
    tool(withArgument({ type: 'array' })),
    ['openai array-items', 'gemini array-items'],
  ],
  ['a reference', tool(withArgument({ $ref: '#/$defs/a' })), ['gemini unknown-keyword']],
  ['a list of types', tool(withArgument({ type: ['string', 'null'] })), ['gemini type-list']],
  ['a format', tool(withArgument({ type: 'string', format: 'email' })), ['gemini format']],
  ['numbers to choose from', tool(withArgument({ enum: [1, 2] })), ['gemini enum-text']],
  ['an empty object', tool(withArgument({ type: 'object' })), ['gemini empty-object']],
  ['no description', tool({ description: ' ' }), ['missing-description']],
  [
    'an argument without a description',
    tool({ inputSchema: { type: 'object', properties: { a: { type: 'string' } } } }),
    ['missing-argument-description'],
  ],
  ['a long description', tool({ description: 'x'.repeat(1025) }), ['openai description-length']],
])('%s', (_name, given, expected) => {
  expect(found(given)).toEqual(expected);
});

test('names that are the same, or look the same', () => {
  expect(found(tool(), tool())).toEqual(['duplicate-name']);
  expect(found(tool({ name: 'get_user' }), tool({ name: 'getUser' }))).toEqual(['ambiguous-name']);
});

test('more tools than a request has room for', () => {
  const tools = Array.from({ length: 129 }, (_, index) => tool({ name: `tool${index}` }));
  expect(found(...tools)).toEqual(['openai tool-count']);
});

describe('tokens', () => {
  test('are counted by tool, the most expensive first, with the name of the estimate', () => {
    const report = lintTools([tool(), tool({ name: 'walk', description: 'x'.repeat(400) })]);
    expect(report.tools.map(({ name }) => name)).toEqual(['walk', 'run']);
    expect(report.tokens).toBe(report.tools.reduce((sum, { tokens }) => sum + tokens, 0));
    expect(report.tokenizer).toMatch(/^estimate/);
  });

  test('of other scripts are one a letter', () => {
    expect(estimateTokens('abcdefgh')).toBe(2);
    expect(estimateTokens('日本語')).toBe(3);
  });
});

test('every rule has a public source', () => {
  for (const provider of PROVIDERS) {
    for (const rule of Object.values(PROVIDER_RULES[provider])) expect(rule.source).toMatch(/^https:\/\//);
  }
});
