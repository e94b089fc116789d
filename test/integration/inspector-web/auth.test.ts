/** A login through the page, with a real authorization server. */

import type { Page } from 'playwright-core';
import { createMemoryTokenStore } from 'plumb-mcp/auth';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OidcProvider, startOidcProvider } from '../../support/oidc-provider.js';
import { type ProtectedServer, startProtectedServer } from '../../support/protected-server.js';
import { call, expectResult, goTo, type Inspected, startInspected } from './inspected.js';

const TIMEOUT_MS = 90_000;

let provider: OidcProvider;
let server: ProtectedServer;
let inspected: Inspected;

beforeAll(async () => {
  provider = await startOidcProvider(['mcp', 'files:write']);
  server = await startProtectedServer(provider.issuer, { requiredScopes: ['mcp'] });
  inspected = await startInspected({ tokens: createMemoryTokenStore() });
}, TIMEOUT_MS);
afterAll(async () => {
  await inspected?.close();
  await server?.close();
  await provider?.close();
});

/** What a person does: types a name and a password if asked for, and agrees. */
async function agree(login: Page): Promise<void> {
  for (let steps = 0; steps < 4 && !login.url().includes('/callback'); steps += 1) {
    const name = login.locator('input[name=login]');
    if ((await name.count()) > 0) {
      await name.fill('alice');
      await login.locator('input[name=password]').fill('any');
    }
    await login.locator('button[type=submit]').click();
    await login.waitForLoadState();
  }
}

it('walks through the login and shows every step, with tokens decoded and masked', {
  timeout: TIMEOUT_MS,
}, async () => {
  const page = await inspected.open();
  await page.getByRole('button', { name: 'Add a server' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'URL' }).fill(server.url);
  await dialog.getByRole('button', { name: 'Add and connect' }).click();
  await page.getByRole('link', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Log in' }).click();
  const [login] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('link', { name: 'Open the login page' }).click(),
  ]);
  await login.waitForLoadState();
  await agree(login);
  await page.getByText('authorized', { exact: true }).waitFor();
  const steps = page.getByRole('main').getByRole('listitem');
  const titles = (await steps.allInnerTexts()).join('\n');
  expect(titles).toMatch(/Expected/);
  await page.getByText('"alice"').first().waitFor();
  const shown = await page.getByRole('main').innerText();
  expect(shown).not.toMatch(/eyJ[\w-]{40,}/);
  const id = await page.getByLabel('Server', { exact: true }).inputValue();
  await goTo(page, `#/tools/${id}/whoami`);
  await call(page);
  await expectResult(page, /alice/);
  // The login page is the authorization server's, and a window of its own.
  expect(inspected.foreign).toEqual([]);
  expect(inspected.errors).toEqual([]);
  await page.close();
});

it('leads from a refusal for want of a scope to a login with that scope', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { id = '' } = inspected.inspector.core.servers.all()[0] ?? {};
  const page = await inspected.open(`#/tools/${id}/delete`);
  await call(page);
  await page.getByRole('region', { name: 'Result' }).getByRole('link', { name: 'Log in' }).click();
  await page.getByText('for want of the scope').waitFor();
  await page.getByRole('button', { name: 'Log in with files:write' }).click();
  const [login] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('link', { name: 'Open the login page' }).click(),
  ]);
  await login.waitForLoadState();
  await agree(login);
  await page.getByText('authorized', { exact: true }).waitFor();
  await goTo(page, `#/tools/${id}/delete`);
  await expect.poll(() => inspected.inspector.core.servers.get(id).view().state).toBe('ready');
  await call(page);
  await expectResult(page, 'deleted');
  await page.close();
});

it('keeps a login when another one is given up, and says when a log-out was refused', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { id = '' } = inspected.inspector.core.servers.all()[0] ?? {};
  const page = await inspected.open(`#/auth/${id}`);
  await page.getByRole('button', { name: 'Log in again' }).click();
  await page.getByRole('link', { name: 'Open the login page' }).waitFor();
  await page.getByRole('button', { name: 'Cancel the login' }).click();
  await page.getByText('the login before it is still used').waitFor();
  await page.getByText('authorized', { exact: true }).waitFor();
  await provider.close();
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByText('the authorization server did not revoke the token').waitFor();
  await page.getByText('no authorization', { exact: true }).waitFor();
});

it('uses the client id, the scopes and the issuer of the settings', { timeout: TIMEOUT_MS }, async () => {
  const { id = '' } = inspected.inspector.core.servers.all()[0] ?? {};
  const page = await inspected.open(`#/auth/${id}`);
  await page.getByRole('button', { name: 'Client id, scopes, issuer' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('OAuth', { exact: true }).click();
  await dialog.getByLabel('Client id').fill('registered-by-hand');
  await dialog.getByLabel('Client secret').fill('not-shown-again');
  await dialog.getByLabel('Issuer').fill(provider.issuer);
  await dialog.getByLabel('Scopes').fill('mcp files:write');
  await dialog.getByLabel('Resource').fill(server.url);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(inspected.inspector.core.servers.get(id).settings.oauth).toEqual({
    clientId: 'registered-by-hand',
    clientSecret: 'not-shown-again',
    issuer: provider.issuer,
    scopes: ['mcp', 'files:write'],
    resource: server.url,
  });
  expect(JSON.stringify(inspected.inspector.core.snapshot())).not.toContain('not-shown-again');
});
