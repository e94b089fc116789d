/** The inspector starts programs for whoever it obeys, so it obeys nobody else: every lock, tried from outside. */

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CommandName, Commands } from '../../src/inspector/api.js';
import { Access, createToken, tokenProblem } from '../../src/inspector/http/access.js';
import { createInspector, listenInspector } from '../../src/inspector/inspector.js';
import { plumb } from '../integration/cli/plumb.js';
import { sendTo } from '../support/http-target.js';
import { InspectorPage } from '../support/inspector-page.js';

/** Every command there is: the compiler complains when one is missing. */
const EVERY_COMMAND: Record<CommandName, true> = {
  'apps.close': true,
  'apps.open': true,
  'apps.record': true,
  'servers.add': true,
  'servers.edit': true,
  'servers.duplicate': true,
  'servers.order': true,
  'servers.remove': true,
  'servers.connect': true,
  'servers.disconnect': true,
  'servers.pin': true,
  'servers.rename': true,
  'servers.ping': true,
  'servers.logLevel': true,
  'servers.roots': true,
  'servers.stderr': true,
  'configs.list': true,
  'catalogue.get': true,
  'resources.subscribe': true,
  'resources.unsubscribe': true,
  'completion.complete': true,
  'calls.run': true,
  'calls.export': true,
  'calls.extend': true,
  'calls.outcome': true,
  'calls.again': true,
  'calls.clear': true,
  'calls.cancel': true,
  'calls.leave': true,
  'tasks.refresh': true,
  'tasks.add': true,
  'tasks.cancel': true,
  'tasks.forget': true,
  'skills.read': true,
  'skills.directory': true,
  'drafts.set': true,
  'pins.set': true,
  'calls.save': true,
  'calls.forget': true,
  'asks.answer': true,
  'timeline.query': true,
  'timeline.get': true,
  'timeline.locate': true,
  'timeline.clear': true,
  'timeline.record': true,
  'timeline.export': true,
  'timeline.import': true,
  'timeline.replay': true,
  'figures.get': true,
  'auth.get': true,
  'auth.login': true,
  'auth.cancel': true,
  'auth.logout': true,
  'comply.start': true,
  'comply.stop': true,
  'comply.get': true,
  'comply.report': true,
};
const COMMANDS = Object.keys(EVERY_COMMAND) as (keyof Commands)[];
const JSON_TYPE = { 'content-type': 'application/json' };

