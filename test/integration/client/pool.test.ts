import fc from 'fast-check';
import { connectAll, type Pool, type PoolOptions } from 'plumb-mcp/client';
import { createServer, type Server } from 'plumb-mcp/server';
import { afterEach, describe, expect, it } from 'vitest';
import { qualifiedName, serverPrefix } from '../../../src/client/pool/qualified-name.js';
import type { ServersConfig } from '../../../src/client/pool/servers-config.js';
import { ToolIndex, wordsOf } from '../../../src/middleware/tool-index.js';

const pools: Pool[] = [];
const RECOVER = { initialDelay: 5, maxDelay: 20 };

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
});

async function open(config: ServersConfig, options: PoolOptions = {}): Promise<Pool> {
  const pool = await connectAll(config, { recover: RECOVER, ...options });
  pools.push(pool);
  return pool;
}

function weather(): Server {
  const server = createServer({ name: 'weather', version: '1' });
  const input = { type: 'object', properties: { city: { type: 'string' } } } as const;
  server.tool(
    'get_forecast',
    { description: 'Weather forecast for a city. Up to ten days.', input },
    ({ city }) => `sun in ${city}`,
  );
  server.tool('alerts', { description: 'Storm and flood alerts' }, () => 'none');
  server.prompt('plan', { description: 'Plan a trip' }, () => 'Plan it');
  server.resource('weather:stations', {}, () => 'many');
  return server;
}

function mail(): Server {
  const server = createServer({ name: 'mail', version: '1' });
  server.tool('send', { description: 'Send a message to somebody' }, () => 'sent');
  server.tool('alerts', { description: 'Alerts about new mail' }, () => 'one');
  return server;
}

function textOf({ content: [block] }: { content: readonly { type: string }[] }): unknown {
  return block !== undefined && 'text' in block ? block.text : undefined;
}

