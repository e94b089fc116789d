import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, it, onTestFinished } from 'vitest';
import { InspectorPage } from '../../support/inspector-page.js';
import { type Running, start } from './plumb.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const RESTARTS = 50;

function project(): { readonly directory: string; write(text: string): void } {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-dev-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return { directory, write: (text) => writeFileSync(join(directory, 'server.mjs'), text) };
}

/** A server that answers with its version and the number of the call, and writes down each call that it runs. */
function source(version: number, ledger: string): string {
  return `import { appendFileSync } from 'node:fs';
import { createServer } from ${JSON.stringify(`${root}dist/server/index.js`)};
const server = createServer({ name: 'notes', version: '1.0.0' });
const input = { type: 'object', properties: { call: { type: 'integer' } }, required: ['call'] };
server.tool('work', { description: 'Works, version ${version}', input }, ({ call }) => {
  appendFileSync(${JSON.stringify(ledger)}, call + '\\n');
  return 'call ' + call;
});
await server.stdio();
`;
}

/** Resolves with the text that was found, or its first group. */
function until(running: Running, text: string | RegExp, from = 0): Promise<string> {
  const { process: child } = running;
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const rest = running.stderr().slice(from);
      const hit = typeof text === 'string' ? (rest.includes(text) ? text : undefined) : text.exec(rest)?.[1];
      if (hit !== undefined) settle(() => resolve(hit));
      else if (child.exitCode !== null) fail();
    };
    const fail = (): void =>
      settle(() => reject(new Error(`no ${text} from plumb dev: ${running.stderr().slice(-2_000)}`)));
    const timer = setTimeout(fail, 30_000);
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      child.stderr?.off('data', look);
      child.off('exit', look);
      end();
    };
    child.stderr?.on('data', look);
    child.on('exit', look);
    look();
  });
}

function ended(running: Running): void {
  onTestFinished(async () => {
    running.process.kill('SIGTERM');
    await running.ended;
  });
}

it(`keeps an official client and the inspector connected through ${RESTARTS} restarts, without a lost or doubled call`, {
  timeout: 120_000,
}, async () => {
  const { directory, write } = project();
  const ledger = join(directory, 'ledger.txt');
  writeFileSync(ledger, '');
  write(source(0, ledger));
  const words = ['dev', '--http', '0', '--inspect', '--no-validate', '--', process.execPath, 'server.mjs'];
  const running = start(words, { cwd: directory });
  ended(running);
  const url = await until(running, /listens at (\S+)\. /);
  const inspected = await until(running, /inspector is at (\S+)\n/);
  await until(running, 'ready in');

  const client = new Client({ name: 'v1', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  const page = await InspectorPage.at(new URL(inspected));
  // The inspector has connected to it as a client.
  await page.event('hello');
  let announced = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    announced += 1;
  });

  let restarting = true;
  const answered: number[] = [];
  const calling = (async () => {
    for (let call = 1; restarting; call += 1) {
      try {
        const { content } = await client.callTool({ name: 'work', arguments: { call } });
        expect(content).toEqual([{ type: 'text', text: `call ${call}` }]);
        answered.push(call);
      } catch (error) {
        // Only while the file has its syntax error.
        expect(String(error)).toContain('does not start');
      }
    }
  })();
  for (let version = 1; version <= RESTARTS; version += 1) {
    const from = running.stderr().length;
    const broken = version % 10 === 5;
    write(broken ? `${source(version, ledger)}const broken = ;\n` : source(version, ledger));
    await until(running, broken ? 'waiting for a change' : 'ready in', from);
  }
  restarting = false;
  await calling;

  const ran = readFileSync(ledger, 'utf8').trim().split('\n').map(Number);
  expect(answered.length).toBeGreaterThan(RESTARTS);
  expect(new Set(ran).size).toBe(ran.length);
  expect(answered.filter((call) => !ran.includes(call))).toEqual([]);
  const { tools } = await client.listTools();
  expect(tools[0]?.description).toBe(`Works, version ${RESTARTS}`);
  expect(announced).toBeGreaterThan(0);
  const states = page.events.flatMap((event) => {
    if (event.type === 'hello') return event.snapshot.servers.map(({ state }) => state);
    return event.type === 'server' ? [event.server.state] : [];
  });
  expect(new Set(states.slice(states.indexOf('ready')))).toEqual(new Set(['ready']));
  const notes = page.events.flatMap((event) => (event.type === 'logs' ? event.entries : []));
  expect(notes.map(({ data }) => data)).toContain('tool work: description changed');
  expect(running.stderr()).toContain('model  tool work: description changed');
  expect(running.stderr()).toMatch(
    /SyntaxError: Unexpected token ';'\n.*at server\.mjs:\d+\n(?:.*\n){2,3}.*> +\d+ \| const broken = ;/,
  );
});

it('serves a client over stdio that starts it, and shows what changed and what is wrong with it', async () => {
  const { directory, write } = project();
  const ledger = join(directory, 'ledger.txt');
  write(source(0, ledger));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [`${root}dist/cli/main.js`, 'dev', '--no-validate', '--', process.execPath, 'server.mjs'],
    cwd: directory,
    stderr: 'pipe',
  });
  const client = new Client({ name: 'v1', version: '1' });
  const changed = new Promise<void>((resolve) => {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  expect(await client.callTool({ name: 'work', arguments: { call: 1 } })).toMatchObject({
    content: [{ text: 'call 1' }],
  });
  write(source(1, ledger).replace("'work'", "'labour'"));
  await changed;
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['labour']);
});
