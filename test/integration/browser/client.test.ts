/** A page in Chromium that talks to the demo server, which lets pages of its origin in. */

import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDemoServer } from '../../../src/cli/demo/server.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import type { HttpHandle } from '../../../src/server/http/service.js';
import { launchChromium } from '../../support/chromium.js';
import { bundleClient } from './bundle.js';

let pages: HttpServer;
let origin: string;
let browser: Browser;
let demo: HttpHandle;
const server = createDemoServer();

beforeAll(async () => {
  const { chunks, entry } = await bundleClient();
  pages = createHttpServer((request, response) => {
    const name = (request.url ?? '/').slice(1);
    const chunk = chunks.get(name);
    if (name === '')
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>page</title>');
    else if (chunk === undefined) response.writeHead(404).end();
    else response.setHeader('content-type', 'text/javascript').end(chunk.code);
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  demo = await server.http({ allowedOrigins: [origin], legacySse: true });
  browser = await launchChromium();
  expect(entry.fileName).toBe('index.js');
});
afterAll(async () => {
  await browser?.close();
  await server.close({ drain: 0 });
  pages?.close();
});

async function open(): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`${origin}/`);
  return page;
}

/** Runs in the page. */
function talk(page: Page, url: string, revision: string): Promise<unknown> {
  return page.evaluate(
    `(async () => {
      const { connect } = await import('/index.js');
      const client = await connect(${JSON.stringify(url)}, { revisions: [${JSON.stringify(revision)}] });
      const states = [];
      client.on('state', ({ state }) => states.push(state));
      const tools = await client.tools.list();
      const progress = [];
      const { content } = await client.tools.call('echo', { message: 'from a page' });
      const revision = client.revision;
      await client.close();
      return { revision, tools: tools.length, text: content[0].text, states, progress };
    })()`,
  );
}

describe.each(REVISIONS.map(({ version }) => version))('a page in Chromium (%s)', (revision) => {
  // The first revision has another transport, at another address.
  const url = (): string => (revision === REVISIONS[0]?.version ? demo.url.replace(/mcp$/, 'sse') : demo.url);

  it('connects to the demo server, lists and calls', async () => {
    const page = await open();
    expect(await talk(page, url(), revision)).toMatchObject({
      revision,
      tools: expect.any(Number),
      text: expect.stringContaining('from a page'),
      states: ['closing', 'closed'],
    });
    await page.close();
  });
});

it.each(['2025-11-25', '2026-07-28'])(
  'a page finds a server that is restarted again (%s)',
  async (revision) => {
    const first = createDemoServer();
    const { url } = await first.http({ allowedOrigins: [origin] });
    const page = await open();
    const options = { revisions: [revision], recover: { initialDelay: 20, maxDelay: 200 } };
    await page.evaluate(`(async () => {
    const { connect } = await import('/index.js');
    globalThis.client = await connect(${JSON.stringify(url)}, ${JSON.stringify(options)});
    globalThis.states = [];
    client.on('state', ({ state }) => states.push(state));
    await client.tools.list();
  })()`);
    await first.close({ drain: 0 });
    const call = page.evaluate(
      `client.tools.call('echo', { message: 'still here' }, { whenNotReady: 'wait', retry: true })`,
    );
    await expect.poll(() => page.evaluate('states[0]')).toBe('backoff');
    const second = createDemoServer();
    await second.http({ allowedOrigins: [origin], port: Number(new URL(url).port) });
    expect(JSON.stringify(await call)).toContain('still here');
    expect(await page.evaluate('client.state')).toBe('ready');
    await page.evaluate('client.close()');
    await page.close();
    await second.close({ drain: 0 });
  },
);

it('a page of another origin is refused, and told so', async () => {
  const page = await browser.newPage();
  await page.goto(origin.replace('127.0.0.1', 'localhost'));
  await expect(talk(page, demo.url, '2025-11-25')).rejects.toThrow(/could not be reached|forbidden/i);
  await page.close();
});
