import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loopback } from 'plumb-mcp/auth';
import { describe, expect, it } from 'vitest';
import type { Login } from '../../../src/auth/client/interaction.js';
import { openBrowser } from '../../../src/auth/client/node-browser.js';

function login(state: string): Login {
  return {
    url: new URL(`https://auth.example/authorize?state=${state}`),
    server: new URL('https://mcp.example/mcp'),
    issuer: 'https://auth.example',
  };
}

describe('the redirect on this machine', () => {
  it('takes the answer to the question that was asked, and tells the person how it went', async () => {
    const redirect = await loopback({ show: () => undefined }).open(undefined);
    expect(redirect.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const answer = redirect.authorize(login('right'));
    const page = fetch(`${redirect.redirectUri}?state=right&code=c`);
    expect((await answer).searchParams.get('code')).toBe('c');
    await redirect.close?.(true);
    const response = await page;
    expect(await response.text()).toContain('You are logged in');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    await expect(fetch(redirect.redirectUri)).rejects.toThrow();
  });

  it('ignores other pages that send the browser here', async () => {
    const redirect = await loopback({ show: () => undefined }).open(undefined);
    const answer = redirect.authorize(login('right'));
    const { port } = new URL(redirect.redirectUri);
    for (const url of [
      `${redirect.redirectUri}?state=wrong&code=evil`,
      `${redirect.redirectUri}?code=evil`,
      `http://127.0.0.1:${port}/?state=right&code=evil`,
    ]) {
      expect((await fetch(url)).status).toBe(404);
    }
    // A name is for others to resolve, and may lead to another address of this machine, where nobody listens.
    const byName = await fetch(`http://localhost:${port}/callback?state=right&code=evil`).then(
      (response) => response.status,
      () => 'unreachable',
    );
    expect([404, 'unreachable']).toContain(byName);
    expect((await fetch(redirect.redirectUri, { method: 'POST' })).status).toBe(404);
    const page = fetch(`${redirect.redirectUri}?state=right&error=access_denied`);
    expect((await answer).searchParams.get('error')).toBe('access_denied');
    await redirect.close?.(false);
    expect(await (await page).text()).toContain('The login failed');
  });

  it('uses the port that it is registered with, or another when that is taken', async () => {
    const interaction = loopback({ show: () => undefined });
    const first = await interaction.open(undefined);
    const second = await interaction.open(first.redirectUri);
    expect(second.redirectUri).not.toBe(first.redirectUri);
    await first.close?.(false);
    const third = await interaction.open(first.redirectUri);
    expect(third.redirectUri).toBe(first.redirectUri);
    await second.close?.(false);
    await third.close?.(false);
  });

  it('gives up when nobody comes, or when it is told to', async () => {
    const late = await loopback({ show: () => undefined, timeout: 10 }).open(undefined);
    await expect(late.authorize(login('x'))).rejects.toThrow(/start it again/);
    await late.close?.(false);
    const interrupted = await loopback({ show: () => undefined, signal: AbortSignal.abort() }).open(
      undefined,
    );
    await expect(interrupted.authorize(login('x'))).rejects.toThrow(/interrupted/);
    await interrupted.close?.(false);
  });
});

describe('the browser', () => {
  it('gets the URL as one argument, whatever is in it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'plumb-browser-'));
    const program = join(folder, 'browser');
    const seen = join(folder, 'seen');
    await writeFile(
      program,
      `#!${process.execPath}\nrequire('fs').writeFileSync(${JSON.stringify(seen)}, JSON.stringify(process.argv.slice(2)))\n`,
    );
    await chmod(program, 0o700);
    const url = new URL(`https://auth.example/a?x=$(touch+${folder}/pwned)&calc;|"'\`id\``);
    expect(await openBrowser(url, { BROWSER: program })).toBe(true);
    const read = async (): Promise<string> => readFile(seen, 'utf8').catch(() => '');
    await expect.poll(read).not.toBe('');
    expect(JSON.parse(await read())).toEqual([url.href]);
    await expect(readFile(join(folder, 'pwned'))).rejects.toThrow();
    await rm(folder, { recursive: true, force: true });
  });

  it('does not get what is no web page, and may be missing', async () => {
    await expect(openBrowser(new URL('javascript:alert(1)'), { BROWSER: 'true' })).rejects.toThrow(/https/);
    await expect(openBrowser(new URL('file:///etc/passwd'), { BROWSER: 'true' })).rejects.toThrow(/https/);
    expect(await openBrowser(new URL('https://auth.example/'), { BROWSER: '/nowhere/at/all' })).toBe(false);
    expect(await openBrowser(new URL('https://auth.example/'), {})).toBe(process.platform !== 'linux');
  });
});