describe('a pool', () => {
  it('shows the tools of all servers in one list, under names that do not clash', async () => {
    const pool = await open({ mcpServers: { weather: weather(), mail: mail() } });
    const tools = await pool.tools.list();
    expect(tools.map(({ name }) => name)).toEqual([
      'weather__get_forecast',
      'weather__alerts',
      'mail__send',
      'mail__alerts',
    ]);
    expect(textOf(await pool.call('mail__alerts'))).toBe('one');
    expect(textOf(await pool.call('weather__get_forecast', { city: 'Oslo' }))).toBe('sun in Oslo');
    await expect(pool.call('mail__nothing')).rejects.toMatchObject({ code: 'unknown_name' });
  });

  it('has collections that can be narrowed and changed', async () => {
    const pool = await open({ weather: weather(), mail: mail() });
    expect((await pool.tools.only('mail__*')).map(({ originalName }) => originalName)).toEqual([
      'send',
      'alerts',
    ]);
    const rest = (await pool.tools.except('weather__*', 'mail__send')).toArray();
    expect(rest.map(({ name }) => name)).toEqual(['mail__alerts']);
    expect(await pool.tools.map(({ server }) => server)).toEqual(['weather', 'weather', 'mail', 'mail']);
    expect((await pool.tools.list()).only('mail__send').except('mail__*').length).toBe(0);
    const iterated: string[] = [];
    for await (const { name } of pool.prompts) iterated.push(name);
    expect(iterated).toEqual(['weather__plan']);
    expect((await pool.prompt('weather__plan')).messages).toHaveLength(1);
    expect((await pool.resources.list()).map(({ server, uri }) => [server, uri])).toEqual([
      ['weather', 'weather:stations'],
    ]);
    expect((await pool.read('weather', 'weather:stations')).contents).toMatchObject([{ text: 'many' }]);
  });

  it('isolates a server that fails, says why, and has it once it works', async () => {
    let works = false;
    const server = mail();
    const flaky = {
      transport: () => {
        if (!works) throw new Error('not yet');
        return server.transport();
      },
    };
    const pool = await open({ weather: weather(), flaky });
    const states: string[] = [];
    pool.on('state', (name, { state }) => states.push(`${name} ${state}`));
    expect(pool.status()).toMatchObject([
      { name: 'weather', state: 'ready', server: { name: 'weather' }, error: undefined },
      {
        name: 'flaky',
        state: 'backoff',
        server: undefined,
        revision: undefined,
        error: { message: 'not yet' },
      },
    ]);
    expect((await pool.tools.list()).map(({ server: name }) => name)).toEqual(['weather', 'weather']);
    works = true;
    await pool.client('flaky').whenReady();
    expect(textOf(await pool.call('flaky__send'))).toBe('sent');
    expect(states).toContain('flaky ready');
  });

  it('connects to all at the same time', async () => {
    const order: string[] = [];
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = (name: string, server: Server) => ({
      transport: async () => {
        order.push(name);
        if (order.length === 2) release();
        await gate;
        return server.transport();
      },
    });
    await open({ a: slow('a', mail()), b: slow('b', weather()) });
    expect(order).toEqual(['a', 'b']);
  });

  it('waits no longer than it is told for one that neither comes nor fails, and closes it all the same', async () => {
    let arrive = (): void => {};
    const gate = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const late = { transport: () => gate.then(() => mail().transport()) };
    const pool = await open({ weather: weather(), late }, { wait: 20 });
    expect(pool.status().map(({ name, state }) => `${name} ${state}`)).toEqual([
      'weather ready',
      'late starting',
    ]);
    expect((await pool.tools.list()).length).toBe(2);
    const never = { transport: () => new Promise<never>(() => {}) };
    const other = await open({ never }, { wait: 20 });
    await other.close();
    expect(other.status()).toMatchObject([{ state: 'closed' }]);
    arrive();
    await pool.client('late').whenReady();
    expect((await pool.tools.list()).length).toBe(4);
  });

  it('hears of changed lists', async () => {
    const server = mail();
    const pool = await open({ mail: server });
    expect((await pool.tools.list()).length).toBe(2);
    server.tool('archive', {}, () => 'done');
    await expect.poll(async () => (await pool.tools.list()).length).toBe(3);
  });

  it('leaves out servers that are disabled, and refuses a map that is none', async () => {
    const pool = await open({ mcpServers: { off: { command: 'nowhere', disabled: true } } });
    expect(pool.status()).toEqual([]);
    expect(() => pool.client('off')).toThrow(/no server "off"/);
    const wrong: ServersConfig = JSON.parse('{"mcpServers":{"a":{"comand":"x"}}}');
    await expect(connectAll(wrong)).rejects.toThrow(/"a" needs a command or a url/);
    const args: ServersConfig = JSON.parse('{"a":{"command":"x","args":"y"}}');
    await expect(connectAll(args)).rejects.toThrow(/"a" has args that are not a list of strings/);
  });

  it('honours the timeout of an entry', async () => {
    const server = weather();
    server.tool('never', {}, () => new Promise<string>(() => {}));
    const { url } = await server.http();
    const pool = await open({ slow: { url, timeout: 1_000 } });
    await expect(pool.call('slow__never')).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('within 1000 ms'),
    });
    await pool.close();
    await server.close({ drain: 0 });
  });

  it.each([
    [60, 'has a timeout of 60; write it in milliseconds, at least 1000 (60 s is 60000)'],
    ['60s', 'has a timeout of "60s"; write it in milliseconds, at least 1000'],
    [-1, 'has a timeout of -1; write it in milliseconds, at least 1000'],
  ])('refuses a timeout of %j in an entry', async (timeout, message) => {
    const config = { mcpServers: { x: { command: 'node', timeout } } };
    await expect(connectAll(config as ServersConfig)).rejects.toThrow(`"x" ${message}`);
  });

  it('honours the connectTimeout of an entry', async () => {
    const silent = {
      command: process.execPath,
      args: ['-e', 'process.stdin.resume()'],
      connectTimeout: '500ms',
    };
    const pool = await open({ silent, weather: weather() }, { recover: false });
    await expect
      .poll(() => pool.status())
      .toMatchObject([
        { name: 'silent', error: { code: 'handshake_failed', waitedMs: 500 } },
        { name: 'weather', state: 'ready' },
      ]);
    await pool.close();
    const wrong: ServersConfig = JSON.parse('{"x":{"command":"node","connectTimeout":"soon"}}');
    await expect(connectAll(wrong)).rejects.toThrow(/"x" has a connectTimeout of "soon"; write 90s, 2m/);
  });

  it('finds tools by words, in three degrees of detail', async () => {
    const pool = await open({ weather: weather(), mail: mail() });
    expect(await pool.search('forecast city', { detail: 'name' })).toEqual([
      { name: 'weather__get_forecast', server: 'weather' },
    ]);
    expect(await pool.search('weather forecast')).toMatchObject([
      {
        name: 'weather__get_forecast',
        description: 'Weather forecast for a city.',
        parameters: ['city'],
      },
      { name: 'weather__alerts' },
    ]);
    const [full] = await pool.search('send a message', { detail: 'full', limit: 1 });
    expect(full).toMatchObject({ name: 'mail__send', originalName: 'send', inputSchema: { type: 'object' } });
    expect(await pool.search('astronomy', { detail: 'name' })).toEqual([]);
  });

  it('does not find tools for apps alone, which are in its list', async () => {
    const server = weather();
    server.tool('refresh_forecast', { visibility: ['app'] }, () => 'fresh');
    const pool = await open({ weather: server });
    for (const query of ['refresh forecast', ''])
      expect(JSON.stringify(await pool.search(query, { detail: 'full' }))).not.toContain('refresh_forecast');
    expect(await pool.tools.find('weather__refresh_forecast')).toBeDefined();
    expect(textOf(await pool.call('weather__refresh_forecast'))).toBe('fresh');
  });
});

