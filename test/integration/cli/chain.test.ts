/** `plumb chain`, as users run it: modules, configuration files, and their changes while it runs. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, connect } from 'plumb-mcp/client';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanup } from '../../support/cleanup.js';
import { plumb, type Running, type RunOptions, start } from './plumb.js';

const dist = new URL('../../../dist/', import.meta.url);
const MAIN = fileURLToPath(new URL('cli/main.js', dist));
const CHAIN = new URL('chain/index.js', dist).href;
const SERVER = new URL('server/index.js', dist).href;
const DEMO = { command: process.execPath, args: [MAIN, 'demo', '--stdio'] };
const STARTS = { timeout: 20_000 };

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumb-chain-'));
  cleanup(() => rm(folder, { recursive: true, force: true }));
});

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function serve(words: readonly string[], options?: RunOptions): Promise<Running & { url: string }> {
  const running = start(['chain', ...words, '--http', '0'], options);
  cleanup(async () => {
    running.process.kill('SIGTERM');
    await running.ended;
  });
  await expect.poll(() => running.stderr(), STARTS).toContain('listens at');
  return { ...running, url: /http:\/\/\S+(?=\. Try)/.exec(running.stderr())?.[0] ?? '' };
}

async function open(target: Parameters<typeof connect>[0], revision?: string): Promise<Client> {
  const client = await connect(target, {
    initTimeout: 30_000,
    ...(revision === undefined ? {} : { revisions: [revision] }),
  });
  cleanup(() => client.close());
  return client;
}

/** How often the connection was not there, or another one than before. */
function losses(client: Client): () => number {
  let count = 0;
  client.on('state', ({ state }) => {
    if (state !== 'ready') count += 1;
  });
  return () => count;
}

async function toolNames(client: Client): Promise<string[]> {
  return (await client.tools.list({ cache: 'reload' })).map(({ name }) => name);
}

function moduleText(exported: string, layer: string): string {
  return `import { createChain } from '${CHAIN}';
import { createServer } from '${SERVER}';
const server = createServer({ name: 'inner', version: '1' });
server.tool('hello', {}, () => 'hello');
server.tool('secret', {}, () => 'secret');
${exported} createChain().use(${layer}).to({ inner: server, demo: ${JSON.stringify(DEMO)} });
`;
}

it('names a command that is not found before any client comes', async () => {
  const mcpServers = { gone: { command: 'no-such-command' }, demo: DEMO };
  const { stderr } = await serve(['--mcp', await write('mcp.json', JSON.stringify({ mcpServers }))]);
  expect(stderr()).toMatch(
    /^plumb: gone: command not found: "no-such-command"; check that it is installed and on the PATH\nThe chain listens/,
  );
});

