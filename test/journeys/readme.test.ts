/** Journey 5: a server written from the README alone, used by the official clients, the inspector and the validator. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.js';
import { eventually } from './support/eventually.js';
import { firstReady, LIMIT_MS, openInspector } from './support/inspector.js';
import { type ClientTarget, openOfficial, sdks } from './support/official-clients.js';
import { installed, plumb, startProgram, stopAfter } from './support/plumb.js';
import { environment, type StdioEntry } from './support/servers.js';
import { createWorkspace } from './support/workspace.js';

const workspace = createWorkspace();
const server = join(installed, 'server.js');
const stdio: StdioEntry = {
  command: process.execPath,
  args: [server],
  env: environment(workspace),
  cwd: installed,
};

/** The code below a heading of the README. */
function codeOf(heading: string): string {
  const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');
  const code = new RegExp(`## ${heading}\\n[^]*?\`\`\`ts\\n([^]*?)\`\`\``).exec(readme)?.[1];
  if (code === undefined) throw new Error(`The README has no code below "${heading}"`);
  return code;
}

beforeAll(() => {
  writeFileSync(server, codeOf('A server'));
  writeFileSync(join(installed, 'client.js'), codeOf('A client'));
});

test('the client of the README uses the server of the README', async () => {
  // The client starts "node server.js" where it runs.
  const program = startProgram(workspace, process.execPath, ['client.js'], { cwd: installed });
  const { code, stdout, stderr } = await program.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.split('\n', 2)).toEqual(['forecast', 'Which unit for Bern?']);
  expect(JSON.parse(stdout.slice(stdout.indexOf('{')))).toEqual({ unit: 'C', temperatures: [20, 21, 22] });
});

test.for(sdks.flatMap((sdk) => [[sdk, 'stdio'] as const, [sdk, 'HTTP'] as const]))(
  'the client of SDK %s uses it over %s',
  async ([sdk, transport], context) => {
    const http = async (): Promise<string> => {
      const port = await freePort();
      const code = codeOf('A server').replace(
        /await server\.stdio\(\);.*/,
        `await server.http({ port: ${port} });`,
      );
      const path = join(installed, `server-${port}.js`);
      writeFileSync(path, code);
      stopAfter(context, startProgram(workspace, process.execPath, [path]));
      return `http://127.0.0.1:${port}/mcp`;
    };
    const target: ClientTarget = transport === 'stdio' ? stdio : await listening(await http());
    const client = await openOfficial(sdk, target, { elicitation: { unit: 'F' } });
    context.onTestFinished(() => client.close());
    expect((await client.listTools()).tools).toMatchObject([{ name: 'forecast' }]);
    const forecast = await client.callTool({ name: 'forecast', arguments: { city: 'Bern', days: 2 } });
    expect(returnedValue(forecast)).toEqual({ unit: 'F', temperatures: [20, 21] });
    const wrong = await client.callTool({ name: 'forecast', arguments: { city: 7 } });
    expect(wrong).toMatchObject({ isError: true });
    expect(JSON.stringify(wrong)).toContain('city');
  },
);

/** What a tool without an output schema returned: JSON as text. */
function returnedValue(result: object): unknown {
  const content: unknown = 'content' in result ? result.content : undefined;
  expect(content).toMatchObject([{ type: 'text', text: expect.any(String) }]);
  const [{ text }] = JSON.parse(JSON.stringify(content));
  return JSON.parse(text);
}

/** Resolves to the address as soon as something listens there. */
async function listening(url: string): Promise<string> {
  await eventually(() => fetch(url, { method: 'HEAD' }));
  return url;
}

test('the inspector uses it, question included', async (context) => {
  const page = await openInspector(context, workspace, ['--', process.execPath, server]);
  const id = await firstReady(page);
  const { tools } = await page.command('catalogue.get', { server: id });
  expect(tools.items).toMatchObject([{ name: 'forecast' }]);
  const call = page.call(id, { kind: 'tool', name: 'forecast', arguments: { city: 'Bern' } });
  const { ask } = await page.event('ask', () => true, LIMIT_MS);
  const result = { action: 'accept', content: { unit: 'C' } } as const;
  await page.command('asks.answer', { id: ask.id, answer: { kind: 'form', result } });
  const called = await call;
  expect(called).toMatchObject({ ok: true });
  expect(returnedValue(JSON.parse(JSON.stringify(called)).result)).toMatchObject({ unit: 'C' });
});

test('the validator finds nothing wrong with it', async () => {
  const { code, stdout } = await plumb(workspace, 'validate', '--', process.execPath, server);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('100/100') });
});