function builtPage(): string {
  const parent = mkdtempSync(join(tmpdir(), 'plumb-page-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const folder = join(parent, 'page');
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Inspector</title>');
  writeFileSync(join(folder, 'app.js'), `console.log('${'x'.repeat(2_000)}')`);
  writeFileSync(join(parent, 'outside.js'), 'outside');
  return folder;
}

async function open(): Promise<{ page: InspectorPage; origin: string; paths: string[] }> {
  const page = await InspectorPage.open({ page: builtPage() });
  const paths = [
    '/',
    '/index.html',
    '/app.js',
    '/api/events',
    ...COMMANDS.map((command) => `/api/${command}`),
    '/no/such/place',
    '/t',
    '/t/',
    '//',
    '/favicon.ico',
  ];
  return { page, origin: page.url.origin, paths };
}

describe('without the token', () => {
  it('every route answers 401, with a wrong one, an empty one and none', async () => {
    const { page, origin, paths } = await open();
    const { token } = page;
    const wrong = [
      createToken(),
      '',
      token.slice(0, -1),
      `${token}x`,
      token.toUpperCase(),
      '%00',
      'undefined',
    ];
    const attempts = [
      ...paths.map((path) => ({ path, headers: {} })),
      ...paths.map((path) => ({ path, headers: { 'x-plumb-token': token } })),
      ...wrong.flatMap((guess) =>
        ['/', '/app.js', '/api/events', '/api/servers.add'].map((path) => ({
          path: `/t/${guess}${path}`,
          headers: { 'x-plumb-token': guess.replace('%00', 'x') },
        })),
      ),
      ...wrong.map((guess) => ({ path: `/?token=${guess}`, headers: {} })),
    ];
    for (const { path, headers } of attempts) {
      const methods = ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'];
      const answers = await Promise.all(
        methods.map((method) => {
          const body = method === 'POST' ? { body: '{}' } : {};
          return sendTo(origin, { method, path, headers: { ...JSON_TYPE, ...headers }, ...body });
        }),
      );
      expect(`${path} ${answers.map(({ status }) => status)}`).toBe(`${path} ${methods.map(() => 401)}`);
      const names = answers.flatMap(({ headerNames }) => headerNames);
      expect(names.filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    expect((await page.event('hello')).snapshot.servers).toEqual([]);
  }, 60_000);

  it('the API wants it in the header too, which no foreign page can send', async () => {
    const { page, origin } = await open();
    const path = `/t/${page.token}/api/servers.add`;
    const body = JSON.stringify({ kind: 'command', command: process.execPath, args: ['-e', '0'] });
    for (const headers of [{}, { 'x-plumb-token': '' }, { 'x-plumb-token': createToken() }]) {
      const answer = await sendTo(origin, { path, headers: { ...JSON_TYPE, ...headers }, body });
      expect(answer.status).toBe(401);
    }
    const events = await sendTo(origin, { method: 'GET', path: `/t/${page.token}/api/events` });
    expect(events.status).toBe(401);
  });

  it('an empty or short token never opens the door', async () => {
    expect(() => new Access('')).toThrow(RangeError);
    expect(() => new Access('short')).toThrow(RangeError);
    expect(() => createInspector({ token: '' })).toThrow(RangeError);
    expect(new Access(createToken()).admits('')).toBe(false);
    expect(new Access(createToken()).admits(undefined)).toBe(false);
    expect(tokenProblem('with spaces in it, alas')).toBeDefined();
    for (const token of ['', 'short']) {
      const { code, stderr, stdout } = await plumb(['inspect', '--no-open'], {
        env: { PLUMB_INSPECT_TOKEN: token },
      });
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('PLUMB_INSPECT_TOKEN');
    }
  });

  it('two inspectors have different tokens', () => {
    expect(new Set(Array.from({ length: 100 }, createToken)).size).toBe(100);
    expect(createToken().length).toBeGreaterThanOrEqual(32);
  });
});

describe('pages of other sites', () => {
  const attacks = (port: string): Record<string, string>[] => [
    { host: `evil.example:${port}` },
    { host: `evil.example:${port}`, origin: `http://evil.example:${port}` },
    { host: `127.0.0.1.evil.example:${port}` },
    { host: `[2001:db8::1]:${port}` },
    { host: `192.168.0.7:${port}` },
    { host: `0.0.0.0:${port}` },
    { origin: 'http://evil.example' },
    { origin: 'http://localhost:1' },
    { origin: 'http://127.0.0.1:1' },
    { origin: 'null' },
    { origin: '' },
    { host: 'evil.example', 'x-forwarded-host': `localhost:${port}` },
  ];

  it('are refused with 403 on every route, token or not', async () => {
    const { page, origin, paths } = await open();
    for (const headers of attacks(page.url.port)) {
      for (const path of [...paths.slice(0, 6), `/t/${page.token}/`, `/t/${page.token}/api/events`]) {
        const answer = await sendTo(origin, {
          method: 'GET',
          path,
          headers: { 'x-plumb-token': page.token, ...headers },
        });
        expect(`${path} ${JSON.stringify(headers)} ${answer.status}`).toBe(
          `${path} ${JSON.stringify(headers)} 403`,
        );
      }
      const answer = await sendTo(origin, {
        path: `/t/${page.token}/api/servers.add`,
        headers: { ...JSON_TYPE, 'x-plumb-token': page.token, ...headers },
        body: JSON.stringify({ kind: 'command', command: process.execPath, args: [] }),
      });
      expect(answer.status).toBe(403);
    }
    expect((await page.command('configs.list', {})).configs).toEqual([]);
  });

  it('cannot send what a form can send, and fetch metadata gives them away', async () => {
    const { page, origin } = await open();
    const path = `/t/${page.token}/api/servers.add`;
    const body = JSON.stringify({ kind: 'command', command: process.execPath, args: [] });
    const token = { 'x-plumb-token': page.token };
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'text/plain; application/json',
    ]) {
      const answer = await sendTo(origin, { path, headers: { ...token, 'content-type': type }, body });
      expect(answer.status).toBe(415);
    }
    for (const site of ['cross-site', 'same-site', 'none']) {
      const headers = { ...token, ...JSON_TYPE, 'sec-fetch-site': site };
      expect((await sendTo(origin, { path, headers, body })).status).toBe(403);
    }
  });
});

describe('what is served', () => {
  it('has a strict policy on every answer, and no cache keeps it', async () => {
    const { page, origin } = await open();
    const token = { 'x-plumb-token': page.token };
    const answers = [
      await sendTo(origin, { method: 'GET', path: '/' }),
      await sendTo(origin, { method: 'GET', path: page.url.pathname }),
      await sendTo(origin, {
        method: 'GET',
        path: `${page.url.pathname}app.js`,
        headers: { 'accept-encoding': 'gzip' },
      }),
      await sendTo(origin, {
        path: `${page.url.pathname}api/configs.list`,
        headers: { ...token, ...JSON_TYPE },
        body: '{}',
      }),
      await sendTo(origin, {
        path: `${page.url.pathname}api/nonsense`,
        headers: { ...token, ...JSON_TYPE },
        body: '{}',
      }),
      await sendTo(origin, { method: 'GET', path: '/', headers: { host: 'evil.example' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 200, 200, 200, 404, 403]);
    for (const answer of answers) {
      const policy = answer.header('content-security-policy') ?? '';
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "connect-src 'self'",
      ]) {
        expect(policy).toContain(rule);
      }
      // Apps of servers are shown in frames of another origin, on loopback; nothing else comes from outside.
      expect(policy).toContain('frame-src http://127.0.0.1:*;');
      expect(policy.replace(/frame-src [^;]+;/, '')).not.toMatch(/unsafe|https?:|\*/);
      expect(answer.header('x-content-type-options')).toBe('nosniff');
      expect(answer.header('cache-control')).toBe('no-store');
      expect(answer.header('referrer-policy')).toBe('no-referrer');
      expect(answer.header('set-cookie')).toBeUndefined();
    }
    expect(answers[2]?.header('content-encoding')).toBe('gzip');
    expect(answers[2]?.header('content-type')).toContain('text/javascript');
  });

  it('lies inside the folder of the page', async () => {
    const { page, origin } = await open();
    const base = `/t/${page.token}`;
    for (const path of [
      '/../outside.js',
      '/%2e%2e/outside.js',
      '/..%2foutside.js',
      '/assets/../../outside.js',
      '//etc/passwd',
      '/\\..\\outside.js',
    ]) {
      const answer = await sendTo(origin, { method: 'GET', path: `${base}${path}` });
      expect(`${path} ${answer.status}`).toBe(`${path} 404`);
    }
  });

  it('the address with the token in its query leads to the page', async () => {
    const { page, origin } = await open();
    const answer = await sendTo(origin, { method: 'GET', path: `/?token=${page.token}` });
    expect([answer.status, answer.header('location')]).toEqual([303, page.url.pathname]);
  });
});

describe('what servers and pages send', () => {
  it('never becomes an address of another kind, nor a line for a shell', async () => {
    const { page } = await open();
    for (const url of [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'data:text/html,x',
      '$(touch x)',
      ' &calc',
      'ftp://x/',
    ]) {
      expect(await page.refusal('servers.add', { kind: 'url', url })).toMatchObject({ status: 400 });
    }
    const folder = mkdtempSync(join(tmpdir(), 'plumb-shell-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const proof = join(folder, 'proof');
    const script = join(folder, 'args.mjs');
    writeFileSync(
      script,
      `process.stderr.write(JSON.stringify(process.argv.slice(2)) + '\\n'); setTimeout(() => {}, 5000);`,
    );
    const args = [
      `; touch ${proof}`,
      `$(touch ${proof})`,
      `\`touch ${proof}\``,
      `& touch ${proof}`,
      `| touch ${proof}`,
    ];
    const { id } = await page.command('servers.add', {
      kind: 'command',
      command: process.execPath,
      args: [script, ...args],
    });
    await page.event('stderr', ({ server }) => server === id);
    expect(JSON.parse((await page.command('servers.stderr', { server: id })).text)).toEqual(args);
    const injected = await page.command('servers.add', { kind: 'command', command: `touch ${proof}` });
    const { failure } = await page.state(injected.id, 'closed', 25_000);
    expect(failure?.code).toBe('spawn_failed');
    expect(existsSync(proof)).toBe(false);
  });

  it('a page address that is no web address is declined before anybody sees it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plumb-lure-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const script = join(folder, 'lure.mjs');
    // Asks with each address in turn, and answers the call with what it was told.
    writeFileSync(
      script,
      `import { createInterface } from 'node:readline';
const urls = ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', ' javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'vbscript:x', 'x&calc', '$(calc)'];
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const told = [];
let call;
const ask = () => told.length < urls.length
  ? say({ id: 'ask' + told.length, method: 'elicitation/create', params: { mode: 'url', elicitationId: 'e', message: 'Click', url: urls[told.length] } })
  : say({ id: call, result: { content: [{ type: 'text', text: JSON.stringify(told) }] } });
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === 'initialize') say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'lure', version: '1' } } });
  else if (method === 'tools/call') { call = id; ask(); }
  else if (method === undefined) { told.push(result?.action ?? 'refused'); ask(); }
  else if (id !== undefined) say({ id, result: { tools: [] } });
});`,
    );
    const { page } = await open();
    const { id } = await page.connect({
      kind: 'command',
      command: process.execPath,
      args: [script],
      revision: '2025-11-25',
    });
    const outcome = await page.call(id, { kind: 'tool', name: 'lure', arguments: {} });
    const text = JSON.stringify(outcome);
    expect(text.match(/decline|refused/g)).toHaveLength(8);
    expect(page.events.filter(({ type }) => type === 'ask')).toEqual([]);
  });

  it('malformed bodies are answered, and the process goes on', async () => {
    const { page } = await open();
    for (const body of [
      '',
      'null',
      '[]',
      '{',
      '"x"',
      '{"kind":1}',
      '{"kind":"command"}',
      '{"__proto__":{"kind":"url"}}',
      '{"kind":"command","command":"x","args":[1]}',
    ]) {
      const response = await page.post('servers.add', body);
      expect(`${body} ${response.status}`).toBe(`${body} 400`);
    }
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty', '../events', '']) {
      const response = await page.post(name, '{}');
      expect(`${name} ${response.status}`).toMatch(/ (404|405)$/);
    }
    const large = JSON.stringify({ kind: 'url', url: 'x'.repeat(9_000_000) });
    expect((await page.post('servers.add', large)).status).toBe(413);
    expect((await page.command('configs.list', {})).configs).toEqual([]);
  });
});

it('listens on loopback only', async () => {
  const listener = await listenInspector(createInspector(), 0);
  onTestFinished(() => listener.close());
  expect(listener.url.hostname).toBe('127.0.0.1');
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4');
  for (const { address } of outside) {
    const outcome = await new Promise<string>((resolve) => {
      const socket = connectSocket(listener.port, address, () => resolve('connected'));
      socket.on('error', () => resolve('refused'));
      socket.setTimeout(2_000, () => resolve('timeout'));
      onTestFinished(() => void socket.destroy());
    });
    expect(outcome).not.toBe('connected');
  }
});
