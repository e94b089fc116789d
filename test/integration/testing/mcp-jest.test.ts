/** The sample files of mcp-jest's documentation, as they are, against a server that has what they test. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFolder, type Folder, SHOP } from './shop.js';

let folder: Folder;
beforeAll(() => {
  folder = createFolder();
  // The samples start `node ./server.js` in the current directory.
  folder.write('server.js', `import ${JSON.stringify(SHOP[0])};\n`);
  folder.write('dist/server.js', `import ${JSON.stringify(SHOP[0])};\n`);
  folder.write('package.json', { type: 'module' });
});
afterAll(() => folder.remove());

const node = { command: 'node', args: ['./server.js'] };

/** Names of resources and tools are those of the fixture; everything else is as documented. */
const SAMPLES: Readonly<Record<string, object>> = {
  readme: {
    server: node,
    tests: { tools: { search: { args: { query: 'test' }, expect: 'content.length > 0' } }, timeout: 30000 },
  },
  'command line reference': {
    server: { ...node, env: { NODE_ENV: 'test' } },
    tests: {
      tools: {
        search: { args: { query: 'test' }, expect: 'content.length > 0' },
        calculate: { args: { a: 5, b: 3 }, expect: "content[0].text === '8'" },
      },
      resources: { 'config.json': { expect: 'exists' }, 'docs/*': { expect: 'count >= 1' } },
      prompts: { 'review-code': { args: { code: 'function test() {}' }, expect: 'messages.length > 0' } },
      timeout: 30000,
    },
  },
  'getting started': {
    server: { ...node, env: { NODE_ENV: 'test', DEBUG: 'mcp:*' } },
    tests: {
      tools: {
        search: { args: { query: 'test search' }, expect: 'content && content.length > 0' },
        calculate: { args: { a: 5, b: 3 }, expect: "content[0].text === '8'" },
      },
      resources: { 'config.json': { expect: 'exists' }, 'docs/*': { expect: 'count >= 1' } },
      timeout: 30000,
    },
  },
  'names alone': {
    server: { ...node, env: { NODE_ENV: 'development' } },
    tests: { tools: ['search', 'email', 'debug'], timeout: 10000 },
  },
  production: {
    server: { command: 'node', args: ['./dist/server.js'], env: { NODE_ENV: 'production' } },
    tests: {
      tools: {
        search: { args: { query: 'production test' }, expect: 'content.length > 0' },
        email: { args: { to: 'test@example.com' }, expect: 'messageId !== undefined' },
      },
      timeout: 5000,
    },
  },
  retries: {
    server: node,
    tests: {
      tools: {
        add: { args: { a: 5, b: 3 }, expect: "content[0].text === '8'" },
        search: { args: { query: 'test search' }, expect: 'content && content.length > 0' },
        echo: { args: { message: 'hello world' }, expect: "content[0].text === 'Echo: hello world'" },
      },
      resources: { 'greeting://*': { expect: 'count >= 1' } },
      prompts: {
        'review-code': {
          args: { code: 'function test() { return 42; }' },
          expect: "messages[0].content.text.includes('function')",
        },
      },
      timeout: 30000,
      maxRetries: 3,
    },
  },
  'a template': {
    server: node,
    tests: {
      resources: { 'greeting://john': { expect: "contents[0].text.includes('Hello, john')" } },
      prompts: { 'review-code': { args: { code: "console.log('test');" }, expect: 'exists' } },
      timeout: 10000,
    },
  },
  'tests at the top': {
    name: 'Basic Tool Test',
    server: node,
    tools: { echo: { args: { message: 'Hello, World!' }, expect: "result === 'Echo: Hello, World!'" } },
  },
  'complex expectations': {
    name: 'Complex Expectation Tests',
    server: node,
    tools: {
      search: {
        args: { query: 'typescript' },
        expect: "results.length <= 10 && results.every(r => r.title.toLowerCase().includes('typescript'))",
      },
    },
  },
  'a count': { name: 'Resource Test Suite', server: node, resources: { 'docs://*': { count: 2 } } },
  'an error': { server: node, tests: { tools: { divide: { args: { a: 10, b: 0 }, shouldThrow: true } } } },
};

describe('a sample file of mcp-jest', () => {
  test.each(Object.keys(SAMPLES))('runs unchanged: %s', async (name) => {
    const file = folder.write(`${name.replaceAll(' ', '-')}.json`, SAMPLES[name] ?? {});
    const { code, stdout } = await folder.plumb(['test', file]);
    expect(stdout).toMatch(/ 0 failed/);
    expect(code).toBe(0);
  });

  test('runs over HTTP too', async () => {
    const file = folder.write('http.json', {
      server: { ...node },
      tests: { tools: ['search', 'echo'], timeout: 60000 },
    });
    const { code, stdout } = await folder.plumb(['test', '--config', file, '--transport', 'streamable-http']);
    expect(stdout).toMatch(/ 0 failed/);
    expect(code).toBe(0);
  });

  test.each([
    ['node', './server.js', '--tools', 'search,echo'],
    ['--server', 'node', '--args', './server.js', '-t', 'search', '-r', 'docs://*', '-p', 'review-code:x'],
    ['-s', 'node ./server.js', '--tools', 'search', '--timeout', '60000', '--filter', 'sea*'],
  ])('is not needed: %s %s %s %s', async (...args) => {
    const { code, stdout } = await folder.plumb(['test', ...args]);
    expect(stdout).toMatch(/[1-9]\d* passed/);
    // A prompt with required arguments and none given is the server's to refuse.
    expect(code).toBe(args.includes('review-code:x') ? 1 : 0);
  });
});