describe('a module', () => {
  it('is served over stdio from its default export', async () => {
    const path = await write('chain.mjs', moduleText('export default', '{}'));
    const client = await open({ command: process.execPath, args: [MAIN, 'chain', path, '--stdio'] });
    expect((await client.tools.call('inner__hello')).content).toMatchObject([{ text: 'hello' }]);
    expect((await client.tools.call('demo__add', { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 });
  }, 60_000);

  it('is served over HTTP from a variable', async () => {
    const path = await write('chain.mjs', moduleText('export const mine =', '{}'));
    const { url } = await serve([path]);
    const client = await open(url);
    expect((await client.tools.call('inner__hello')).content).toMatchObject([{ text: 'hello' }]);
  }, 60_000);

  it('without a chain is refused', async () => {
    const path = await write('chain.mjs', 'export const answer = 42;\n');
    const { code, stderr } = await plumb(['chain', path]);
    expect(code).toBe(2);
    expect(stderr).toContain('does not export a chain; write: export default createChain().to(...)');
  }, 30_000);

  it('is read again when it changes, and nobody is disconnected', async () => {
    const path = await write('chain.mjs', moduleText('export default', '{}'));
    const running = await serve([path]);
    const client = await open(running.url, '2025-11-25');
    expect(await toolNames(client)).toContain('inner__secret');
    const lost = losses(client);
    let changes = 0;
    client.on('toolsChanged', () => {
      changes += 1;
    });
    // A call that runs while the module changes is not lost: its server is still there.
    const waiting = client.tools.call('demo__wait', { seconds: 3 });
    const hiding = `{ request: async (call, next) => {
      const result = await next();
      if (call.method !== 'tools/list') return result;
      return { ...result, tools: result.tools.filter((tool) => tool.name !== 'inner__secret') };
    } }`;
    await writeFile(path, moduleText('export default', hiding));
    await expect.poll(() => running.stderr(), STARTS).toContain('was read again');
    await expect.poll(() => changes, STARTS).toBeGreaterThan(0);
    expect(await toolNames(client)).not.toContain('inner__secret');
    expect((await client.tools.call('inner__hello')).content).toMatchObject([{ text: 'hello' }]);
    expect((await waiting).content).toMatchObject([{ text: 'Waited for 3 s.' }]);
    expect(lost()).toBe(0);
    await writeFile(path, 'this is no module');
    await expect.poll(() => running.stderr(), STARTS).toContain('has an error; nothing changed');
    expect((await client.tools.call('inner__hello')).content).toMatchObject([{ text: 'hello' }]);
  }, 90_000);
});

describe('a configuration file', () => {
  const YAML = `servers:
  demo:
    command: ${process.execPath}
    args: ["${MAIN}", demo, --stdio]
    prefix: \${PREFIX}
middleware:
  - timeout: 30s
  - hide: { tools: ["*_roots"] }
`;

  it('is served over stdio, with its variables filled in', async () => {
    const path = await write('chain.yaml', YAML);
    const client = await open({
      command: process.execPath,
      args: [MAIN, 'chain', path],
      env: { PREFIX: 'd_' },
    });
    const names = await toolNames(client);
    expect(names).toContain('d_add');
    expect(names).not.toContain('d_ask_roots');
    await expect(client.tools.call('d_ask_roots')).rejects.toMatchObject({ rpcCode: -32602 });
  }, 60_000);

  it('may be JSON', async () => {
    const config = { servers: { demo: DEMO }, middleware: ['log', 'metrics'] };
    const { url, stderr } = await serve([await write('chain.json', JSON.stringify(config))]);
    const client = await open(url);
    expect((await client.tools.call('add', { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 });
    await expect.poll(stderr).toContain('tools/call');
    const counted = await (await fetch(new URL('/metrics', url))).text();
    expect(counted).toContain('method="tools/call",name="add",outcome="ok"');
    expect(counted).toContain('plumb_upstream_connections{server="demo"} 1\n');
    expect(counted).toContain('plumb_upstream_failing{server="demo"} 0');
  }, 60_000);

  it('is read again when it changes, and nobody is disconnected', async () => {
    const first = { servers: { one: { ...DEMO, prefix: 'one_' } } };
    const path = await write('chain.json', JSON.stringify(first));
    const running = await serve([path]);
    const client = await open(running.url, '2025-06-18');
    const lost = losses(client);
    let changes = 0;
    client.on('toolsChanged', () => {
      changes += 1;
    });
    const waiting = client.tools.call('one_wait', { seconds: 3 });
    const second = {
      servers: { ...first.servers, two: DEMO },
      middleware: [{ hide: { tools: ['*echo*'] } }],
    };
    await writeFile(path, JSON.stringify(second));
    await expect.poll(() => running.stderr(), STARTS).toContain('was read again');
    await expect.poll(() => changes, STARTS).toBeGreaterThan(0);
    expect((await client.tools.call('two__add', { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 });
    expect(await toolNames(client)).not.toContain('one_echo');
    // The first server did not change, so its call went on.
    expect((await waiting).content).toMatchObject([{ text: 'Waited for 3 s.' }]);
    await writeFile(path, '{ "servers": ');
    await expect
      .poll(() => running.stderr(), STARTS)
      .toMatch(/chain\.json has an error; nothing changed: .*:1/);
    expect((await client.tools.call('one_add', { a: 2, b: 2 })).structuredContent).toEqual({ sum: 4 });
    expect(lost()).toBe(0);
  }, 90_000);

  it('is left alone with --no-reload', async () => {
    const path = await write('chain.json', JSON.stringify({ servers: { demo: DEMO } }));
    const running = await serve([path, '--no-reload']);
    const client = await open(running.url);
    await writeFile(path, 'nonsense');
    expect((await client.tools.call('add', { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 });
    expect(running.stderr()).not.toContain('nonsense');
    expect(running.stderr()).not.toContain('nothing changed');
  }, 60_000);
});

describe('errors of a configuration file', () => {
  const cases: readonly [string, string, RegExp][] = [
    [
      'an unknown key',
      'servers:\n  a:\n    command: x\n    colour: red\n',
      /chain\.yaml:\d+: servers\.a.*colour/,
    ],
    [
      'a wrong type',
      'servers:\n  a:\n    command: x\n    args: no list\n',
      /chain\.yaml:4: servers\.a\.args: /,
    ],
    [
      'an unknown middleware',
      'servers: { a: https://a.example/mcp }\nmiddleware:\n  - telepathy\n',
      /chain\.yaml:3: middleware\.0/,
    ],
    ['a bad duration', 'servers: { a: https://a.example/mcp }\nmiddleware:\n  - timeout: soon\n', /timeout/],
    [
      'a variable that is not set',
      `servers:\n  a:\n    url: https://a.example/\n    headers:\n      X: \${NOT_SET_HERE}\n`,
      /chain\.yaml:5: servers\.a\.headers\.X: .*NOT_SET_HERE/,
    ],
    ['neither program nor URL', 'servers:\n  a:\n    prefix: x\n', /chain\.yaml:\d: servers\.a/],
    ['broken YAML', 'servers: {\n  a: [\n', /chain\.yaml:\d/],
  ];

  it.each(cases)(
    '%s is told with its line and key',
    async (_name, text, complaint) => {
      const { code, stderr } = await plumb(['chain', await write('chain.yaml', text)]);
      expect(stderr).toMatch(complaint);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(code).toBe(2);
    },
    30_000,
  );

  it('do not show the values of variables', async () => {
    const text = `servers:\n  a:\n    command: \${PROGRAM}\n    args: 5\n    env: { TOKEN: "\${TOKEN}" }\n`;
    const env = { PROGRAM: 'hidden-program', TOKEN: 'hidden-token' };
    const { stderr, stdout } = await plumb(['chain', await write('chain.yaml', text)], { env });
    expect(stderr + stdout).toContain('servers.a.args');
    expect(stderr + stdout).not.toContain('hidden-');
  }, 30_000);

  it('do not show secrets of a server that cannot be reached', async () => {
    const config = `servers:\n  a:\n    url: http://127.0.0.1:1/mcp\n    headers: { Authorization: "Bearer \${TOKEN}" }\n`;
    const running = await serve([await write('chain.yaml', config)], { env: { TOKEN: 'hidden-token' } });
    const failure: unknown = await open(running.url).catch((error: unknown) => error);
    expect(String(failure)).toContain('"a" is not available');
    expect(running.stderr()).toContain('plumb: a could not be reached');
    expect(String(failure) + running.stderr() + running.stdout()).not.toContain('hidden-token');
  }, 60_000);
});

describe('--mcp', () => {
  it('makes one endpoint of all servers of a client', async () => {
    const config = {
      mcpServers: {
        first: { ...DEMO, env: { NOTE: `\${HOME}` } },
        second: DEMO,
      },
    };
    const path = await write('mcp.json', JSON.stringify(config));
    const { url } = await serve(['--mcp', path]);
    const client = await open(url);
    const names = await toolNames(client);
    expect(names).toContain('first__add');
    expect(names).toContain('second__add');
    expect((await client.tools.call('second__add', { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 });
    expect((await client.prompts.list()).map(({ name }) => name)).toContain('first__review');
  }, 60_000);

  it('serves what works when one of the servers does not', async () => {
    const config = { mcpServers: { works: DEMO, broken: { command: process.execPath, args: ['-e', '1'] } } };
    const path = await write('mcp.json', JSON.stringify(config));
    const client = await open({ command: process.execPath, args: [MAIN, 'chain', '--mcp', path, '--stdio'] });
    expect(await toolNames(client)).toContain('works__add');
    await expect(client.tools.call('broken__add')).rejects.toThrow(/"broken" is not available/);
  }, 60_000);

  it('needs a file with servers, and no other chain', async () => {
    const path = await write('mcp.json', '{ "mcpServers": {} }');
    expect((await plumb(['chain', '--mcp', path])).stderr).toContain(
      'has no servers; add one under "mcpServers"',
    );
    expect((await plumb(['chain', 'x.yaml', '--mcp', path])).stderr).toContain('not both');
    expect((await plumb(['chain'])).stderr).toContain('No chain: give a module');
    expect((await plumb(['chain', join(folder, 'nowhere.yaml')])).stderr).toContain(
      'nowhere.yaml does not exist; check the path',
    );
  }, 60_000);
});
