/** `plumb proxy` with authorization on either side, with a real authorization server. */

import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client as SdkClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { createMemoryTokenStore, loopback, oauth } from 'plumb-mcp/auth';
import { connect } from 'plumb-mcp/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanup } from '../../support/cleanup.js';
import { freePort } from '../../support/free-port.js';
import { type OidcProvider, startOidcProvider } from '../../support/oidc-provider.js';
import { type ProtectedServer, startProtectedServer } from '../../support/protected-server.js';
import { DEMO, fixture, plumb, type Running, start } from './plumb.js';

const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const PERSON = fileURLToPath(new URL('./fixtures/person.mjs', import.meta.url));
const TOKEN = 'a-token-that-was-agreed-on';

let provider: OidcProvider;
let server: ProtectedServer;
let folder: string;
let browser: string;
let run = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumb-proxy-'));
  provider = await startOidcProvider(['mcp', 'files:write']);
  server = await startProtectedServer(provider.issuer, { requiredScopes: ['mcp'] });
  browser = join(folder, 'browser');
  await writeFile(browser, `#!/bin/sh\nexec '${process.execPath}' '${PERSON}' "$1"\n`);
  await chmod(browser, 0o700);
});

afterAll(async () => {
  await server.close();
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

function credentials(): Record<string, string> {
  run += 1;
  return { PLUMB_CREDENTIALS: join(folder, `${run}.json`), BROWSER: browser };
}

/** The official client starts the proxy, as a desktop host does. */
async function openOverStdio(words: readonly string[], env: Record<string, string>): Promise<SdkClient> {
  const client = new SdkClient({ name: 'host', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'proxy', ...words],
    env: { ...(process.env as Record<string, string>), ...env },
    stderr: 'ignore',
  });
  await client.connect(transport);
  cleanup(() => client.close());
  return client;
}

async function listening(words: readonly string[], env: Record<string, string>): Promise<Running> {
  const running = start(['proxy', ...words], { env });
  cleanup(async () => {
    running.process.kill('SIGTERM');
    await running.ended;
  });
  await expect.poll(() => running.stderr()).toContain('listens at');
  return running;
}

function urlOf(running: Running): string {
  return /http:\/\/\S+(?=\. Try)/.exec(running.stderr())?.[0] ?? '';
}

describe('towards the server', () => {
  it('logs in when the server asks for it, and uses that login from then on', async () => {
    const env = credentials();
    const first = await openOverStdio([server.url, '--stdio'], env);
    const who = await first.callTool({ name: 'whoami', arguments: {} });
    expect(JSON.stringify(who)).toContain('alice');
    await first.close();
    // No browser now: whoever needs a login fails.
    const second = await openOverStdio([server.url, '--stdio'], { ...env, BROWSER: '/bin/false' });
    expect(JSON.stringify(await second.callTool({ name: 'whoami', arguments: {} }))).toContain('alice');
  }, 60_000);

  it('asks for more scopes when a tool needs them', async () => {
    const client = await openOverStdio([server.url, '--stdio'], credentials());
    const deleted = await client.callTool({ name: 'delete', arguments: {} });
    expect(JSON.stringify(deleted)).toContain('deleted');
  }, 60_000);

  it('leaves credentials alone that the user brings', async () => {
    const words = [server.url, '--stdio', '--header', 'Authorization: Bearer nonsense'];
    const env = credentials();
    await expect(openOverStdio(words, env)).rejects.toThrow(/not available: .*\(unauthorized\)/);
    await expect(readFile(env.PLUMB_CREDENTIALS ?? '', 'utf8')).rejects.toThrow();
  }, 60_000);

  it('uses the login for servers of a chain, too', async () => {
    const env = credentials();
    const config = join(folder, 'mcp.json');
    await writeFile(config, JSON.stringify({ mcpServers: { notes: { url: server.url } } }));
    const client = new SdkClient({ name: 'host', version: '1' });
    const args = [MAIN, 'chain', '--mcp', config, '--stdio'];
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args,
        env: { ...(process.env as Record<string, string>), ...env },
        stderr: 'ignore',
      }),
    );
    cleanup(() => client.close());
    expect(JSON.stringify(await client.callTool({ name: 'whoami', arguments: {} }))).toContain('alice');
  }, 60_000);
});

