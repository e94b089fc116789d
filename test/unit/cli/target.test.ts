import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveTarget } from '../../../src/cli/target/target.js';

let directory: string;
let config: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'plumb-target-'));
  config = join(directory, 'mcp.json');
  const mcpServers = {
    local: { command: 'node', args: ['s.js'], env: { A: '1' } },
    remote: { url: 'https://h/mcp', headers: { X: '1' } },
  };
  writeFileSync(config, JSON.stringify({ mcpServers }));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('the target', () => {
  it('is the first word when that is a URL', () => {
    const { target, rest } = resolveTarget(['http://localhost:1/mcp', 'echo', 'a=b'], undefined, {
      header: ['A: b:c'],
    });
    expect(target).toEqual({ url: 'http://localhost:1/mcp', headers: { A: 'b:c' } });
    expect(rest).toEqual(['echo', 'a=b']);
  });

  it('is the first word when that is configured', () => {
    expect(resolveTarget(['local'], undefined, { config, env: ['A=2', 'B=x=y'] }).target).toEqual({
      command: 'node',
      args: ['s.js'],
      env: { A: '2', B: 'x=y' },
    });
    expect(resolveTarget(['remote'], undefined, { config, header: ['X: 2'] }).target).toEqual({
      url: 'https://h/mcp',
      headers: { X: '2' },
    });
  });

  it('is the command after --, and then no word is', () => {
    const { target, rest } = resolveTarget(['local', 'x'], ['node', 'my server.js'], { config });
    expect(target).toMatchObject({ command: 'node', args: ['my server.js'], env: {} });
    expect(target).toHaveProperty('inheritEnv', expect.arrayContaining(['PATH', 'HOME']));
    expect(rest).toEqual(['local', 'x']);
  });

  it.each([
    [['node', 'my server.js'], "a command goes last, after --: -- node 'my server.js'"],
    [['npx', '-y', 'x'], 'a command goes last, after --: -- npx -y x'],
    [['./server.ts'], 'a command goes last, after --: -- node ./server.ts'],
    [['localhost:3000'], 'did you mean the URL http://localhost:3000/mcp?'],
    [['127.0.0.1:9/sse', 'tools'], 'did you mean the URL http://127.0.0.1:9/sse?'],
    [['example.com/mcp'], 'did you mean the URL http://example.com/mcp?'],
    [['locl', 'tools'], 'did you mean "local"?'],
    [['other'], 'give a URL, a configured name, or a command last, after --'],
  ])('is guessed at where %j names none', (words, advice) => {
    expect(() => resolveTarget(words, undefined, { config })).toThrow(advice);
  });

  it('passes variables of ours on by name', () => {
    process.env.PLUMB_TEST_VARIABLE = 'here';
    expect(resolveTarget([], ['x'], { env: ['PLUMB_TEST_VARIABLE'] }).target).toMatchObject({
      env: { PLUMB_TEST_VARIABLE: 'here' },
    });
    delete process.env.PLUMB_TEST_VARIABLE;
    expect(() => resolveTarget([], ['x'], { env: ['PLUMB_TEST_VARIABLE'] })).toThrow(/NAME=value/);
  });

  it('can be written again in another command', () => {
    expect(resolveTarget([], ['node', "it's.js"], {}).command('list', 'tools')).toBe(
      `plumb list tools -- node 'it'\\''s.js'`,
    );
    expect(resolveTarget(['http://h/mcp?a=1&b'], undefined, {}).command('list')).toBe(
      `plumb list 'http://h/mcp?a=1&b'`,
    );
  });

  it.each([
    [['nope'], undefined, /"nope" is not a URL, and not a server in .*mcp.json \(found: local, remote\)/],
    [[], undefined, /No target: .*mcp.json has: local, remote/],
    [[], [], /Nothing after --/],
  ])('is missing from %j, and the error says what there is', (words, command, message) => {
    expect(() => resolveTarget(words, command, { config })).toThrow(message);
  });

  it('takes headers only where there are some', () => {
    expect(() => resolveTarget([], ['x'], { header: ['A: b'] })).toThrow(/--header is for URLs/);
    expect(() => resolveTarget(['http://h/'], undefined, { env: ['A=b'] })).toThrow(/--env is for servers/);
    expect(() => resolveTarget(['http://h/'], undefined, { header: ['A'] })).toThrow(
      /must look like "Name: value"/,
    );
  });
});
