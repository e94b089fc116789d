import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createServer } from 'plumb-mcp/server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Dialog } from '../../../src/cli/answers/dialog.js';
import { StatusLine } from '../../../src/cli/output/status.js';
import { createTerminal } from '../../../src/cli/output/terminal.js';
import { offerLogin } from '../../../src/cli/session/credentials.js';
import {
  startAuthorizationServer,
  type TestAuthorizationServer,
} from '../../support/authorization-server.js';
import { type ProtectedServer, startProtectedServer } from '../../support/protected-server.js';
import { plumb, start } from './plumb.js';

const folder = mkdtempSync(join(tmpdir(), 'plumb-login-'));
const browser = join(folder, 'browser');
let issuer: TestAuthorizationServer;
let server: ProtectedServer;
let env: Record<string, string>;
let run = 0;

beforeAll(async () => {
  issuer = await startAuthorizationServer();
  server = await startProtectedServer(issuer.issuer, { requiredScopes: ['mcp'] });
  // Follows the login page back to the command, as a browser would in which the person is logged in.
  writeFileSync(browser, `#!${process.execPath}\nfetch(process.argv[2]);\n`);
  chmodSync(browser, 0o700);
});

afterAll(async () => {
  await server.close();
  await issuer.close();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => {
  run += 1;
  env = { PLUMB_CREDENTIALS: join(folder, `${run}.json`), BROWSER: browser };
});

describe('plumb login', () => {
  it('logs in once, and is used by other commands until plumb logout', async () => {
    const first = await plumb(['login', server.url], { env });
    expect(first).toMatchObject({
      code: 0,
      stdout: `Logged in to ${server.url} at ${issuer.issuer}, for: mcp\n`,
    });
    expect(first.stderr).toContain('Your browser opens for the login');
    expect((await plumb(['login', server.url], { env })).stdout).toContain('(you were already)');
    expect((await plumb(['call', server.url, 'whoami'], { env })).stdout).toContain('|sub|alice');
    expect(await plumb(['logout', server.url], { env })).toMatchObject({
      code: 0,
      stdout: `Logged out of ${server.url}\n`,
    });
    expect((await plumb(['logout', server.url], { env })).stdout).toContain('You were not logged in');
    expect((await plumb(['list', server.url], { env })).code).toBe(3);
  });

  it('asks for more scopes when told to', async () => {
    await plumb(['login', server.url], { env });
    const more = await plumb(['login', server.url, '--scope', 'files:write'], { env });
    expect(more.stdout).toContain('for: mcp files:write');
    expect((await plumb(['call', server.url, 'delete'], { env })).stdout).toContain('deleted');
  });

  it('prints the address where there is no browser', async () => {
    const running = start(['login', server.url, '--no-browser'], { env });
    await expect.poll(() => running.stderr()).toContain('/authorize?');
    const url = /\n {2}(http\S+)/.exec(running.stderr())?.[1] ?? '';
    await fetch(url);
    expect((await running.ended).code).toBe(0);
  });

  it('remembers a client that was registered by hand, with its secret', async () => {
    const secret = { ...env, PLUMB_CLIENT_SECRET: 'by-hand-secret' };
    const words = ['login', server.url, '--client-id', 'by-hand', '--issuer', issuer.issuer];
    const { code, stdout, stderr } = await plumb(words, { env: secret });
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain('by-hand-secret');
    const kept = JSON.parse(readFileSync(env.PLUMB_CREDENTIALS ?? '', 'utf8'));
    expect(kept[`client ${issuer.issuer}`]).toMatchObject({ clientId: 'by-hand', manual: true });
    // A later command has only the file: the token has ended, and is renewed with the secret.
    kept[`tokens ${server.url}`].expiresAt = 1;
    writeFileSync(env.PLUMB_CREDENTIALS ?? '', JSON.stringify(kept));
    issuer.requests.length = 0;
    expect((await plumb(['call', server.url, 'whoami'], { env })).code).toBe(0);
    expect(issuer.to('/token')[0]?.form.get('grant_type')).toBe('refresh_token');
    expect(issuer.to('/token')[0]?.headers.authorization).toBe(`Basic ${btoa('by-hand:by-hand-secret')}`);
  });

  it('says so when it cannot work or is not needed', async () => {
    expect((await plumb(['login'], { env })).code).toBe(2);
    expect((await plumb(['login', server.url, 'more'], { env })).code).toBe(2);
    expect((await plumb(['login', 'http://127.0.0.1:1/mcp'], { env })).code).toBe(3);
    const open = createServer({ name: 'open', version: '1' });
    const handle = await open.http();
    expect((await plumb(['login', handle.url], { env })).stdout).toBe(`${handle.url} needs no login\n`);
    await handle.close({ drain: 0 });
  });

  it('does not get in the way of credentials that the user brings', async () => {
    const token = await issuer.sign({ sub: 'bob', aud: server.url, scope: 'mcp' });
    const words = ['call', server.url, 'whoami', '--header', `Authorization: Bearer ${token}`];
    expect((await plumb(words, { env })).stdout).toContain('|sub|bob');
    const bad = await plumb(['call', server.url, 'whoami', '--header', 'Authorization: Bearer bad'], { env });
    expect(bad.code).toBe(3);
    expect(bad.stderr).toContain('HTTP 401');
  });
});

describe('a command at a terminal', () => {
  async function offered(answer: string): Promise<string> {
    const input = new PassThrough();
    const output = new PassThrough();
    const status = new StatusLine(createTerminal({ write: () => true }));
    const dialog = new Dialog({ input, output, status, onInterrupt: () => undefined });
    const options = { signal: new AbortController().signal, note: () => undefined };
    const interaction = await offerLogin(dialog, options);
    if (interaction === false) return 'nobody';
    input.write(`${answer}\n`);
    try {
      const redirect = await interaction.open(undefined);
      await redirect.close?.(false);
      return redirect.redirectUri;
    } catch (error) {
      return String(error);
    } finally {
      dialog.close();
    }
  }

  it('offers the login, and takes no for an answer', async () => {
    expect(await offered('y')).toMatch(/^http:\/\/127/);
    expect(await offered('')).toMatch(/^http:\/\/127/);
    expect(await offered('n')).toContain('plumb login');
    expect(await offerLogin(undefined, { signal: new AbortController().signal, note: () => undefined })).toBe(
      false,
    );
  });
});
