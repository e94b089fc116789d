/** What a peer writes is shown on terminals, in logs and in reports, and never obeyed. */

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createChain } from 'plumb-mcp/chain';
import { connect } from 'plumb-mcp/client';
import { audit, log, metrics, record } from 'plumb-mcp/middleware';
import { createServer, ProtocolError } from 'plumb-mcp/server';
import { createMemoryPair } from 'plumb-mcp/transports';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { plumb } from '../integration/cli/plumb.js';

const HOSTILE = fileURLToPath(new URL('./fixtures/hostile-server.mjs', import.meta.url));
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const TRICKY = ['--', process.execPath, HOSTILE, 'tricky'];
const NASTY = '\u001b]0;owned\u0007\u009b31m\u202eback\u2066\r\nplumb: forged\u0085\u2028x';

/** Everything that a terminal would obey or that would look like a line of its own. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const hasTerminal = process.platform === 'linux' && works('script', '--version');

function works(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Runs the command on a terminal of its own; what we ourselves write to clear a line is left out. */
function onTerminal(words: readonly string[]): Promise<string> {
  const command = [process.execPath, MAIN, ...words].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    env: { ...process.env, NO_COLOR: '1', TERM: 'dumb' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return new Promise((resolve) => {
    child.once('close', () =>
      resolve(text.replaceAll('\r\u001b[K', '').replaceAll('\r\u001b[2K', '').replaceAll('\r\n', '\n')),
    );
  });
}

const COMMANDS: readonly (readonly string[])[] = [
  ['list'],
  ['list', '--verbose'],
  ['list', 'tools'],
  ['list', '--json'],
  ['call', 'tool'],
  ['call', 'tool', '--verbose'],
  ['call', 'tool', '--json'],
  ['call', 'fail'],
  ['read', 'a://b'],
  ['read', 'a://b', '--json'],
  ['prompt', 'prompt'],
  ['complete', 'prompt:prompt', 'x'],
  ['doctor'],
  ['doctor', '--json'],
];

describe.skipIf(!hasTerminal)('on a terminal', () => {
  test.each(COMMANDS)(
    'plumb %s %s %s shows what a server writes and does not obey it',
    async (...words) => {
      const shown = await onTerminal([...words.filter((word) => word !== undefined), ...TRICKY]);
      expect(shown).not.toBe('');
      expect(OBEYED.exec(shown), JSON.stringify(shown.slice(0, 2000))).toBeNull();
    },
    60_000,
  );
});

test('reports of plumb validate hold nothing that a terminal, a page or a viewer obeys', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plumb-output-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = (name: string): string => join(folder, name);
  const flags = ['--out', 'x.xml', '--out', 'x.sarif', '--out', 'x.html', '--out', 'x.md'];
  const words = flags.map((flag) => (flag.startsWith('x.') ? file(flag) : flag));
  const { stdout } = await plumb([
    'validate',
    '--revision',
    '2025-11-25',
    '--call-tools',
    ...words,
    ...TRICKY,
  ]);
  expect(stdout).toContain('/100');
  expect(OBEYED.exec(stdout)).toBeNull();
  for (const line of stdout.split('\n')) expect(line.trimStart().startsWith('::')).toBe(false);
  for (const name of ['x.xml', 'x.sarif', 'x.html', 'x.md']) {
    const text = readFileSync(file(name), 'utf8');
    expect(text.length, name).toBeGreaterThan(0);
    expect(OBEYED.exec(text), name).toBeNull();
  }
  const html = readFileSync(file('x.html'), 'utf8');
  expect(html).not.toContain('<img');
  expect(html).toContain('&lt;img');
  // Outside of fenced blocks nothing is markup, a link or HTML.
  const markdown = readFileSync(file('x.md'), 'utf8').replaceAll(/^(`{3,})json\n[\s\S]*?\n\1$/gm, '');
  expect(markdown).not.toMatch(/(?<!\\)\[a\]\(|<img/);
}, 120_000);

test('a log, an audit, a recording and metrics have one line for each call', async () => {
  const lines: string[] = [];
  const counted = metrics();
  const server = createServer({ name: 's', version: '1', onError: () => undefined });
  server.tool(NASTY.replaceAll(/[^\w]/g, '_'), {}, () => 'ran');
  onTestFinished(() => server.close({ drain: 0 }));
  const write = (line: string): void => void lines.push(line);
  const front = createChain({ onError: () => undefined })
    .use(log({ write }), audit({ write, withArguments: true }), record({ write }), counted)
    .to(server);
  onTestFinished(() => front.close({ drain: 0 }));
  const [near, far] = createMemoryPair();
  front.connect(far, { principal: `ada ${NASTY}` }).catch(() => undefined);
  const client = await connect(near, { name: NASTY, version: NASTY });
  onTestFinished(() => client.close());
  await client.request(`own/${NASTY}`, { text: NASTY }).catch(() => undefined);
  await client.request('tools/call', { name: NASTY, arguments: { [NASTY]: NASTY } }).catch(() => undefined);
  await client.request('resources/read', { uri: NASTY }).catch(() => undefined);
  expect(lines.length).toBeGreaterThan(5);
  for (const line of [...lines, ...counted.text().split('\n')]) {
    expect(OBEYED.exec(line), JSON.stringify(line)).toBeNull();
    expect(line).not.toContain('\n');
    expect(line.startsWith('plumb: forged')).toBe(false);
  }
  for (const line of lines.filter((one) => one.startsWith('{'))) JSON.parse(line);
});

test('the error of a handler is reported on lines that are its own', async () => {
  const written: string[] = [];
  const spy = vi.spyOn(console, 'error').mockImplementation((...args: unknown[]) => {
    written.push(args.join(' '));
  });
  onTestFinished(() => spy.mockRestore());
  const server = createServer({ name: 's', version: '1' });
  server.use((call, next) => {
    if (call.method.startsWith('own/'))
      throw new Error(NASTY, { cause: new ProtocolError('application', NASTY) });
    return next();
  });
  server.method(`own/${NASTY}`, () => ({}));
  onTestFinished(() => server.close({ drain: 0 }));
  const client = await connect(server);
  onTestFinished(() => client.close());
  await expect(client.request(`own/${NASTY}`, {})).rejects.toThrow();
  const text = written.join('\n');
  expect(text).toContain('a handler of');
  expect(OBEYED.exec(text)).toBeNull();
  for (const line of text.split('\n').slice(1)) expect(line.startsWith('    ')).toBe(true);
});
