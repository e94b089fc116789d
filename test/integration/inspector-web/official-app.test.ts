/** An app of the official package in the inspector: alone, and behind a gateway of two servers with the same tools. */

import { fileURLToPath } from 'node:url';
import type { Frame, Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Chain, createChain } from '../../../src/chain/index.js';
import { createServer, type Server } from '../../../src/server/index.js';
import { addByUrl, call, goTo, type Inspected, startInspected } from './inspected.js';

const TIMEOUT_MS = 60_000;
const SOURCE = fileURLToPath(new URL('fixtures/official-app.js', import.meta.url));

let inspected: Inspected;
let page: Page;
let html: string;
const open: (Server | Chain)[] = [];

beforeAll(async () => {
  html = await bundled();
  inspected = await startInspected();
  page = await inspected.open('', { reducedMotion: 'reduce', colorScheme: 'light' });
}, TIMEOUT_MS);
afterAll(async () => {
  await inspected?.close();
  for (const one of open) await one.close({ drain: 0 });
});

/** The app and the official package in one document. */
async function bundled(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, target: 'es2022', lib: { entry: SOURCE, formats: ['es'], fileName: 'app' } },
  });
  const [output] = [built].flat();
  if (output === undefined || !('output' in output)) throw new Error('The app was not built');
  const script = output.output[0].code.replaceAll('</script', '<\\/script');
  return `<!doctype html><title>Official</title><body><script type="module">${script}</script>`;
}

function unitServer(unit: string): Server {
  const server = createServer({ name: unit, version: '1.0.0' });
  server.app('panel', { html });
  server.resource('demo://unit', {}, () => unit);
  const input = { type: 'object', properties: { by: { type: 'number' } } } as const;
  server.tool('open', { app: 'panel', input }, () => `opened by ${unit}`);
  server.tool('refresh', { visibility: ['app'], input }, ({ by = 0 }) => `${unit} refreshed by ${by}`);
  server.tool('internal', { visibility: ['model'] }, () => 'not for apps');
  open.push(server);
  return server;
}

async function appFrame(): Promise<Frame> {
  const outer = await page.getByTitle(/^App of /).elementHandle();
  const proxy = await outer?.contentFrame();
  const inner = await proxy?.waitForSelector('iframe', { state: 'attached' });
  const frame = await inner?.contentFrame();
  if (frame === undefined || frame === null) throw new Error('The app is not shown');
  return frame;
}

async function press(frame: Frame, name: string, shown: string): Promise<void> {
  await frame.getByRole('button', { name, exact: true }).click();
  if (name === 'refresh') await page.getByRole('button', { name: 'Allow once' }).click();
  await frame.getByText(shown).waitFor();
}

describe('an app of the official package', () => {
  it.each([
    ['alone', () => unitServer('metres'), 'open', 'metres'],
    [
      'behind a gateway',
      () => {
        const gateway = createChain().to({
          one: { server: unitServer('feet') },
          other: { server: unitServer('yards') },
        });
        open.push(gateway);
        return gateway;
      },
      'one__open',
      'feet',
    ],
  ])(
    'connects, and calls the tools of its own server, %s',
    { timeout: TIMEOUT_MS },
    async (_how, serve, tool, unit) => {
      const { url } = await serve().http({ port: 0 });
      const server = await addByUrl(page, url);
      await goTo(page, `#/tools/${server}/${tool}`);
      await page.getByLabel('by', { exact: true }).fill('7');
      await call(page);
      const app = page.getByRole('region', { name: 'App', exact: true });
      await app.getByText('connected', { exact: true }).waitFor();
      const frame = await appFrame();
      await frame.getByText('input: {"by":7}').waitFor();
      await frame.getByText(`result: [{"type":"text","text":"opened by ${unit}"}]`).waitFor();
      await frame.getByText(`context: light inline ${tool}`).waitFor();
      await frame.getByText('host: plumb-inspector').waitFor();

      await press(frame, 'refresh', `refresh: [{"type":"text","text":"${unit} refreshed by 2"}]`);
      await press(frame, 'foreign', 'foreign: refused: The server of this app has no tool other__refresh');
      await press(frame, 'hidden', 'hidden: refused: Apps may not call the tool ');
      await press(frame, 'message', 'message: {}');
      await app.getByText('What the app said (1)').waitFor();
      await press(frame, 'link', 'link: refused: Only http and https links are opened');
      await press(frame, 'fullscreen', 'fullscreen: {"mode":"fullscreen"}');
      await app.getByRole('button', { name: 'Back to the page' }).click();
      await frame.getByText('changed: inline').waitFor();
      await page.emulateMedia({ colorScheme: 'dark' });
      await frame.getByText('changed: dark').waitFor();
      await page.emulateMedia({ colorScheme: 'light' });

      // It is asked to tidy up before it goes, and answers.
      await goTo(page, `#/timeline/${server}?source=app`);
      for (const method of ['ui/initialize', 'ui/notifications/size-changed', 'ui/resource-teardown'])
        await page.getByText(method, { exact: true }).first().waitFor();
      expect(inspected.errors).toEqual([]);
    },
  );

  it('reads resources of its server', { timeout: TIMEOUT_MS }, async () => {
    const { url } = await unitServer('miles').http({ port: 0 });
    const server = await addByUrl(page, url);
    await goTo(page, `#/tools/${server}/open`);
    await call(page);
    await press(await appFrame(), 'resource', 'resource: "miles"');
  });
});
