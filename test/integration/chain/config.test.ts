import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'plumb-mcp/client';
import { describe, expect, test, vi } from 'vitest';
import { parseConfig } from '../../../src/chain/config.js';
import { CHAIN_SCHEMA } from '../../../src/chain/config-schema.js';
import { createLayer } from '../../../src/chain/configured-layers.js';
import { followConfig, loadChain } from '../../../src/chain/node-config-file.js';
import { auditFile } from '../../../src/chain/node-files.js';
import { cleanup } from '../../support/cleanup.js';

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'plumb-chain-'));
  cleanup(() => rmSync(path, { recursive: true }));
  return path;
}

const SCHEMA = new URL('../../../schema/chain.schema.json', import.meta.url);
const parse = (text: string, environment = {}) => parseConfig(text, 'chain.yaml', environment);

test('the published schema is the one that is checked', () => {
  expect(JSON.parse(readFileSync(SCHEMA, 'utf8'))).toEqual(CHAIN_SCHEMA);
});

describe('a file', () => {
  test('names servers and middleware, in YAML and in JSON', async () => {
    const yaml = 'servers:\n  a: https://a.example/mcp\nmiddleware:\n  - log\n  - timeout: 30s\n';
    const json = '{"servers":{"a":"https://a.example/mcp"},"middleware":["log",{"timeout":"30s"}]}';
    for (const text of [yaml, json]) {
      expect(await parse(text)).toEqual({
        servers: { a: 'https://a.example/mcp' },
        locks: new Map(),
        middleware: [
          expect.objectContaining({ name: 'log', options: {} }),
          expect.objectContaining({ name: 'timeout', options: '30s' }),
        ],
      });
    }
  });

  test('takes values from the environment', async () => {
    const text = `servers:\n  a: { url: "\${HOST:-https://d.example}/mcp", headers: { Authorization: "Bearer \${KEY}" } }`;
    const { servers } = await parse(text, { KEY: 'k' });
    expect(servers.a).toEqual({ url: 'https://d.example/mcp', headers: { Authorization: 'Bearer k' } });
  });
});

describe('an error', () => {
  test.each([
    [
      'a key that does not exist',
      'servers:\n  a:\n    command: x\n    arg: [y]\n',
      /^chain\.yaml:4: servers\.a\.arg/,
    ],
    [
      'an option under its old name',
      'servers:\n  a: x\nmiddleware:\n  - circuitBreaker:\n      openMs: 30000\n',
      /^chain\.yaml:5: middleware\.0\.circuitBreaker\.openMs: this option is called "open" now; write open: 30s/,
    ],
    ['a wrong type', 'servers:\n  a:\n    command: 3\n', /^chain\.yaml:3: servers\.a\.command/],
    [
      'a middleware that does not exist',
      'servers:\n  a: x\nmiddleware:\n  - log\n  - nothing: 1\n',
      /^chain\.yaml:5: middleware/,
    ],
    [
      'a misspelt key',
      'servers:\n  a: { comand: x }\n',
      /^chain\.yaml:2: servers\.a\.comand: is not a known property; did you mean "command"\?$/,
    ],
    [
      'the configuration of a client',
      '{"mcpServers": {"a": {"command": "x"}}}',
      /^chain\.yaml is the configuration of a client; serve it with: plumb chain --mcp chain\.yaml$/,
    ],
    ['an empty file', '', /^chain\.yaml is empty; it needs "servers"$/],
    ['no server', 'servers: {}', /^chain\.yaml has no servers; add one under "servers"$/],
    ['broken YAML', 'servers:\n  a: [\n', /^chain\.yaml:\d/],
    [
      'a variable that is not set',
      `servers:\n  a:\n    url: "\${NOPE}"\n`,
      /^chain\.yaml:3: servers\.a\.url.*NOPE/,
    ],
    ['neither program nor address', 'servers:\n  a: { args: [] }\n', /^chain\.yaml:2: servers\.a/],
    [
      'what to do about drift without a lock',
      'servers:\n  a:\n    command: x\n    onDrift: warn\n',
      /^chain\.yaml:4: servers\.a\.onDrift: needs "lock"/,
    ],
  ])('names line and key: %s', async (_what, text, expected) => {
    await expect(parse(text)).rejects.toMatchObject({
      code: 'invalid_config',
      message: expect.stringMatching(expected),
    });
  });
});

