/** From `plumb login` to `plumb logout`, with a real authorization server and a real browser. */

import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { createFileTokenStore, loopback, oauth } from 'plumb-mcp/auth';
import { type Client, connect } from 'plumb-mcp/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OAuthOptions } from '../../../src/auth/client/oauth.js';
import { launchChromium } from '../../support/chromium.js';
import { type OidcProvider, startOidcProvider } from '../../support/oidc-provider.js';
import { type ProtectedServer, startProtectedServer } from '../../support/protected-server.js';
import { type Ended, plumb, start } from '../cli/plumb.js';

let provider: OidcProvider;
let server: ProtectedServer;
let browser: Browser;
let page: Page;
let folder: string;
let credentials: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumb-oidc-'));
  credentials = join(folder, 'credentials.json');
  provider = await startOidcProvider(['mcp', 'files:write']);
  server = await startProtectedServer(provider.issuer, { requiredScopes: ['mcp'], clockTolerance: 0 });
  browser = await launchChromium();
  page = await browser.newPage();
  // What the command opens instead of a browser window: it leaves the address for ours.
  const opener = join(folder, 'browser');
  await writeFile(
    opener,
    `#!${process.execPath}\nrequire('fs').writeFileSync('${folder}/opened', process.argv[2]);\n`,
  );
  await chmod(opener, 0o700);
  env = { PLUMB_CREDENTIALS: credentials, BROWSER: opener };
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  await provider?.close();
  await rm(folder, { recursive: true, force: true });
});

/** What a person does: types a name and a password if asked for, and agrees. */
async function agree(url: string): Promise<string> {
  await page.goto(url);
  for (let steps = 0; steps < 4 && !page.url().includes('/callback'); steps += 1) {
    const name = page.locator('input[name=login]');
    if ((await name.count()) > 0) {
      await name.fill('alice');
      await page.locator('input[name=password]').fill('any');
    }
    await page.locator('button[type=submit]').click();
  }
  return page.locator('h1').innerText();
}

async function loginWithBrowser(words: readonly string[]): Promise<Ended & { shown: string }> {
  await rm(join(folder, 'opened'), { force: true });
  const running = start(['login', server.url, ...words], { env });
  const opened = (): Promise<string> => readFile(join(folder, 'opened'), 'utf8').catch(() => '');
  await expect.poll(opened).not.toBe('');
  const shown = await agree(await opened());
  return { ...(await running.ended), shown };
}

async function client(options: OAuthOptions = {}): Promise<Client> {
  const store = createFileTokenStore({ path: credentials });
  return connect(server.url, { auth: oauth({ store, interaction: false, ...options }) });
}

async function storedTokens(): Promise<{ accessToken: string; refreshToken: string; scopes: string[] }> {
  return JSON.parse(await readFile(credentials, 'utf8'))[`tokens ${server.url}`];
}

/** Waits until the server itself refuses this token. */
async function expired(token: string): Promise<void> {
  const status = async (): Promise<number> =>
    (
      await fetch(server.url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{}',
      })
    ).status;
  await expect.poll(status, { interval: 200 }).toBe(401);
}

describe.sequential('with a real authorization server and a real browser', () => {
  it('a command without a login says how to get one', async () => {
    const { code, stderr } = await plumb(['call', server.url, 'whoami'], { env });
    expect(code).toBe(3);
    expect(stderr).toContain(`plumb login ${server.url}`);
  });

  it('plumb login takes the person through the browser and back', async () => {
    const { code, stdout, stderr, shown } = await loginWithBrowser([]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(shown).toBe('You are logged in');
    expect(stdout).toContain(`Logged in to ${server.url} at ${provider.issuer}`);
    expect((await stat(credentials)).mode & 0o777).toBe(0o600);
    const { accessToken, refreshToken } = await storedTokens();
    for (const secret of [accessToken, refreshToken]) expect(stdout + stderr).not.toContain(secret);
  });

  it('a tool call then works, and knows who is calling', async () => {
    const { code, stdout, stderr } = await plumb(['call', server.url, 'whoami'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`${provider.issuer}|sub|alice`);
  });

  it('an expired token is renewed once, however many calls wait for it', async () => {
    provider.lifetime = 2;
    const short = await client({ now: () => Date.now() + 7200_000 });
    await short.tools.call('whoami');
    await short.close();
    const { accessToken, refreshToken } = await storedTokens();
    await expired(accessToken);
    provider.lifetime = 3600;
    const before = provider.granted.length;
    // The clock of this client is behind: it hears of the end from the server, 50 times at once.
    const busy = await client({ now: () => Date.now() - 7200_000 });
    await Promise.all(Array.from({ length: 50 }, () => busy.tools.call('whoami')));
    await busy.close();
    expect(provider.granted.slice(before)).toEqual(['refresh_token']);
    expect((await storedTokens()).refreshToken).not.toBe(refreshToken);
    expect(provider.refused).toEqual([]);
  });

  it('a tool that needs more scopes has them asked for', async () => {
    const refused = await plumb(['call', server.url, 'delete'], { env });
    expect(refused.stderr).toContain(`plumb login ${server.url} --scope files:write`);
    const interaction = loopback({
      show: async ({ url }) => {
        void agree(url.href);
      },
    });
    const asking = await client({ interaction });
    expect((await asking.tools.call('delete')).content).toEqual([{ type: 'text', text: 'deleted' }]);
    await asking.close();
    expect((await storedTokens()).scopes).toEqual(expect.arrayContaining(['mcp', 'files:write']));
    expect((await plumb(['call', server.url, 'delete'], { env })).code).toBe(0);
  });

  it('what the person takes back at the authorization server is gone, until they log in again', async () => {
    provider.lifetime = 2;
    const ahead = await client({ now: () => Date.now() + 7200_000 });
    await ahead.tools.call('whoami');
    await ahead.close();
    await provider.revokeGrants();
    await expired((await storedTokens()).accessToken);
    provider.lifetime = 3600;
    const refused = await plumb(['call', server.url, 'whoami'], { env });
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(`plumb login ${server.url}`);
    expect((await loginWithBrowser([])).code).toBe(0);
    expect((await plumb(['call', server.url, 'whoami'], { env })).code).toBe(0);
  });

  it('plumb logout revokes the tokens and forgets them', async () => {
    const { refreshToken } = await storedTokens();
    const { code, stdout, stderr } = await plumb(['logout', server.url], { env });
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `Logged out of ${server.url}\n`,
      stderr: '',
    });
    expect(await readFile(credentials, 'utf8')).not.toContain(refreshToken);
    const registrations = JSON.parse(await readFile(credentials, 'utf8'));
    const response = await fetch(`${provider.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_id: registrations[`client ${provider.issuer}`].clientId,
      }),
    });
    expect(await response.json()).toMatchObject({ error: 'invalid_grant' });
    expect((await plumb(['call', server.url, 'whoami'], { env })).code).toBe(3);
  });
});
