/** Servers that do not work, each in another way: the doctor and the validator name the reason, in bounded memory. */

import { createServer, type RequestListener } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { diagnose } from '../../../src/validate/index.js';
import { start } from '../cli/plumb.js';

/** What never ends is a failure, also on a busy machine. */
const TWO_MINUTES = { timeout: 120_000 };
/** Servers that write without end do not fill the memory. */
const BOUNDED = { env: { NODE_OPTIONS: '--max-old-space-size=300' } };

const ends: (() => void)[] = [];
afterAll(() => {
  for (const end of ends) end();
});

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/mcp`;
}

/** What Node runs, and whether it is waited for less long. */
interface Script {
  readonly code: string;
  readonly short?: boolean;
}
const script = (code: string): Script => ({ code });
const shortly = (code: string): Script => ({ code, short: true });
const lines = (body: string): string =>
  `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const m = JSON.parse(line); if (m.id === undefined) return; ${body} });`;
const GREETING = `m.method === 'initialize'
  ? { result: { protocolVersion: m.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } }
  : { error: { code: -32601, message: 'no' } }`;
const say = `console.log(JSON.stringify({ jsonrpc: '2.0', id: m.id, ...(${GREETING}) }));`;
const FRAMED = `let b = ''; process.stdin.on('data', (d) => { b += d; const i = b.indexOf('\\r\\n\\r\\n'); if (i < 0) return;
  const t = JSON.stringify({ jsonrpc: '2.0', id: 'framed', result: {} }); b = '';
  process.stdout.write('Content-Length: ' + t.length + '\\r\\n\\r\\n' + t); });`;

const COMMANDS: readonly (readonly [string, Script, RegExp])[] = [
  [
    'exits with an error',
    script(`console.error('Error: Cannot find module foo'); process.exit(1)`),
    /code 1[\s\S]*Cannot find module foo/,
  ],
  ['exits without a word', script(''), /exited with code 0/],
  [
    'prints a banner and nothing else',
    shortly(`console.log('Server started'); setInterval(() => {}, 1e6)`),
    /not a message: "Server started"/,
  ],
  ['stays silent', shortly('process.stdin.resume()'), /no answer within 3\.0 s[\s\S]*--connect-timeout/],
  [
    'prints lines without end',
    script(
      `let i = 0; const more = () => { while (process.stdout.write('spam ' + i++ + '\\n')); process.stdout.once('drain', more) }; more()`,
    ),
    /without end/,
  ],
  [
    'prints one line without end',
    script(
      `const b = 'x'.repeat(65536); const more = () => { while (process.stdout.write(b)); process.stdout.once('drain', more) }; more()`,
    ),
    /without end/,
  ],
  ['answers with another id', shortly(lines(`m.id = 999; ${say}`)), /id 999/],
  ['answers with id null', shortly(lines(`m.id = null; ${say}`)), /id null/],
  ['frames messages with headers', shortly(FRAMED), /Content-Length/],
  [
    'prints messages over several lines',
    shortly(lines(`console.log(JSON.stringify({ jsonrpc: '2.0', id: m.id, result: {} }, null, 2))`)),
    /not a message/,
  ],
  [
    'crashes at its second request',
    script(
      `let n = 0; ${lines(`if (++n === 2) { console.error('TypeError: boom'); process.exit(7) } ${say}`)}`,
    ),
    /code 7|boom/,
  ],
  [
    'crashes when its tools are listed',
    script(lines(`if (m.method === 'tools/list') throw new Error('kaboom'); ${say}`)),
    /kaboom/,
  ],
];

const answering =
  (status: number, headers: Record<string, string> = {}, body = ''): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };
const forever =
  (type: string, text: string): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': type });
    const timer = setInterval(() => response.write(text.repeat(2_000)), 1);
    response.on('close', () => clearInterval(timer));
  };
const JSON_TYPE = { 'content-type': 'application/json' };

const LISTENERS: readonly (readonly [string, RequestListener, RegExp])[] = [
  ['wants a token', answering(401), /401[\s\S]*token/],
  ['forbids', answering(403), /403/],
  ['has nothing there', answering(404), /404[\s\S]*\/mcp/],
  ['takes no POST', answering(405), /405[\s\S]*--sse/],
  ['fails', answering(500), /500/],
  ['shows a web page', answering(200, { 'content-type': 'text/html' }, '<p>Hello'), /web page/],
  ['redirects elsewhere', answering(302, { location: 'https://example.com/mcp' }), /redirects to/],
  [
    'redirects to itself',
    (request, response) => void response.writeHead(302, { location: request.url ?? '' }).end(),
    /same address/,
  ],
  ['answers with nothing', answering(200, JSON_TYPE), /no JSON-RPC/],
  ['answers with another id', answering(200, JSON_TYPE, '{"jsonrpc":"2.0","id":77,"result":{}}'), /id 77/],
  [
    'streams without end',
    forever('text/event-stream', ': keep alive\n\n'),
    /did not come, or did not end|no JSON-RPC/,
  ],
  [
    'sends JSON without end',
    forever('application/json', 'xxxxxxxxxxxxxxxx'),
    /did not come, or did not end|no JSON-RPC/,
  ],
];

async function validated(...words: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await start(['validate', ...words], BOUNDED).ended;
  expect(code).not.toBe(0);
  return `${stdout}${stderr}`;
}

/** The steps of the doctor in words; `plumb doctor` shows the same. */
async function examined(...given: Parameters<typeof diagnose>): Promise<string> {
  const steps = await diagnose(...given);
  expect(steps.every(({ ok }) => ok)).toBe(false);
  return steps.map(({ detail, fix = '', stderr = '' }) => `${detail}\n${fix}\n${stderr}`).join('\n');
}

describe.concurrent('a command that', () => {
  test.each(COMMANDS)('%s is diagnosed', TWO_MINUTES, async (_name, { code, short = false }, reason) => {
    const server = { command: process.execPath, args: ['-e', code] };
    expect(await examined(server, short ? { connectTimeout: 3_000 } : {})).toMatch(reason);
    const limit = short ? ['--connect-timeout', '3s'] : [];
    expect(await validated(...limit, '--', server.command, ...server.args)).toMatch(reason);
  });

  test('does not exist is diagnosed', TWO_MINUTES, async () => {
    expect(await examined({ command: '/no/such/command' })).toMatch(/no\/such\/command/);
    expect(await validated('--', '/no/such/command')).toMatch(/no\/such\/command/);
  });
});

describe.concurrent('an address that', () => {
  test.each(LISTENERS)('%s is diagnosed', TWO_MINUTES, async (name, listener, reason) => {
    const url = await listen(listener);
    expect(await examined(url)).toMatch(reason);
    // A response with any id is an answer over HTTP: then the id is a finding.
    expect(await validated(url)).toMatch(name.endsWith('another id') ? /005/ : reason);
  });

  test('refuses connections is diagnosed', TWO_MINUTES, async () => {
    expect(await examined('http://127.0.0.1:9/mcp')).toMatch(/Nothing listens/);
    expect(await validated('http://127.0.0.1:9/mcp')).toMatch(/Nothing listens/);
  });

  test('speaks no TLS is diagnosed', TWO_MINUTES, async () => {
    const url = (await listen(answering(200))).replace('http:', 'https:');
    expect(await examined(url)).toMatch(/TLS/);
    expect(await validated(url)).toMatch(/TLS/);
  });
});
