/** The programs below examples/, each used as its first lines say. */

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import initSqlJs from 'sql.js';
import { describe, expect, test, vi } from 'vitest';
import { type Client, type ConnectOptions, connect, textOf } from '../../../src/client/index.js';
import { cleanup } from '../../support/cleanup.js';
import { serveJson } from '../../support/json-server.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const EXAMPLES = join(ROOT, 'examples');
const PLUMB = join(ROOT, 'dist/cli/main.js');

interface Start extends ConnectOptions {
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
}

/** Over stdio, as a client's configuration starts it. */
async function start(file: string, { args = [], env, ...options }: Start = {}): Promise<Client> {
  const target = { command: process.execPath, args: [join(EXAMPLES, file), ...args], ...(env && { env }) };
  const client = await connect(target, options);
  cleanup(() => client.close());
  return client;
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'plumb-example-'));
  cleanup(() => rm(path, { recursive: true }));
  return path;
}

describe('weather-api', () => {
  const place = { name: 'Bern', country: 'Switzerland', latitude: 46.9, longitude: 7.4 };
  const daily = { time: ['2026-11-18'], temperature_2m_max: [7.5], temperature_2m_min: [-1] };

  async function weather(): Promise<Client> {
    const api = await serveJson(({ pathname, searchParams }) => {
      if (pathname === '/v1/forecast') {
        return searchParams.get('latitude') === '46.9' ? { body: { daily } } : { status: 400, body: {} };
      }
      return { body: searchParams.get('name') === 'Bern' ? { results: [place] } : {} };
    });
    const env = { GEOCODING_URL: api.origin, FORECAST_URL: api.origin };
    return start('weather-api/server.mjs', { env });
  }

  test('gets a forecast through two requests of the service', async () => {
    const { structuredContent } = await (await weather()).tools.call('forecast', { city: 'Bern', days: 1 });
    expect(structuredContent).toEqual({
      place: 'Bern, Switzerland',
      days: [{ date: '2026-11-18', low: -1, high: 7.5 }],
    });
  });

  test('names what to do when there is no such place', async () => {
    const result = await (await weather()).tools.call('forecast', { city: 'Atlantis' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe('There is no place called Atlantis; try find_place');
  });
});

describe('sqlite', () => {
  async function explorer(): Promise<Client> {
    const { Database } = await initSqlJs();
    const database = new Database();
    database.run('CREATE TABLE city (name TEXT, people INTEGER)');
    database.run('INSERT INTO city VALUES (?, ?), (?, ?)', ['Bern', 134000, 'Basel', 178000]);
    const file = join(await folder(), 'cities.db');
    await writeFile(file, database.export());
    return start('sqlite/server.mjs', { args: [file] });
  }

  test('answers queries with bound values, and shows schema and samples', async () => {
    const client = await explorer();
    const sql = 'SELECT name FROM city WHERE people > ?';
    const { structuredContent } = await client.tools.call('query', { sql, values: [150000] });
    expect(structuredContent).toEqual({ columns: ['name'], rows: [['Basel']], more: false });
    expect((await client.resources.read('schema://tables')).contents[0]).toMatchObject({
      text: 'CREATE TABLE city (name TEXT, people INTEGER);',
    });
    const sample = await client.resources.read('schema://tables/city/sample');
    expect(JSON.stringify(sample.contents)).toContain('Bern');
  });

  test.each([
    ['DELETE FROM city', 'only SELECT is allowed'],
    ['WITH x AS (SELECT 1) DELETE FROM city', 'attempt to write a readonly database'],
    ['/* harmless */ PRAGMA query_only = OFF', 'only SELECT is allowed'],
    ["-- SELECT\nATTACH 'other.db' AS other", 'only SELECT is allowed'],
    ['SELECT 1; DROP TABLE city', 'one statement at a time'],
    ['SELECT * FROM nowhere', 'no such table: nowhere'],
  ])('refuses %j', async (sql, reason) => {
    const client = await explorer();
    const result = await client.tools.call('query', { sql });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe(`The query failed: ${reason}`);
    const count = await client.tools.call('query', { sql: 'SELECT count(*) FROM city' });
    expect(count.structuredContent).toMatchObject({ rows: [[2]] });
  });
});

describe('files', () => {
  async function files(options: Start = {}): Promise<{ client: Client; root: string }> {
    const outside = await folder();
    const root = join(outside, 'root');
    await mkdir(root);
    await writeFile(join(outside, 'secret.txt'), 'secret');
    await writeFile(join(root, 'note.txt'), 'hello');
    await symlink(join(outside, 'secret.txt'), join(root, 'link.txt'));
    await symlink(outside, join(root, 'up'));
    return { client: await start('files/server.mjs', { args: [root], ...options }), root };
  }

  test('reads, lists and writes below its folder', async () => {
    const { client, root } = await files();
    expect(textOf(await client.tools.call('read_file', { path: 'note.txt' }))).toBe('hello');
    expect(textOf(await client.tools.call('list_files'))).toContain('note.txt');
    const written = await client.tools.call('write_file', { path: 'new/one.txt', text: 'one' });
    expect(written.content[0]).toMatchObject({ type: 'resource_link', name: 'new/one.txt' });
    expect(await readFile(join(root, 'new/one.txt'), 'utf8')).toBe('one');
  });

  test('asks before it replaces a file', async () => {
    const asked: string[] = [];
    const { client, root } = await files({
      elicit: ({ message }) => {
        asked.push(message);
        return { action: 'accept', content: { replace: false } };
      },
    });
    const kept = await client.tools.call('write_file', { path: 'note.txt', text: 'x' });
    expect(textOf(kept)).toBe('Nothing was written');
    expect(asked).toEqual(['Replace note.txt?']);
    expect(await readFile(join(root, 'note.txt'), 'utf8')).toBe('hello');
  });

  test.each(['../secret.txt', '/etc/hostname', 'link.txt', 'up/secret.txt', 'a/../../secret.txt'])(
    'refuses to read %s',
    async (path) => {
      const result = await (await files()).client.tools.call('read_file', { path });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toBe(`${path} is outside of the folder`);
    },
  );

  test.each(['../new.txt', 'up/new.txt', 'up/deep/new.txt'])('refuses to write %s', async (path) => {
    const { client } = await files();
    const result = await client.tools.call('write_file', { path, text: 'x' });
    expect(textOf(result)).toBe(`${path} is outside of the folder`);
  });
});

describe('rest-api', () => {
  test('calls the API with the fixed owner and its own credentials', async () => {
    const seen: string[] = [];
    const api = await serveJson(({ pathname, search }, { method, headers }, body) => {
      seen.push([method, pathname + search, headers.authorization, body].join(' '));
      return method === 'POST' ? { status: 201, body: { number: 8 } } : { body: [{ number: 7 }] };
    });
    const client = await start('rest-api/server.mjs', {
      env: { TRACKER_URL: api.origin, TRACKER_TOKEN: 'hush' },
    });
    const tools = await client.tools.list();
    expect(tools.map(({ name }) => name)).toEqual(['list_issues', 'create_issue']);
    expect(JSON.stringify(tools)).not.toContain('owner');
    expect(textOf(await client.tools.call('list_issues', { repo: 'site' }))).toContain('7');
    expect(
      textOf(await client.tools.call('create_issue', { repo: 'site', body: { title: 'Broken' } })),
    ).toContain('8');
    expect(seen).toEqual([
      'GET /repos/acme/site/issues?state=open Bearer hush ',
      'POST /repos/acme/site/issues Bearer hush {"title":"Broken"}',
    ]);
  });
});

describe('gateway', () => {
  test('shows five servers as one, without the tools that write', async () => {
    const target = {
      command: process.execPath,
      args: [PLUMB, 'chain', join(EXAMPLES, 'gateway/gateway.mjs')],
    };
    const client = await connect({ ...target, args: [...target.args, '--stdio'] });
    cleanup(() => client.close());
    // Servers that need longer than the others join later.
    await vi.waitFor(async () => {
      const names = (await client.tools.list({ cache: 'reload' })).map(({ name }) => name);
      expect(new Set(names.map((name) => name.split('__')[0]))).toEqual(
        new Set(['clock', 'files', 'memory', 'everything', 'render']),
      );
      expect(names).toContain('files__read_text_file');
      expect(names).not.toContain('files__write_file');
      expect(names).not.toContain('memory__delete_entities');
    }, 60_000);
    expect(textOf(await client.tools.call('everything__get-sum', { a: 2, b: 3 }))).toContain('5');
    expect(textOf(await client.tools.call('clock__now'))).toMatch(/^\d{4}-/);
    const args = { path: 'x', content: 'y' };
    await expect(client.tools.call('files__write_file', args)).rejects.toThrow('files__write_file');
  }, 90_000);
});

describe('wizard', () => {
  /** Answers by the question, so that the order is the wizard's. */
  const answers = (decisions: string[]) => (request: { message: string }) => {
    if (request.message.startsWith('Where'))
      return { action: 'accept', content: { from: 'Bern', to: 'Rome' } } as const;
    if (request.message.startsWith('Book')) {
      return { action: 'accept', content: { decision: decisions.shift() ?? 'cancel' } } as const;
    }
    return { action: 'accept', content: { seat: 'aisle' } } as const;
  };

  test.each(['2025-11-25', '2026-07-28'])('books once after going back, in %s', async (revision) => {
    const decisions = ['change', 'book'];
    const client = await start('wizard/server.mjs', { revisions: [revision], elicit: answers(decisions) });
    const { structuredContent } = await client.tools.call('book');
    expect(structuredContent).toEqual({ booked: true, number: 1, journey: 'Bern to Rome, aisle seat' });
    expect(decisions).toEqual([]);
  });

  test('books nothing when the user declines', async () => {
    const client = await start('wizard/server.mjs', { elicit: () => ({ action: 'decline' }) });
    expect((await client.tools.call('book')).structuredContent).toEqual({ booked: false });
  });
});

describe('render', () => {
  const options = {
    env: { SCENE_MS: '1' },
    elicit: () => ({ action: 'accept', content: { title: 'Rain' } }) as const,
  };

  test.each(['2025-06-18', '2025-11-25', '2026-07-28'])('renders for a client of %s', async (revision) => {
    const client = await start('render/server.mjs', { ...options, revisions: [revision] });
    const { structuredContent } = await client.tools.call('render', { scenes: 3 });
    expect(structuredContent).toEqual({ scenes: 3, title: 'Rain' });
  });

  test('is a task that reports its status', async () => {
    const client = await start('render/server.mjs', options);
    const task = await client.tools.start('render', { scenes: 2 });
    expect(task.id).toEqual(expect.any(String));
    expect((await task.result()).structuredContent).toEqual({ scenes: 2, title: 'Rain' });
  });
});

describe('chart', () => {
  test('serves the page of the tool, and a tool for the page alone', async () => {
    const client = await start('chart/server.mjs');
    const [sales, neighbour] = await client.tools.list();
    expect(sales?._meta).toMatchObject({ ui: { resourceUri: 'ui://sales-chart' } });
    expect(neighbour?._meta).toMatchObject({ ui: { visibility: ['app'] } });
    const page = await client.resources.read('ui://sales-chart');
    expect(page.contents[0]).toMatchObject({ text: expect.stringContaining('<svg role="img"') });
    const { structuredContent } = await client.tools.call('sales', { year: 2020 });
    expect(structuredContent).toMatchObject({ year: 2020, months: expect.any(Array) });
  });
});

describe('skills-server', () => {
  test('lists the skills of a folder, and loads one', async () => {
    const { stdout } = await run(process.execPath, [join(EXAMPLES, 'skills-server/reader.mjs')]);
    expect(stdout).toMatch(/^skill:\/\/code-review\/SKILL\.md - Reviews a change/);
    expect(stdout).toContain('\n# Code review\n');
  });
});

describe('desktop-host', () => {
  test('shows tools and dialogs in its window, and ends its servers', async () => {
    const config = join(await folder(), 'mcp.json');
    const weather = { command: process.execPath, args: [join(EXAMPLES, 'weather-server.mjs')] };
    await writeFile(config, JSON.stringify({ mcpServers: { weather } }));
    const { stdout } = await run(process.execPath, [join(EXAMPLES, 'desktop-host/host.mjs'), config]);
    expect(stdout.split('\n')).toEqual([
      'weather: ready',
      'tool: weather__forecast - Forecast for a city',
      'dialog: Which unit? {"unit":"C"}',
      'result: {"unit":"C","temperatures":[20,21,22]}',
      'refused: Windows cannot ask for shell',
      '',
    ]);
  });
});

describe('custom-transport', () => {
  test('calls a server in another thread', async () => {
    const { stdout } = await run(process.execPath, [join(EXAMPLES, 'custom-transport/main.mjs')]);
    expect(stdout).toBe('revision: 2026-07-28\nsum: 500000500000\n');
  });
});
