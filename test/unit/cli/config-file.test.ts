// biome-ignore-all lint/suspicious/noTemplateCurlyInString: config files have placeholders in strings
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig, resolveServer } from '../../../src/cli/target/config-file.js';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'plumb-config-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function write(path: string, content: unknown): void {
  mkdirSync(join(directory, path, '..'), { recursive: true });
  writeFileSync(join(directory, path), typeof content === 'string' ? content : JSON.stringify(content));
}

function names(config?: string): string[] {
  return [...(loadConfig(config, directory)?.servers.keys() ?? [])];
}

describe('the config file', () => {
  it('is the one named, or else the first of the usual ones', () => {
    expect(loadConfig(undefined, directory)).toBeUndefined();
    write('.cursor/mcp.json', { mcpServers: { cursor: { command: 'x' } } });
    expect(names()).toEqual(['cursor']);
    write('.vscode/mcp.json', { servers: { vscode: { command: 'x' } } });
    expect(names()).toEqual(['vscode']);
    write('.mcp.json', { mcpServers: { hidden: { command: 'x' } } });
    expect(names()).toEqual(['hidden']);
    write('mcp.json', { mcpServers: { plain: { command: 'x' } } });
    expect(names()).toEqual(['plain']);
    write('other.json', { mcpServers: { other: { command: 'x' } } });
    expect(names('other.json')).toEqual(['other']);
  });

  it('may have comments and trailing commas', () => {
    write('mcp.json', '// mine\n{ "mcpServers": { /* one */ "a": { "command": "x // no, y", }, }, }');
    const file = loadConfig(undefined, directory);
    expect(file && resolveServer(file, 'a')?.target).toMatchObject({ command: 'x // no, y' });
  });

  it.each([
    ['{', /is not valid JSON/],
    ['[]', /has no "mcpServers"/],
    ['{"mcpServers": {"a": 1}}', /server "a" must be an object/],
  ])('that holds %s is refused', (content, message) => {
    write('mcp.json', content);
    expect(() => loadConfig(undefined, directory)).toThrow(message);
  });

  it('that was named and does not exist is an error', () => {
    expect(() => loadConfig('none.json', directory)).toThrow(/Cannot read .*none.json/);
  });
});

describe('a configured server', () => {
  const resolve = (entry: unknown, environment: Record<string, string> = {}, path = 'mcp.json'): unknown => {
    write(path, { mcpServers: { it: entry } });
    const file = loadConfig(path, directory);
    return file && resolveServer(file, 'it', environment)?.target;
  };

  it('is a command with arguments, environment and working directory', () => {
    const entry = { command: 'node', args: ['s.js', 8080], env: { DEBUG: true }, cwd: 'sub' };
    expect(resolve(entry)).toEqual({
      command: 'node',
      args: ['s.js', '8080'],
      env: { DEBUG: 'true' },
      cwd: join(directory, 'sub'),
    });
  });

  it('is a URL with headers', () => {
    const entry = { type: 'http', url: 'https://h/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } };
    expect(resolve(entry, { TOKEN: 't' })).toEqual({
      url: 'https://h/mcp',
      headers: { Authorization: 'Bearer t' },
    });
  });

  it('may say how long it takes to start', () => {
    write('mcp.json', { mcpServers: { it: { command: 'x', connectTimeout: '90s' } } });
    const file = loadConfig(undefined, directory);
    expect(file && resolveServer(file, 'it', {})?.connectTimeout).toBe(90_000);
  });

  it('has its variables filled in', () => {
    const args = [
      '${A}',
      '${env:A}',
      '${B:-none}',
      '${A:-none}',
      '${workspaceFolder}/x',
      '${userHome}',
      '$A',
      '${E}',
    ];
    expect(resolve({ command: 'c', args }, { A: '1', E: '' })).toMatchObject({
      args: ['1', '1', 'none', '1', `${directory}/x`, homedir(), '$A', ''],
    });
  });

  it('in an editor folder belongs to the directory above', () => {
    const entry = { command: '${workspaceFolder}/run', cwd: '.' };
    expect(resolve(entry, {}, '.vscode/mcp.json')).toMatchObject({
      command: `${directory}/run`,
      cwd: directory,
    });
  });

  it.each([
    [{ command: '${NOPE}' }, /server "it": The environment variable NOPE is not set/],
    [{ command: '${input:key}' }, /\$\{input:key\} is not supported/],
    [{}, /needs a "command" or a "url"/],
    [{ command: ['x'] }, /"command" must be text/],
    [{ command: 'x', args: 'y' }, /"args" must be an array/],
    [{ command: 'x', env: [] }, /"env" must be an object/],
  ])('like %j is refused', (entry, message) => {
    expect(() => resolve(entry)).toThrow(message);
  });

  it('that is broken does not stand in the way of another', () => {
    write('mcp.json', { mcpServers: { bad: { command: '${NOPE}' }, good: { command: 'x' } } });
    const file = loadConfig(undefined, directory);
    expect(file && resolveServer(file, 'good', {})?.target).toEqual({ command: 'x', args: [], env: {} });
    expect(file && resolveServer(file, 'none', {})).toBeUndefined();
  });
});