describe('towards the callers', () => {
  it('--bearer-token-env lets in whoever has the token, and does not pass it on', async () => {
    const env = { ...credentials(), FRONT_TOKEN: TOKEN };
    const running = await listening([server.url, '--http', '0', '--bearer-token-env', 'FRONT_TOKEN'], env);
    const url = urlOf(running);
    const refused = await fetch(url, { method: 'POST', body: '{}' });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    const wrong = { authorization: `Bearer ${TOKEN}x` };
    expect((await fetch(url, { method: 'POST', body: '{}', headers: wrong })).status).toBe(401);
    const client = await connect({ url, headers: { authorization: `Bearer ${TOKEN}` } });
    cleanup(() => client.close());
    // The server upstream would refuse this token: it sees the login of the proxy instead.
    expect(JSON.stringify(await client.tools.call('whoami'))).toContain('alice');
    expect(running.stderr() + running.stdout()).not.toContain(TOKEN);
  }, 60_000);

  it('--bearer-token-env keeps the token from the server, which gets the rest of the environment', async () => {
    const words = ['--http', '0', '--bearer-token-env', 'A', ...fixture('environment-server')];
    const url = urlOf(await listening(words, { ...credentials(), A: TOKEN, B: '2' }));
    const client = await connect({ url, headers: { authorization: `Bearer ${TOKEN}` } });
    cleanup(() => client.close());
    const result = await client.tools.call('environment');
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify({ B: '2' }) }]);
  }, 60_000);

  it('--auth-issuer lets in whoever has a token of this issuer for this proxy', async () => {
    const port = await freePort();
    const words = ['--http', String(port), '--auth-issuer', provider.issuer, '--auth-scope', 'mcp', ...DEMO];
    const url = urlOf(await listening(words, credentials()));
    const refused = await fetch(url, { method: 'POST', body: '{}' });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('resource_metadata=');
    const auth = oauth({
      store: createMemoryTokenStore(),
      interaction: loopback({
        show: async ({ url: page }) => void execFile(process.execPath, [PERSON, page.href]),
      }),
    });
    const client = await connect(url, { auth, timeout: 30_000 });
    cleanup(() => client.close());
    expect((await client.tools.call('add', { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 });
  }, 60_000);
});

describe('usage', () => {
  const cases: readonly [string, readonly string[], Record<string, string>, RegExp][] = [
    ['a token over stdio', ['--bearer-token-env', 'T', ...DEMO], { T: TOKEN }, /--http/],
    [
      'a token that is not there',
      ['--http', '0', '--bearer-token-env', 'T', ...DEMO],
      {},
      /T is not set; it must hold/,
    ],
    ['a short token', ['--http', '0', '--bearer-token-env', 'T', ...DEMO], { T: 'secret' }, /16 characters/],
    [
      'both ways at once',
      ['--http', '1', '--bearer-token-env', 'T', '--auth-issuer', 'https://a.example', ...DEMO],
      { T: TOKEN },
      /one of/,
    ],
    [
      'an issuer without an audience',
      ['--http', '0', '--auth-issuer', 'https://a.example', ...DEMO],
      {},
      /--auth-audience/,
    ],
    ['an issuer that is no URL', ['--http', '1', '--auth-issuer', 'nonsense', ...DEMO], {}, /nonsense|https/],
    ['a scope without an issuer', ['--http', '1', '--auth-scope', 'mcp', ...DEMO], {}, /--auth-issuer/],
  ];

  it.each(cases)('%s is refused', async (_name, words, env, complaint) => {
    const { code, stderr } = await plumb(['proxy', ...words], { env });
    expect(code).toBe(2);
    expect(stderr).toMatch(complaint);
    expect(stderr).not.toContain(TOKEN);
  });
});
