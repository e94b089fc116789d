/** Test files: what they may say, and how mistakes in them are reported. */

import { describe, expect, test } from 'vitest';
import { omit, pick } from '../../../src/testing/expect/json-path.js';
import { matchesPattern } from '../../../src/testing/run/select.js';
import { CapturedValues } from '../../../src/testing/run/values.js';
import { parseSuite } from '../../../src/testing/suite/parse-suite.js';

const suiteOf = (content: object) => parseSuite({ content, directory: '/project' });

describe('a suite', () => {
  test('has cases from names, from objects, and from lists of cases for one tool', () => {
    const { cases } = suiteOf({
      tests: {
        tools: {
          add: [{ name: 'small', args: { a: 1 } }, { args: { a: 2 } }],
          'add:edge': {},
          greet: 'exists',
        },
        resources: ['docs/*'],
        prompts: ['review'],
      },
    });
    expect(cases.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'tool add: small',
      'tool add: 2',
      'tool add:edge',
      'tool greet',
      'resource docs/*',
      'prompt review',
    ]);
  });

  test('may have its tests at the top, with variables for the server', () => {
    const { name, servers, cases } = suiteOf({
      name: 'Environment',
      env: { KEY: 'x' },
      server: { command: 'node', args: ['server.js'] },
      tools: { getConfig: { expect: "apiKey === 'x'" } },
    });
    expect(name).toBe('Environment');
    expect(servers[0]?.reach).toMatchObject({ kind: 'command', env: { KEY: 'x' }, cwd: '/project' });
    expect(cases).toHaveLength(1);
  });

  test.each<[string, object, RegExp]>([
    ['an unknown key', { tests: { tols: {} } }, /tests\.tols is not known; did you mean "tools"\?/],
    [
      'an unknown key of a case',
      { tools: { a: { arg: {} } } },
      /tools\["a"\]\.arg is not known; did you mean "args"/,
    ],
    ['a bad timeout', { timeout: 'soon' }, /timeout must be a number of milliseconds/],
    [
      'a bad expression',
      { tools: { a: { expect: 'a ===' } } },
      /tools\["a"\]\.expect: "a ===" is not an expression/,
    ],
    ['no such revision', { revisions: ['2023-01-01'] }, /"2023-01-01" is not a protocol revision/],
    ['no such transport', { transports: ['pigeon'] }, /"pigeon" is not a transport/],
    ['no server', { server: {} }, /server needs a "command" or a "url"/],
    ['a foreign server', { servers: { a: 'x' }, tools: { t: { server: 'b' } } }, /"t" is for the server "b"/],
    ['a request without a method', { requests: { r: {} } }, /needs a "method"/],
    ['a step without a call', { scenarios: [{ name: 's', steps: [{}] }] }, /needs one of: tool, resource/],
    ['a capture of no name', { tools: { a: { capture: { 'a b': 'x' } } } }, /a name has letters/],
    [
      'an unknown answer',
      { tools: { a: { answers: { elicit: 'maybe' } } } },
      /must be accept, decline, cancel/,
    ],
  ])('with %s is refused, with the place', (_name, content, message) => {
    expect(() => suiteOf(content)).toThrow(message);
  });
});

test('patterns match parts of names in any case, with * for anything', () => {
  expect(matchesPattern('getUserProfile', 'user*')).toBe(true);
  expect(matchesPattern('getUser', 'USER')).toBe(true);
  expect(matchesPattern('search', 's*ch')).toBe(true);
  expect(matchesPattern('search', 'email')).toBe(false);
});

/** As test files write it. */
const ref = (name: string): string => `\${${name}}`;

test('captured values keep their types, and are texts within texts', () => {
  const values = new CapturedValues({ base: '/tmp' }, ['id', 'never']);
  expect(values.capture(new Map([['id', 'structuredContent.id']]), { structuredContent: { id: 7 } })).toEqual(
    [],
  );
  const given = { id: ref('id'), path: `${ref('base')}/${ref('id')}.txt`, other: ref('unknown'), n: 1 };
  expect(values.fill(given)).toEqual({ id: 7, path: '/tmp/7.txt', other: ref('unknown'), n: 1 });
  expect(() => values.fill(ref('never'))).toThrow(/has no value/);
  expect(values.capture(new Map([['x', 'a.b']]), {})).toEqual(['there is nothing at a.b to capture as x']);
});

test('snapshots take parts in and out by path', () => {
  const value = { content: [{ type: 'text', text: 'a', at: 1 }], at: 2, meta: { version: 1, id: 'x' } };
  expect(pick(value, ['content[0].text', 'meta.version'])).toEqual({
    content: [{ text: 'a' }],
    meta: { version: 1 },
  });
  expect(omit(value, ['at', 'meta.id'])).toEqual({
    content: [{ type: 'text', text: 'a' }],
    meta: { version: 1 },
  });
  expect(omit(value, ['content[*].type'])).toMatchObject({ content: [{ text: 'a', at: 1 }] });
});
