/** The validator, run from the page against a server with a fault. */

import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDemoServer } from '../../../src/cli/demo/server.js';
import { addByUrl, goTo, type Inspected, startInspected } from './inspected.js';

const TIMEOUT_MS = 120_000;

let inspected: Inspected;
let faulty: Server;
let url: string;
const demo = createDemoServer({ revisions: ['2025-11-25'] });

beforeAll(async () => {
  const handle = await demo.http({ port: 0 });
  // The demo, except that every answer to an unknown method has the wrong number.
  faulty = createHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      if (typeof value === 'string' && !['host', 'connection', 'content-length'].includes(name))
        headers.set(name, value);
    }
    const answer = await fetch(handle.url, {
      method: request.method ?? 'POST',
      headers,
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    const spoiled = (text: string) => text.replaceAll('-32601', '-32099');
    response.writeHead(
      answer.status,
      Object.fromEntries([...answer.headers].filter(([name]) => name !== 'content-length')),
    );
    const decoder = new TextDecoder();
    if (answer.body !== null)
      for await (const chunk of answer.body) response.write(spoiled(decoder.decode(chunk)));
    response.end();
  });
  await new Promise<void>((resolve) => faulty.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(faulty.address() as AddressInfo).port}/mcp`;
  inspected = await startInspected();
}, TIMEOUT_MS);
afterAll(async () => {
  await inspected?.close();
  faulty?.closeAllConnections();
  faulty?.close();
  await demo.close({ drain: 0 });
});

it('shows progress, then findings beside the traffic that caused them', { timeout: TIMEOUT_MS }, async () => {
  const page = await inspected.open();
  const server = await addByUrl(page, url);
  await goTo(page, `#/comply/${server}`);
  await page.getByLabel('2025-11-25').check();
  await page.getByRole('button', { name: 'Run the validator' }).click();
  await page.getByRole('progressbar', { name: 'Progress of the run' }).waitFor();
  await page.getByRole('heading', { name: 'Verdict' }).waitFor({ timeout: TIMEOUT_MS });
  const findings = page.getByRole('region', { name: 'Findings' });
  const finding = findings.getByRole('article').filter({ hasText: '-32601' }).first();
  await finding.waitFor();
  expect(await finding.innerText()).toContain('-32099');
  await finding.getByRole('button', { name: 'Show the traffic' }).click();
  const link = finding.getByRole('link', { name: /#\d+$/ }).first();
  await link.waitFor();
  const [report] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the report' }).click(),
  ]);
  expect(report.suggestedFilename()).toMatch(/\.html$/);
  await link.click();
  await page
    .getByRole('complementary')
    .getByRole('tab', { name: /^(Message|Request)$/ })
    .waitFor();
  expect(inspected.foreign).toEqual([]);
  expect(inspected.errors).toEqual([]);
});
