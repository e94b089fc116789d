/** Locking, comparing, checking for models and generating code, for the servers that people have. */

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { complaintsAbout, linkPlumb } from '../../support/compiled.js';
import { DEMO, EVERYTHING, plumb } from './plumb.js';

const modules = fileURLToPath(new URL('../../../node_modules/@modelcontextprotocol/', import.meta.url));
const FIXTURES = [
  '--',
  process.execPath,
  fileURLToPath(new URL('../../../conformance/serve.mjs', import.meta.url)),
  '--stdio',
];
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plumb-contracts-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SERVERS: Readonly<Record<string, () => readonly string[]>> = {
  demo: () => DEMO,
  everything: () => EVERYTHING,
  filesystem: () => ['--', process.execPath, `${modules}server-filesystem/dist/index.js`, folder],
  memory: () => ['--', process.execPath, `${modules}server-memory/dist/index.js`],
};

describe.each(Object.entries(SERVERS))('the server %s', (name, command) => {
  test('is locked, and is the same as its lock', async () => {
    const file = join(folder, `${name}.lock.json`);
    const locked = await plumb(['lock', '-o', file, ...command()]);
    expect(locked).toMatchObject({ code: 0, stdout: '' });
    expect(locked.stderr).toMatch(/plumb: locked [1-9]\d* tools, .* in .*\.lock\.json\n$/);
    expect(await plumb(['diff', '--lock', file, ...command()])).toMatchObject({
      code: 0,
      stdout: 'Nothing changed\n',
    });
    const again = join(folder, `${name}.again.lock.json`);
    await plumb(['lock', '-o', again, ...command()]);
    expect(readFileSync(again, 'utf8')).toBe(readFileSync(file, 'utf8'));
  });

  test('gets a typed client', async () => {
    const directory = join(folder, `${name}-client`);
    const { code, stdout } = await plumb(['gen', '-o', directory, '--cli', '--json', ...command()]);
    expect(code).toBe(0);
    const { files } = JSON.parse(stdout);
    expect(files).toEqual(expect.arrayContaining(['client.ts', 'index.ts', 'cli.ts']));
    expect(complaintsAbout(directory, files)).toEqual([]);
  });

  test('is checked for models', async () => {
    const { code, stdout } = await plumb(['lint', '--json', '--fail-on', 'none', ...command()]);
    const report = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(report.tokenizer).toMatch(/^estimate/);
    expect(report.tokens).toBeGreaterThan(report.tools.length * 10);
    const refused = report.findings.filter(({ provider }: { provider?: string }) => provider === 'anthropic');
    expect(refused).toEqual([]);
  });
});

describe('plumb lint', () => {
  test('shows what tools cost and which are refused, and fails on those', async () => {
    const { code, stdout } = await plumb(['lint', '--provider', 'anthropic', ...FIXTURES]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^\d+ tokens for \d+ tools \(estimate: /);
    expect(stdout).toMatch(/\n +\d+ {2}add\n/);
    expect(stdout).toMatch(
      /error {4}anthropic: json_schema_2020_12_tool: allOf is refused at the root \(root-keyword https:/,
    );
    expect((await plumb(['lint', '--provider', 'nobody', ...DEMO])).stderr).toContain(
      'openai, anthropic, gemini',
    );
  });
});

describe('plumb gen --cli', () => {
  test('writes a program that calls the tools', async () => {
    const directory = join(folder, 'program');
    await plumb(['gen', '-o', directory, '--cli', ...DEMO]);
    const program = join(directory, 'out/cli.js');
    expect(complaintsAbout(directory, ['cli.ts'])).toEqual([]);
    linkPlumb(directory);
    const run = promisify(execFile);
    expect((await run(process.execPath, [program, 'add', 'a=2', 'b=3'])).stdout).toContain('5');
    expect((await run(process.execPath, [program, 'add', '--help'])).stdout).toContain('a=number (required)');
    await expect(run(process.execPath, [program, 'nonsense'])).rejects.toMatchObject({ code: 2 });
  });

  test('needs a directory', async () => {
    expect(await plumb(['gen', ...DEMO])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('-o DIR'),
    });
  });
});

describe('plumb diff', () => {
  test('compares two locks, and fails on what --fail-on names', async () => {
    const old = join(folder, 'old.json');
    const now = join(folder, 'new.json');
    await plumb(['lock', '-o', old, ...DEMO]);
    await plumb(['lock', '-o', now, ...DEMO.slice(0, -1), '--tools', '1']);
    const words = ['diff', old, now];
    expect(await plumb(words)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^compatible {2}tool .*: added\n$/),
    });
    expect((await plumb([...words, '--fail-on', 'any'])).code).toBe(1);
    const removed = await plumb(['diff', now, old, '--json']);
    expect(removed.code).toBe(1);
    expect(JSON.parse(removed.stdout)).toMatchObject({
      changes: [{ level: 'breaking', kind: 'tool', what: 'removed' }],
    });
    expect((await plumb(['diff', now, old, '--fail-on', 'none'])).code).toBe(0);
  });

  test('without a lock says how to write one', async () => {
    const missing = join(folder, 'missing.json');
    expect(await plumb(['diff', '--lock', missing, ...DEMO])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('write it with plumb lock'),
    });
    writeFileSync(missing, '{"lockVersion": 7}');
    expect((await plumb(['diff', '--lock', missing, ...DEMO])).stderr).toContain('lock version 7');
  });
});
