/** Processes behind a chain: none stays behind, whoever goes first. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createChain } from 'plumb-mcp/chain';
import { connect } from 'plumb-mcp/client';
import { expect, test } from 'vitest';
import { cleanup } from '../../support/cleanup.js';

const fixture = fileURLToPath(new URL('./fixtures/plain-server.mjs', import.meta.url));
const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

/** Processes that run the fixture with this mark on their command line. */
async function running(mark: string): Promise<number[]> {
  const child = spawn('ps', ['-eo', 'pid=,args=']);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(child, 'close');
  return text
    .split('\n')
    .filter((line) => line.includes(`plain-server.mjs ${mark}`) && !line.includes('main.js'))
    .map((line) => Number.parseInt(line, 10));
}

function target(mark: string) {
  return { command: process.execPath, args: [fixture, mark] };
}

test('two hundred sessions, each with a process of its own, leave none', async () => {
  const built = createChain({ onError: () => undefined }).to({
    s: { ...target('many'), isolate: 'session' },
  });
  cleanup(() => built.close({ drain: 0 }));
  const open = async (): Promise<void> => {
    const client = await connect(built, { revisions: ['2025-11-25'] });
    await client.tools.call('pid');
    await client.close();
  };
  // A few at a time: it is the number that counts.
  for (let batch = 0; batch < 25; batch += 1) await Promise.all(Array.from({ length: 8 }, open));
  await expect.poll(() => running('many')).toEqual([]);
}, 180_000);

test('a shared process serves all sessions, and goes with the chain', async () => {
  const built = createChain({ onError: () => undefined }).to(target('shared'));
  const clients = await Promise.all([connect(built), connect(built, { revisions: ['2025-06-18'] })]);
  const pids = await Promise.all(clients.map((client) => client.tools.call('pid')));
  expect(pids[0]?.content).toEqual(pids[1]?.content);
  expect(await running('shared')).toHaveLength(1);
  await built.close({ drain: 0 });
  await expect.poll(() => running('shared')).toEqual([]);
});

test('a server that dies during a call gives one clear error, and is back for the next', async () => {
  const built = createChain({ onError: () => undefined }).to({ s: target('dying') });
  cleanup(() => built.close({ drain: 0 }));
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const client = await connect(built, { revisions: [revision] });
    await expect(client.tools.call('die')).rejects.toMatchObject({
      rpcCode: -32603,
      message: expect.stringMatching(/"s" is not available: it stopped during tools\/call/),
    });
    expect((await client.tools.call('pid')).content).toHaveLength(1);
    await client.close();
  }
});

test.each(['client', 'proxy'])('kill -9 of the %s leaves no process', async (victim) => {
  const mark = `killed-${victim}`;
  const proxy = spawn(process.execPath, [MAIN, 'proxy', '--', process.execPath, fixture, mark], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  cleanup(async () => proxy.kill('SIGKILL'));
  await initialized(proxy);
  await expect.poll(() => running(mark)).toHaveLength(1);
  // A client that is killed leaves a closed pipe behind, and nothing else.
  if (victim === 'client') {
    proxy.stdin?.destroy();
    proxy.stdout?.destroy();
  } else proxy.kill('SIGKILL');
  await expect.poll(() => running(mark)).toEqual([]);
  await expect.poll(() => isAlive(proxy.pid)).toBe(false);
});

test('kill -9 of a proxy that serves HTTP leaves no process of any session', async () => {
  const mark = 'killed-http';
  const args = [MAIN, 'proxy', '--http', '0', '--', process.execPath, fixture, mark];
  const proxy = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  cleanup(async () => proxy.kill('SIGKILL'));
  let said = '';
  proxy.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await expect.poll(() => said).toContain('listens at');
  const url = /http:\/\/\S+(?=\. Try)/.exec(said)?.[0] ?? '';
  const clients = await Promise.all(
    Array.from({ length: 3 }, () => connect(url, { revisions: ['2025-11-25'], recover: false })),
  );
  cleanup(() => Promise.all(clients.map((client) => client.close())));
  await Promise.all(clients.map((client) => client.tools.call('pid')));
  expect(await running(mark)).toHaveLength(3);
  proxy.kill('SIGKILL');
  await expect.poll(() => running(mark)).toEqual([]);
}, 60_000);

async function initialized({ stdin, stdout }: ChildProcess): Promise<void> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  if (stdout !== null) await once(stdout, 'data');
}

function isAlive(pid: number | undefined): boolean {
  try {
    // A process that has ended and that nobody has asked about yet is a zombie, which is not alive.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