describe('names in a pool', () => {
  const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;

  it('are legal in every model API, whatever servers and tools are called', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.string({ maxLength: 200 }),
        (server, tool) => {
          expect(qualifiedName(serverPrefix(server), tool)).toMatch(LEGAL);
        },
      ),
    );
  });

  it('tell any two tools of any two servers apart', () => {
    const names = fc.stringMatching(/^[a_b.-]{1,6}$/);
    fc.assert(
      fc.property(names, names, names, names, (server, tool, otherServer, otherTool) => {
        fc.pre(server !== otherServer || tool !== otherTool);
        expect(qualifiedName(serverPrefix(server), tool)).not.toBe(
          qualifiedName(serverPrefix(otherServer), otherTool),
        );
      }),
      { numRuns: 5_000 },
    );
  });

  it('stay as they are where they can', () => {
    expect(qualifiedName(serverPrefix('github'), 'create_issue')).toBe('github__create_issue');
    expect(qualifiedName(serverPrefix('my-server'), 'a-b')).toBe('my-server__a-b');
  });
});

describe('search', () => {
  it('takes names in every spelling apart', () => {
    expect(wordsOf('getUserName get_user-name2')).toEqual(['get', 'user', 'name', 'get', 'user', 'name2']);
  });

  it('finds one tool among thousands, with a query that would ruin a pattern', () => {
    const tools = Array.from({ length: 5_000 }, (_, index) => ({
      name: `tool_${index}`,
      title: undefined,
      description: `${'aaaa '.repeat(50)}number ${index}`,
      parameters: ['a', 'b'],
    }));
    const found = new ToolIndex(tools, (item) => item).find(`${'a'.repeat(1_000)} number 4321`, 3);
    expect(found[0]?.item.name).toBe('tool_4321');
    expect(found).toHaveLength(3);
  });
});
