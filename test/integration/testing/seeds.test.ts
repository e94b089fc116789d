/** Every key, flag, expectation and report that the seed tools offer works here: one row each. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { actionCommand, actionOutputs } from '../../../src/cli/test-runs/github-action.js';
import { createFolder, type Folder, SERVER } from './shop.js';

let folder: Folder;
beforeAll(() => {
  folder = createFolder();
});
afterAll(() => folder.remove());

interface Row {
  readonly tests?: object;
  readonly server?: object;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly code?: number;
  readonly output?: RegExp;
}

const echo = { args: { message: 'hi' } };
const withEcho = (more: object): object => ({ tools: { echo: { ...echo, ...more } } });

const ROWS: Readonly<Record<string, Row>> = {
  'server.command, args, env': {
    server: { ...SERVER, env: { NODE_ENV: 'seed' } },
    tests: { tools: { debug: { expect: "text === 'seed'" } } },
  },
  'server.transport stdio': { server: { ...SERVER, transport: 'stdio' }, tests: withEcho({}) },
  'tests.name': {
    tests: { name: 'My suite', ...withEcho({}) },
    args: ['--json'],
    output: /"name": "My suite"/,
  },
  'tests.timeout': {
    tests: { timeout: 200, tools: { count: { args: { steps: 100 } } } },
    code: 1,
    output: /within 200 ms|time limit/,
  },
  'tests.maxRetries': { tests: { maxRetries: 3, tools: { flaky: {} } }, output: /3 attempts/ },
  'tests.filter': { tests: { filter: 'ech*', tools: ['echo', 'add'] }, args: ['--verbose'], output: /- add/ },
  'tests.skip': { tests: { skip: 'add', tools: ['echo', 'add'] }, output: /- add/ },
  'tests.snapshot': {
    tests: { snapshot: true, tools: { debug: {} } },
    args: ['-u'],
    output: /snapshot written/,
  },
  'tools as names': { tests: { tools: ['echo'] } },
  'tools as a map': { tests: withEcho({}) },
  'tool.expect text': { tests: withEcho({ expect: "content[0].text === 'Echo: hi'" }) },
  'tool.shouldThrow': { tests: { tools: { divide: { args: { a: 1, b: 0 }, shouldThrow: true } } } },
  'resources as names': { tests: { resources: ['docs://*', 'config.json'] } },
  'resource.expect': { tests: { resources: { 'docs://one': { expect: 'exists' } } } },
  'resource.shouldExist': { tests: { resources: { 'docs://none': { shouldExist: false } } } },
  'resource as a glob': { tests: { resources: { 'docs/*': { expect: 'count >= 1' } } } },
  'resource.snapshot': {
    tests: { resources: { 'docs://one': { snapshot: true } } },
    args: ['-u'],
    output: /snapshot written/,
  },
  'resource.count': { tests: { resources: { 'docs://*': { count: 2 } } } },
  'prompts as names': { tests: { prompts: ['review-code'] }, code: 1, output: /prompts\/get review-code/ },
  'prompt.args and expect': {
    tests: { prompts: { 'review-code': { args: { code: 'x' }, expect: 'messages.length > 0' } } },
  },
  'prompt.snapshot': {
    tests: { prompts: { 'review-code': { args: { code: 'x' }, snapshot: true } } },
    args: ['-u'],
    output: /snapshot written/,
  },
  'snapshot true': {
    tests: withEcho({ snapshot: true }),
    args: ['--update-snapshots'],
    output: /snapshot written/,
  },
  'snapshot name': { tests: withEcho({ snapshot: 'by-name' }), args: ['-u'], output: /snapshot written/ },
  'snapshot properties': { tests: withEcho({ snapshot: { properties: ['content[0].text'] } }), args: ['-u'] },
  'snapshot include, exclude, snapshotDir': {
    tests: withEcho({ snapshot: { include: ['content'], exclude: ['type'], snapshotDir: 'elsewhere' } }),
    args: ['-u'],
  },
  'snapshot updateSnapshot': { tests: withEcho({ snapshot: { name: 'always', updateSnapshot: true } }) },
  UPDATE_SNAPSHOTS: { tests: withEcho({ snapshot: 'from-env' }), env: { UPDATE_SNAPSHOTS: 'true' } },
  'a missing snapshot fails': {
    tests: withEcho({ snapshot: 'never-written' }),
    code: 1,
    output: /there is no snapshot/,
  },
  MCP_JEST_TIMEOUT: {
    tests: { tools: { count: { args: { steps: 100 } } } },
    env: { MCP_JEST_TIMEOUT: '200' },
    code: 1,
  },
  '--timeout': { tests: { tools: { count: { args: { steps: 100 } } } }, args: ['--timeout', '200'], code: 1 },
  DEBUG: { tests: withEcho({}), env: { DEBUG: 'mcp-jest' }, output: /Server connection/ },
  '-s, --args': { args: ['-s', SERVER.command, '--args', SERVER.args.join(','), '-t', 'debug'] },
  '--server': { args: ['--server', [SERVER.command, ...SERVER.args].join(' '), '--tools', 'debug'] },
  '--resources, --prompts': {
    tests: { prompts: { 'review-code': { args: { code: 'x' } } } },
    args: ['--resources', 'docs://one', '--prompts', 'review-code'],
    output: /✓ docs:\/\/one[\s\S]*✓ review-code/,
  },
  '--filter': { tests: { tools: ['echo', 'divide'] }, args: ['--filter', 'ech*'] },
  '--reporter console': { tests: withEcho({}), args: ['--reporter', 'console'], output: /✓ echo/ },
  '-t': { tests: {}, args: ['-t', 'echo'], output: /✓ echo/ },
  '-r': { tests: {}, args: ['-r', 'docs://one'], output: /✓ docs:\/\/one/ },
  '-p': {
    tests: { prompts: { 'review-code': { args: { code: 'x' } } } },
    args: ['-p', 'review-code'],
    output: /✓ review-code/,
  },
  '-f': { tests: { tools: ['echo', 'add'] }, args: ['-f', 'echo'] },
  '--skip': { tests: { tools: ['echo', 'divide'] }, args: ['--skip', 'div*'] },
  '--transport': { tests: withEcho({}), args: ['--transport', 'streamable-http'] },
  '--reporter json, --report-output': {
    tests: withEcho({}),
    args: ['--reporter', 'json', '--report-output', 'out.json'],
    output: /passed/,
  },
  '--reporter html': { tests: withEcho({}), args: ['--reporter', 'html', '--report-output', 'out.html'] },
  '--verbose': { tests: withEcho({}), args: ['--verbose'], output: /Server connection/ },
  '-v': { args: ['-v'], output: /^\d+\.\d+\.\d+/ },
  '-h': { args: ['-h'], output: /--update-snapshots[\s\S]*--watch-paths/ },
  'type connection': { tests: {}, args: ['-t', 'echo', '--json'], output: /"type": "connection"/ },
  'types tool, resource, prompt': {
    tests: {
      ...withEcho({}),
      resources: ['docs://one'],
      prompts: { 'review-code': { args: { code: 'x' } } },
    },
    args: ['--json'],
    output: /"type": "tool"[\s\S]*"type": "resource"[\s\S]*"type": "prompt"/,
  },
  'exit code 2 for a file that cannot be used': {
    tests: { tolls: ['echo'] },
    code: 2,
    output: /did you mean "tools"/,
  },
  'exit code 3 for a server that does not start': {
    server: { command: process.execPath, args: ['-e', 'process.exit(4)'] },
    tests: { tools: ['echo'] },
    code: 3,
  },
  'type capability': { tests: { tools: ['none'] }, code: 1, output: /Tool 'none' is not listed/ },
};

describe('what the seeds offer', () => {
  test.each(Object.keys(ROWS))('%s', async (name) => {
    const { tests, server = SERVER, args = [], env = {}, code = 0, output = /./ } = ROWS[name] ?? {};
    const words = tests === undefined ? [] : ['-c', folder.write('row.json', { server, tests })];
    const ended = await folder.plumb(['test', ...words, ...args], { env });
    expect(ended.stdout + ended.stderr).toMatch(output);
    expect(ended.code).toBe(code);
  });

  test('a generated file has the names and the metadata of the seeds, and passes', async () => {
    const { code } = await folder.plumb([
      'test',
      '--generate',
      '-o',
      'made.json',
      '--depth',
      'comprehensive',
      '--',
      SERVER.command,
      ...SERVER.args,
    ]);
    expect(code).toBe(0);
    const made = JSON.parse(readFileSync(join(folder.path, 'made.json'), 'utf8'));
    expect(made.metadata).toMatchObject({ toolCount: 16, resourceCount: 3, promptCount: 1 });
    expect(Object.keys(made.metadata)).toEqual(
      expect.arrayContaining(['discoveredAt', 'generatedTestCount']),
    );
    const names = Object.keys(made.tests.tools);
    for (const name of ['echo', 'echo:empty-message', 'echo:missing-message', 'add:invalid-type-a'])
      expect(names).toContain(name);
    expect(made.tests.tools['echo:missing-message']).toMatchObject({ shouldThrow: true });
    // A tool that ends its server cannot be recognised by its name.
    const ran = await folder.plumb(['test', 'made.json', '--skip', 'crash,flaky']);
    expect(ran.stdout).toMatch(/ 0 failed/);
    expect(ran.code).toBe(0);
  });

  test('the inputs and outputs of the action are those of the seeds', () => {
    const action = parse(readFileSync(new URL('../../../action.yml', import.meta.url), 'utf8'));
    const inputs =
      'server-command server-args config tools resources prompts timeout transport url filter skip update-snapshots reporter report-output validate discover discovery-output node-version working-directory';
    const outputs = 'passed failed total pass-rate duration report-path compliance-score compliance-level';
    expect(Object.keys(action.inputs)).toEqual(inputs.split(' '));
    expect(Object.keys(action.outputs)).toEqual(outputs.split(' '));
    const given = {
      'server-command': 'node server.js',
      'server-args': 'a,b',
      tools: 'x',
      filter: 'y',
      'update-snapshots': 'true',
      reporter: 'html',
      'report-output': 'r.html',
    };
    expect(actionCommand(given, 'out.json').words.join(' ')).toBe(
      'test --tools x --filter y --update-snapshots --reporter github,console,json,html --report-output out.json --report-output r.html -- node server.js a b',
    );
    expect(actionCommand({ validate: 'true', url: 'http://x/' }, 'out.json')).toEqual({
      mode: 'validate',
      words: ['validate', 'http://x/', '--out', 'out.json'],
    });
    expect(
      actionCommand({ discover: 'true', 'server-command': 'x', 'discovery-output': 'd.ts' }, '').words,
    ).toEqual(['test', '--generate', '-o', 'd.ts', '--', 'x']);
    expect(actionOutputs('test', { passed: 3, failed: 1, total: 4, duration: 5 }, 'r')).toContain(
      'pass-rate=75\n',
    );
    expect(actionOutputs('validate', { score: 97, level: 'compliant' }, '')).toContain(
      'compliance-score=97\n',
    );
  });
});

describe('many servers at once', () => {
  test('are tested, validated and examined with one table', async () => {
    folder.write('mcp.json', {
      mcpServers: {
        shop: SERVER,
        broken: { command: 'no-such-command-here' },
        unset: { command: 'node', args: [`\${PLUMB_TEST_NOT_SET}`] },
      },
    });
    const generated = await folder.plumb([
      'test',
      '--generate',
      '--depth',
      'basic',
      '--config',
      'mcp.json',
      '-o',
      'made',
    ]);
    expect(generated.code).toBe(3);
    expect(generated.stdout).toMatch(/^server .*tests/m);
    expect(generated.stdout).toMatch(/^shop +\d+ /m);
    expect(generated.stdout).toMatch(/^broken +FAILED/m);
    expect(generated.stdout).toMatch(/^unset +FAILED/m);
    expect(generated.stdout).toMatch(/^unset: .*PLUMB_TEST_NOT_SET/m);
    expect(generated.stdout).toMatch(/3 servers, 2 failed/);
    expect((await folder.plumb(['test', 'made/shop.generated.json', '--skip', 'crash,flaky'])).code).toBe(0);
    const examined = await folder.plumb(['doctor', '--config', 'mcp.json']);
    expect(examined.stdout).toMatch(/^shop +(ok|warn)/m);
    expect(examined.stdout).toMatch(/^broken +FAIL/m);
    expect(examined.stdout).toMatch(/3 servers, 2 failed/);
    const validated = await folder.plumb([
      'validate',
      '--config',
      'mcp.json',
      '--only',
      '103',
      '--revision',
      '2025-11-25',
      '--out',
      'all.json',
      '--out',
      'all.md',
      '--out',
      'all.html',
    ]);
    expect(validated.stdout).toMatch(/^shop +\d+ +\w+/m);
    const report = JSON.parse(readFileSync(join(folder.path, 'all.json'), 'utf8'));
    expect(report.servers).toHaveLength(3);
    expect(readFileSync(join(folder.path, 'all.html'), 'utf8')).toContain('<td>shop</td>');
  });
});
