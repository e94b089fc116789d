/** A login from the page, against a real authorization server: every step is told, no secret is. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createMemoryTokenStore } from 'plumb-mcp/auth';
import { expect, it, onTestFinished } from 'vitest';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { InspectorPage } from '../../support/inspector-page.js';
import { startOidcProvider } from '../../support/oidc-provider.js';
import { startProtectedServer } from '../../support/protected-server.js';

const PERSON = fileURLToPath(new URL('../cli/fixtures/person.mjs', import.meta.url));

async function protectedPage(): Promise<{ page: InspectorPage; id: string; issuer: string }> {
  const provider = await startOidcProvider(['mcp']);
  onTestFinished(() => provider.close());
  const server = await startProtectedServer(provider.issuer, { requiredScopes: ['mcp'] });
  onTestFinished(() => server.close());
  const page = await InspectorPage.open({ tokens: createMemoryTokenStore() });
  const { id } = await page.command('servers.add', { kind: 'url', url: server.url });
  return { page, id, issuer: provider.issuer };
}

it('says that a login is needed, shows each step of it, and connects', async () => {
  const { page, id, issuer } = await protectedPage();
  const refused = await page.state(id, 'closed');
  expect(refused.failure).toMatchObject({ code: 'unauthorized', needsLogin: true });
  const before = await page.command('auth.get', { server: id });
  expect(before.steps[0]).toMatchObject({ kind: 'challenge', verdict: 'ok', response: { status: 401 } });
  page.events.length = 0;
  const login = page.command('auth.login', { server: id });
  const { flow } = await page.event('auth', ({ flow: told }) => told.loginUrl !== undefined);
  expect(new URL(flow.loginUrl ?? '').origin).toBe(issuer);
  expect(await page.refusal('auth.login', { server: id })).toMatchObject({ status: 409 });
  await promisify(execFile)(process.execPath, [PERSON, flow.loginUrl ?? '']);
  const done = await login;
  expect(done).toMatchObject({ state: 'authorized', issuer });
  const ready = await page.state(id, 'ready');
  expect(ready.failure).toBeUndefined();
  const { steps } = await page.command('auth.get', { server: id });
  const kinds = steps.map(({ kind }) => kind);
  expect(kinds).toEqual(
    expect.arrayContaining([
      'challenge',
      'resource-metadata',
      'server-metadata',
      'registration',
      'authorize',
      'callback',
      'token',
      'retry',
    ]),
  );
  for (const kind of ['registration', 'authorize', 'callback', 'token', 'retry']) {
    expect(steps.find((step) => step.kind === kind)).toMatchObject({ verdict: 'ok', notes: [] });
  }
  // One of the well-known places has nothing, which is no failure.
  const places = steps.filter(({ kind }) => kind === 'server-metadata').map(({ verdict }) => verdict);
  expect(places).toContain('ok');
  expect(places.filter((verdict) => verdict !== 'ok' && verdict !== 'absent')).toEqual([]);
  const token = steps.find(({ kind }) => kind === 'token');
  const access = token?.tokens.find(({ name }) => name === 'access_token');
  expect(access?.claims).toMatchObject({ iss: issuer, scope: 'mcp' });
  expect(access?.expiresAt).toBeGreaterThan(Date.now());
  const outcome = await page.call(id, { kind: 'tool', name: 'whoami', arguments: {} });
  expect(outcome).toMatchObject({ ok: true });
  const told = JSON.stringify([page.events, steps, await page.file('timeline.export', { format: 'jsonl' })]);
  // Three parts with dots are a whole JWT; a code or verifier would be a value of its field.
  expect(told).not.toMatch(/eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/);
  expect(told).not.toMatch(/code_verifier=[\w-]{20,}/);
  // The validator comes in with the same login.
  const [newest] = REVISIONS.slice(-1).map(({ version }) => version);
  const run = await page.command('comply.start', { server: id, revisions: [newest ?? ''], only: ['001'] });
  const ended = await page.event('complyEnded', ({ run: told }) => told.id === run.id, 60_000);
  expect(ended.run).toMatchObject({ state: 'done' });
  expect(await page.command('auth.logout', { server: id })).toMatchObject({ state: 'none' });
}, 90_000);

it('gives a login up when it is cancelled', async () => {
  const { page, id } = await protectedPage();
  await page.state(id, 'closed');
  const login = page.command('auth.login', { server: id });
  await page.event('auth', ({ flow }) => flow.state === 'waiting');
  await page.command('auth.cancel', { server: id });
  expect(await login).toMatchObject({ state: 'failed', failure: { code: 'login_cancelled' } });
});
