/** What the seed tools give back: results, snapshot files, reports, and what their watchers and generators can be told. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWatcher, formatResults, htmlReport, mcpTest } from 'plumb-mcp/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDemoServer } from '../../../src/cli/demo/server.js';
import { createFolder, type Folder, SERVER } from './shop.js';

let folder: Folder;
beforeAll(() => {
  folder = createFolder();
});
afterAll(() => folder.remove());

const read = (name: string): string => readFileSync(join(folder.path, name), 'utf8');

describe('a server behind a URL', () => {
  test.each([
    ['streamable-http', '/mcp'],
    ['sse', '/sse'],
  ])('is tested over %s, from the file and from the command line', async (transport, path) => {
    const handle = await createDemoServer().http({ port: 0, legacySse: true });
    try {
      const url = `${handle.origin}${path}`;
      const tests = { tools: { add: { args: { a: 1, b: 2 }, expect: 'sum === 3' } } };
      const file = folder.write('url.json', { server: { url, transport }, tests });
      expect(await folder.plumb(['test', file])).toMatchObject({ code: 0 });
      const bare = folder.write('bare.json', { tests });
      const given = ['--url', url, '--transport', transport];
      expect(await folder.plumb(['test', bare, ...given])).toMatchObject({ code: 0 });
    } finally {
      await handle.close();
    }
  });
});

describe('a result', () => {
  test('has the fields of the seeds', async () => {
    const file = folder.write('fields.json', {
      server: SERVER,
      tests: {
        name: 'Fields',
        tools: {
          echo: { args: { message: 'hi' }, snapshot: 'fields' },
          divide: { args: { a: 1, b: 0 } },
          search: { skip: true },
        },
      },
    });
    const { stdout, code } = await folder.plumb(['test', file, '--json', '-u']);
    expect(code).toBe(1);
    const suite = JSON.parse(stdout);
    expect(suite).toMatchObject({ name: 'Fields', failed: 1, skipped: 1 });
    expect(suite.total).toBe(suite.passed + suite.failed + suite.skipped);
    expect(suite.duration).toBeGreaterThan(0);
    const result = (name: string) => suite.results.find((each: { name: string }) => each.name === name);
    expect(result('echo')).toMatchObject({ type: 'tool', status: 'pass', snapshot: { updated: true } });
    expect(result('divide')).toMatchObject({
      status: 'fail',
      error: expect.stringMatching(/division by zero/),
    });
    expect(result('search')).toMatchObject({ status: 'skip' });
    for (const each of suite.results) {
      expect(typeof each.message).toBe('string');
      expect(typeof each.duration).toBe('number');
    }
  });

  test('of a changed snapshot shows the difference by path', async () => {
    const tests = (message: string): string =>
      folder.write('differs.json', {
        server: SERVER,
        tests: {
          tools: { echo: { args: { message }, snapshot: { name: 'differs', include: ['content[0].text'] } } },
        },
      });
    await folder.plumb(['test', tests('one'), '-u']);
    const { stdout, code } = await folder.plumb(['test', tests('two'), '--json']);
    expect(code).toBe(1);
    const [failed] = JSON.parse(stdout).results.filter(({ status }: { status: string }) => status === 'fail');
    expect(failed.snapshot).toMatchObject({ updated: false });
    expect(failed.snapshot.diff).toMatch(/^- .*content\[0\]\.text.*Echo: one"$/m);
    expect(failed.snapshot.diff).toMatch(/^\+ .*content\[0\]\.text.*Echo: two"$/m);
    const snapshot = JSON.parse(read('__snapshots__/differs.snap.json'));
    expect(Object.keys(snapshot).sort()).toEqual(['data', 'metadata', 'name', 'timestamp']);
    expect(snapshot.metadata).toMatchObject({ testType: 'tool', testName: 'echo' });
    expect(snapshot.metadata.serverCommand).toContain('shop-server.mjs');
  });

  test('comes from code too, and is formatted', async () => {
    const server = createDemoServer();
    const results = await mcpTest(server, {
      tools: {
        add: { args: { a: 2, b: 2 }, expect: (result: unknown) => JSON.stringify(result).includes('4') },
      },
    });
    expect(results).toMatchObject({ failed: 0 });
    expect(formatResults(results)).toMatch(/✓ add[\s\S]*0 failed/);
    const page = htmlReport(results, { title: 'T', theme: 'dark', timestamp: false, includeRawData: true });
    expect(page).toContain('<title>T</title>');
    expect(page).not.toContain(`${results.startedAt}</p>`);
    expect(page).toContain('&quot;failed&quot;: 0');
  });
});

test('a server that implements a part of the protocol is tested', async () => {
  folder.write(
    'partial.mjs',
    `import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const results = {
    initialize: { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'p', version: '1' } },
    'tools/list': { tools: [{ name: 'hi', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'hi' }] },
  };
  const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: 'Method not found' } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
});
`,
  );
  const server = { command: process.execPath, args: ['partial.mjs'] };
  const file = folder.write('partial.json', { server, tests: { tools: { hi: { expect: 'contains:hi' } } } });
  expect(await folder.plumb(['test', file])).toMatchObject({ code: 0 });
  const missing = folder.write('missing.json', { server, tests: { resources: ['docs://*'] } });
  const ended = await folder.plumb(['test', missing]);
  expect(ended.code).toBe(1);
  const words = ['test', '--generate', '-o', 'partial.generated.json', '--', process.execPath, 'partial.mjs'];
  expect((await folder.plumb(words)).code).toBe(0);
  expect((await folder.plumb(['test', 'partial.generated.json'])).code).toBe(0);
});

test('generation can be told what to write, and where', { timeout: 120_000 }, async () => {
  const server = new URL('../../../dist/server/index.js', import.meta.url).href;
  folder.write(
    'small.mjs',
    `import { createServer } from ${JSON.stringify(server)};
const server = createServer({ name: 'small', version: '1' });
const input = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] };
server.tool('echo', { input, annotations: { readOnlyHint: true } }, ({ message }) => message);
await server.stdio();
`,
  );
  const generate = async (file: string, ...flags: string[]): Promise<string> => {
    const words = ['test', '--generate', '-o', file, ...flags, '--', process.execPath, 'small.mjs'];
    expect((await folder.plumb(words)).code).toBe(0);
    return read(file);
  };
  const plain = await generate('plain.json', '--no-edge-cases', '--negative-tests');
  expect(plain).toContain('echo:missing-message');
  expect(plain).not.toContain('echo:empty-message');
  const module = await generate('module.mjs', '--depth', 'basic', '--snapshots', '--timeout', '5000');
  expect(module).toMatch(/^export default/m);
  expect(module).toMatch(/"?timeout"?: 5000/);
  expect(module).toMatch(/"?snapshot"?: true/);
  expect(module).not.toContain('echo:');
  expect((await folder.plumb(['test', 'module.mjs', '-u'])).code).toBe(0);
});

test('a watcher has the options of the seeds', async () => {
  const runs: (readonly string[])[] = [];
  const errors: unknown[] = [];
  let results = 0;
  const watcher = createWatcher(
    {
      run: async (changed) => {
        runs.push(changed);
        // A change during the run causes one more.
        if (runs.length === 1) watcher.forceRun();
        if (runs.length === 2) throw new Error('broken');
        return 'done';
      },
      onResults: () => {
        results += 1;
      },
      onError: (error) => errors.push(error),
    },
    { paths: [folder.path], include: ['.ts'], exclude: ['dist'], debounce: 1, runOnStart: false },
  );
  watcher.start();
  expect(runs).toEqual([]);
  watcher.forceRun();
  await expect.poll(() => runs.length).toBe(2);
  await expect.poll(() => errors.length).toBe(1);
  watcher.noteChange(join(folder.path, 'a.json'));
  watcher.noteChange(join(folder.path, 'dist', 'a.ts'));
  watcher.noteChange(join(folder.path, 'a.ts'));
  await expect.poll(() => runs.length).toBe(3);
  expect(runs[2]).toEqual([join(folder.path, 'a.ts')]);
  await watcher.stop();
  expect(results).toBe(2);
  expect(existsSync(folder.path)).toBe(true);
});
