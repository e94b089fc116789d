/** Recovery from what real processes do: crash, hang, and leave. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type Client, type ConnectOptions, connect } from '../../../src/client/index.js';
import { fixture, isAlive, untilGone } from '../../support/processes.js';

const clients: Client[] = [];
const directories: string[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

async function open(options: ConnectOptions = {}): Promise<Client> {
  const target = {
    command: process.execPath,
    args: [fixture('unsteady')],
    shutdown: { endOfInput: 50, terminate: 50 },
  };
  const client = await connect(target, { recover: { initialDelay: 10 }, ...options });
  clients.push(client);
  return client;
}

function once(): string {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-'));
  directories.push(directory);
  return join(directory, 'died');
}

async function pidOf(client: Client): Promise<number> {
  const { content } = await client.tools.call('pid', {}, { whenNotReady: 'wait' });
  return Number(content[0]?.type === 'text' ? content[0].text : Number.NaN);
}

it('a process killed with -9 in the middle of a read-only call is started again, and the call sent again', async () => {
  const client = await open();
  await client.tools.list();
  const before = await pidOf(client);
  const { content } = await client.tools.call('die', { once: once() });
  const [block] = content;
  expect(block?.type === 'text' && Number(block.text)).not.toBe(before);
  await untilGone(before);
});

it('says how the process ended, with the end of its stderr, when the call may not be sent again', async () => {
  const client = await open();
  const states: unknown[] = [];
  client.on('state', ({ error }) => error !== undefined && states.push(error));
  const failure = client.tools.call('die', { once: once() });
  await expect(failure).rejects.toMatchObject({
    code: 'connection_closed',
    mayHaveActed: true,
    reason: { kind: 'exit', signal: 'SIGKILL' },
    stderr: expect.stringContaining('Out of memory'),
  });
  expect(String(states[0])).toMatch(/ended by signal SIGKILL; .*\nOut of memory/s);
  await client.whenReady();
  await pidOf(client);
});

it('a process that leaves with exit code 0 is started again', async () => {
  const client = await open();
  await expect(client.tools.call('leave')).rejects.toMatchObject({ exitCode: 0, mayHaveActed: true });
  await pidOf(client);
});

it('a process that ends its output and lives on is ended and started again', async () => {
  const client = await open();
  const before = await pidOf(client);
  await expect(client.tools.call('mute')).rejects.toMatchObject({
    code: 'connection_closed',
    mayHaveActed: true,
  });
  expect(await pidOf(client)).not.toBe(before);
  await untilGone(before);
});

it('a process that is stopped is found out by keep-alive, ended and started again', async () => {
  const client = await open({ keepAlive: { interval: 50, timeout: 200 } });
  const before = await pidOf(client);
  process.kill(before, 'SIGSTOP');
  await expect.poll(() => client.state).not.toBe('ready');
  expect(String(client.error)).toMatch(/does not answer/);
  expect(await pidOf(client)).not.toBe(before);
  await untilGone(before);
});

it('a process that hangs is ended and started again', async () => {
  const client = await open({ keepAlive: { timeout: 100 } });
  const before = await pidOf(client);
  await expect(client.tools.call('hang', {}, { timeout: 100 })).rejects.toMatchObject({ code: 'timeout' });
  await expect.poll(() => client.state).not.toBe('ready');
  expect(await pidOf(client)).not.toBe(before);
  await untilGone(before);
});

it('leaves no process behind when it is closed in the middle of all this', async () => {
  const client = await open({ keepAlive: { timeout: 50 } });
  const pid = await pidOf(client);
  await expect(client.tools.call('hang', {}, { timeout: 50 })).rejects.toMatchObject({ code: 'timeout' });
  await expect.poll(() => client.state).not.toBe('ready');
  await client.close();
  expect(isAlive(pid)).toBe(false);
});
