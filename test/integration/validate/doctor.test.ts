/** `plumb doctor` as users run it: each way in which a connection fails is named, with what to do. */

import { createServer, type RequestListener, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { type Ended, start } from '../cli/plumb.js';

const PLUMB = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const ONE_MINUTE = { timeout: 60_000 };
const UNREACHABLE = 3;

const doctor = (...words: readonly string[]): Promise<Ended> => start(['doctor', ...words]).ended;
const script = (code: string): readonly string[] => ['--', process.execPath, '-e', code];

// The tests run at once, so that none of them may end what another one started: all servers end together.
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

const answering =
  (status: number, headers: Record<string, string> = {}, body = ''): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };

/** Answers every request of stdin with this expression over `m`, the message. */
const stdioServer = (answer: string): readonly string[] =>
  script(
    `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const m = JSON.parse(line);
      if (m.id === undefined) return;
      console.log(JSON.stringify({ jsonrpc: '2.0', id: m.id, ...(${answer}) }));
    });`,
  );

describe.concurrent('plumb doctor', () => {
  test('says that all is well, in which era and in which versions', ONE_MINUTE, async () => {
    const { code, stdout } = await doctor('--', process.execPath, PLUMB, 'demo');
    expect(stdout).toMatch(/ok +start/);
    expect(stdout).toMatch(/ok +era +it serves clients with and without a handshake/);
    expect(stdout).toMatch(/ok +version +it speaks 2024-11-05, .*2026-07-28/);
    expect(stdout).toMatch(/ok +tools\/list +\d+ on the first page/);
    expect(stdout).toMatch(/ok +prompts\/list[\s\S]*ok +resources\/list/);
    expect(code).toBe(0);
  });

  test('DNS: a name that does not exist', ONE_MINUTE, async () => {
    const { code, stdout } = await doctor('http://no-such-host.invalid/mcp');
    expect(stdout).toMatch(/FAIL +dns/);
    expect(stdout).toContain('Check the spelling of no-such-host.invalid');
    expect(code).toBe(UNREACHABLE);
  });

  test('TCP: nothing listens there', ONE_MINUTE, async () => {
    const { code, stdout } = await doctor('http://127.0.0.1:9/mcp');
    expect(stdout).toMatch(/ok +dns[\s\S]*FAIL +tcp/);
    expect(stdout).toContain('Nothing listens at 127.0.0.1:9');
    expect(code).toBe(UNREACHABLE);
  });

  test('TLS: https where plain http is spoken', ONE_MINUTE, async () => {
    const origin = await listen(answering(200));
    const { code, stdout } = await doctor(`${origin.replace('http:', 'https:')}/mcp`);
    expect(stdout).toMatch(/ok +tcp[\s\S]*FAIL +tls/);
    expect(stdout).toContain('http://');
    expect(code).toBe(UNREACHABLE);
  });

  test.each([
    [404, {}, 'No endpoint at this path'],
    [405, {}, 'may be the old transport'],
    [403, {}, 'refuses this client'],
    [429, {}, 'Too many requests'],
    [503, {}, 'The server failed'],
    [200, { 'content-type': 'text/html' }, 'This is a web page'],
    [308, { location: 'https://example.com/mcp' }, 'Use the address that the server redirects to'],
  ])('HTTP: status %i %o', ONE_MINUTE, async (status, headers, advice) => {
    const origin = await listen(answering(status, headers as Record<string, string>, '<html></html>'));
    const { code, stdout } = await doctor(`${origin}/mcp`);
    expect(stdout).toMatch(/FAIL +http/);
    expect(stdout).toContain(advice);
    expect(code).toBe(UNREACHABLE);
  });

  test('auth: a token is needed, and where it comes from', ONE_MINUTE, async () => {
    const origin = await listen((request, response) => {
      if (request.url === '/metadata') {
        const metadata = { resource: 'x', authorization_servers: ['https://login.example.com'] };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
        return;
      }
      const place = `http://${request.headers.host}/metadata`;
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${place}"` }).end();
    });
    const { code, stdout } = await doctor(`${origin}/mcp`);
    expect(stdout).toMatch(/FAIL +auth +tokens come from https:\/\/login\.example\.com/);
    expect(stdout).toContain('plumb login');
    expect(code).toBe(UNREACHABLE);
  });

  test('auth: a server that keeps to itself what it wants', ONE_MINUTE, async () => {
    const origin = await listen(answering(401));
    const { stdout } = await doctor(`${origin}/mcp`);
    expect(stdout).toMatch(/FAIL +auth/);
    expect(stdout).toContain('no WWW-Authenticate');
  });

  test('start: a command that does not exist', ONE_MINUTE, async () => {
    const { code, stdout } = await doctor('--', 'no-such-command-anywhere');
    expect(stdout).toMatch(/FAIL +start/);
    expect(stdout).toContain('Check the command');
    expect(code).toBe(UNREACHABLE);
  });

  test('exit code: a process that gives up, with its last words', ONE_MINUTE, async () => {
    const { code, stdout } = await doctor(...script("throw new Error('API_KEY is not set')"));
    expect(stdout).toMatch(/FAIL +start +the server exited with code 1/);
    expect(stdout).toContain('API_KEY is not set');
    expect(stdout).toMatch(/stderr of the server:[\s\S]*throw new Error[\s\S]*Node\.js v/);
    expect(code).toBe(UNREACHABLE);
  });

  test('stdout: noise between the messages', ONE_MINUTE, async () => {
    const { code, stdout } = await doctor(
      '--connect-timeout',
      '3',
      ...script("console.log('Server ready!'); process.stdin.resume()"),
    );
    expect(stdout).toMatch(/FAIL +stdout/);
    expect(stdout).toContain('Server ready!');
    expect(stdout).toContain('console.error');
    expect(code).toBe(UNREACHABLE);
  });

  test(
    'answer: a silent process, with the limit that it reached and how to raise it',
    ONE_MINUTE,
    async () => {
      const { stdout } = await doctor('--connect-timeout', '2', ...script('process.stdin.resume()'));
      expect(stdout).toMatch(/FAIL +answer +no answer within 2\.0 s, .* wrote nothing to stdout/);
      expect(stdout).toContain('--connect-timeout');
      expect(stdout).toContain('--stdio');
    },
  );

  test('answer: a slow process passes with a warning, and what it prints is shown meanwhile', {
    timeout: 120_000,
  }, async () => {
    const words = script(
      `console.error('downloading');
       setTimeout(() => import('node:child_process').then(({ spawn }) =>
         spawn(process.execPath, [${JSON.stringify(PLUMB)}, 'demo'], { stdio: 'inherit' })), 5_500);`,
    );
    const { code, stdout, stderr } = await doctor(...words);
    expect(stderr).toContain(
      'plumb: the server is still starting; waiting up to 18 s, or 60 s while it prints (--connect-timeout)',
    );
    expect(stderr).toContain('plumb: downloading');
    expect(stdout).toMatch(/WARN +answer +.*slow to start/);
    expect(stdout).toMatch(/ok +version +it speaks .*2026-07-28/);
    expect(code).toBe(0);
  });

  test('stdout: a banner before a server that works is a warning', ONE_MINUTE, async () => {
    const { code, stdout } = await doctor(
      ...script(
        `console.log('Welcome!'); require('node:child_process').spawn(process.execPath, [${JSON.stringify(PLUMB)}, 'demo'], { stdio: 'inherit' });`,
      ),
    );
    expect(stdout).toMatch(/WARN +stdout +.*Welcome!/);
    expect(code).toBe(0);
  });

  const introduction =
    "{ protocolVersion: m.params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }";
  const unknown = "{ error: { code: -32601, message: 'Unknown' } }";

  test('lists: a server that dies at tools/list, with all that it wrote to stderr', ONE_MINUTE, async () => {
    const die = "(console.error('line 1\\nline 2\\nboom'), process.exit(7))";
    const { code, stdout } = await doctor(
      ...stdioServer(
        `m.method === 'initialize' ? { result: ${introduction} } : m.method === 'tools/list' ? ${die} : ${unknown}`,
      ),
    );
    expect(stdout).toMatch(/FAIL +tools\/list +the server exited with code 7/);
    expect(stdout).toMatch(/stderr of the server:\n +line 1\n +line 2\n +boom\n/);
    expect(code).toBe(UNREACHABLE);
  });

  test('lists: a server that declares tools and cannot list them', ONE_MINUTE, async () => {
    const refuse = "{ error: { code: -32603, message: 'schema broken' } }";
    const { code, stdout } = await doctor(
      ...stdioServer(
        `m.method === 'initialize' ? { result: ${introduction} } : m.method === 'tools/list' ? ${refuse} : ${unknown}`,
      ),
    );
    expect(stdout).toMatch(/FAIL +tools\/list +error -32603: schema broken/);
    expect(code).toBe(UNREACHABLE);
  });

  test('version: a server that offers what nobody speaks', ONE_MINUTE, async () => {
    const offer =
      "{ protocolVersion: '1999-01-01', capabilities: {}, serverInfo: { name: 'old', version: '1' } }";
    const refusal = "{ code: -32601, message: 'Unknown' }";
    const { code, stdout } = await doctor(
      ...stdioServer(`m.method === 'initialize' ? { result: ${offer} } : { error: ${refusal} }`),
    );
    expect(stdout).toMatch(/FAIL +version +it speaks 1999-01-01/);
    expect(code).toBe(UNREACHABLE);
  });

  test('era: a server that only speaks the stateless one', ONE_MINUTE, async () => {
    const { code, stdout } = await doctor('--', process.execPath, PLUMB, 'demo', '--revisions', '2026-07-28');
    expect(stdout).toMatch(/ok +era +it serves clients of the stateless era/);
    expect(code).toBe(0);
  });

  test('prints the steps as JSON', ONE_MINUTE, async () => {
    const { stdout } = await doctor('--json', 'http://127.0.0.1:9/mcp');
    expect(JSON.parse(stdout)).toMatchObject([
      { name: 'dns', ok: true },
      { name: 'tcp', ok: false },
    ]);
  });
});