test('a changed file is read again, and clients stay connected', async () => {
  const path = join(directory(), 'chain.yaml');
  const fixture = new URL('./fixtures/plain-server.mjs', import.meta.url).pathname;
  const server = `{ command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(fixture)}, reload] }`;
  writeFileSync(path, `servers:\n  a: ${server}\n`);
  const built = await loadChain(path);
  cleanup(() => built.close({ drain: 0 }));
  const outcomes: unknown[] = [];
  cleanup(followConfig(built, path, (outcome) => outcomes.push(outcome.error)));
  const client = await connect(built, { revisions: ['2025-11-25'] });
  cleanup(() => client.close());
  expect((await client.tools.list()).map(({ name }) => name)).toEqual(['pid', 'die']);
  writeFileSync(path, `servers:\n  a: ${server}\nmiddleware:\n  - hide: { tools: [d*] }\n`);
  await expect.poll(() => outcomes).toEqual([undefined]);
  expect((await client.tools.list()).map(({ name }) => name)).toEqual(['pid']);
  writeFileSync(path, 'servers: nonsense\n');
  await expect.poll(() => outcomes).toHaveLength(2);
  expect((await client.tools.list()).map(({ name }) => name)).toEqual(['pid']);
});

test('an audit file is put aside when it has grown, and old ones go', () => {
  const path = join(directory(), 'audit.jsonl');
  const write = auditFile(path, { maxBytes: 10, keep: 2 });
  for (const line of ['first', 'second', 'third', 'fourth']) write(line);
  expect(readFileSync(path, 'utf8')).toBe('fourth\n');
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('third\n');
  expect(readFileSync(`${path}.2`, 'utf8')).toBe('second\n');
});

describe('the documentation', () => {
  const page = readFileSync(new URL('../../../docs/chain.md', import.meta.url), 'utf8');
  const files = { append: () => () => undefined, lines: () => [] };

  test('has a configuration file that is one', async () => {
    const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    const config = await parse(yaml, { DOCS_TOKEN: 'secret' });
    expect(Object.keys(config.servers)).toEqual(['files', 'docs']);
    for (const entry of config.middleware) expect(await createLayer(entry, files)).toBeDefined();
  });

  test('writes each middleware as a file may have it, and leaves none out', async () => {
    // Other tables of the page end in values too.
    const section = page.slice(page.indexOf('\n## Middleware\n'));
    const cells = [...section.matchAll(/^\| `\w+`.*\| `([^`]+)` \|$/gm)].map(([, cell = '']) => cell);
    const text = `servers: { a: https://a.example/mcp }\nmiddleware:\n${cells.map((cell) => `  - ${cell}\n`).join('')}`;
    const { middleware } = await parse(text);
    for (const entry of middleware) expect(await createLayer(entry, files)).toBeDefined();
    const schema = JSON.parse(readFileSync(SCHEMA, 'utf8'));
    const known = Object.keys(schema.$defs.middleware.properties).filter(
      (name) => name !== 'replay' && name !== 'telemetry',
    );
    expect(middleware.map(({ name }) => name).sort()).toEqual(known.sort());
  });
});

test('a file that names telemetry still works, with a warning that it is automatic', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  cleanup(() => warn.mockRestore());
  const { middleware } = await parse('servers: { a: https://a.example/mcp }\nmiddleware: [telemetry]\n');
  const files = { append: () => () => undefined, lines: () => [] };
  const [entry] = middleware;
  expect(entry === undefined ? undefined : await createLayer(entry, files)).toEqual({});
  expect(warn.mock.calls.flat().join()).toContain('automatic');
});
