/** Tasks on three nodes that share a Redis, any of which may be killed. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { accept, type Client, type ConnectOptions, connect, textOf } from 'plumb-mcp/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { tasksExtension } from '../../../src/extensions/tasks/definition.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { RedisServer } from '../../support/redis-server.js';

const SCRIPT = fileURLToPath(new URL('fixtures/task-node.mjs', import.meta.url));

interface TaskNode {
  readonly child: ChildProcess;
  readonly url: string;
}

let redis: RedisServer;
const nodes: TaskNode[] = [];
const clients: Client[] = [];

async function startNode(): Promise<TaskNode> {
  const child = spawn(process.execPath, [SCRIPT, redis.url], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [text] = await once(child.stdout, 'data');
  return { child, url: String(text).trim() };
}

/** Three nodes that live. */
async function three(): Promise<readonly [TaskNode, TaskNode, TaskNode]> {
  for (const node of [...nodes]) if (node.child.signalCode !== null) nodes.splice(nodes.indexOf(node), 1);
  while (nodes.length < 3) nodes.push(await startNode());
  const [a, b, c] = nodes;
  if (a === undefined || b === undefined || c === undefined) throw new Error('There are not three nodes');
  return [a, b, c];
}

async function kill({ child }: TaskNode): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

beforeAll(async () => {
  redis = await RedisServer.start();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(async () => {
  for (const { child } of nodes) child.kill('SIGKILL');
  await redis.stop();
});

describe.each(REVISIONS.filter(({ tasks }) => tasks !== 'none'))('a task in $version', (revision) => {
  async function meet({ url }: TaskNode, user = 'ada', options: ConnectOptions = {}): Promise<Client> {
    const client = await connect(url, {
      revisions: [revision.version],
      headers: { 'x-user': user },
      elicit: () => accept({ name: 'Ada' }),
      recover: false,
      ...options,
    });
    clients.push(client);
    return client;
  }

  test('is found on every node, and outlives the one that answered for it', async () => {
    const [a, b, c] = await three();
    const worker = await meet(a);
    const { id = '' } = await worker.tools.start('gate');
    const other = await meet(b);
    await expect.poll(async () => (await other.tasks.get(id)).message).toBe('waiting');
    await kill(b);
    const third = await (await meet(c)).tasks.resume(id);
    const result = third.result();
    await worker.tools.call('open');
    expect(textOf(await result)).toBe('open');
  });

  test('has failed, with the reason, when its node was killed', async () => {
    const [a, b] = await three();
    const worker = await meet(a);
    const { id = '' } = await worker.tools.start('gate');
    const follower = await (await meet(b)).tasks.resume(id);
    const result = follower.result();
    const failed = expect(result).rejects.toThrow(/stopped before the task had ended/);
    await kill(a);
    await failed;
    expect((await follower.refresh())?.status).toBe('failed');
  });

  test('is answered and cancelled through another node', async () => {
    const [a, b] = await three();
    const worker = await meet(a);
    const other = await meet(b);
    const asking = await worker.tools.start('ask');
    expect(textOf(await (await other.tasks.resume(asking.id ?? '')).result())).toBe('Hello Ada');
    const waiting = await worker.tools.start('gate');
    const before = Number(textOf(await worker.tools.call('stopped')));
    await other.tasks.cancel(waiting.id ?? '');
    await expect.poll(async () => Number(textOf(await worker.tools.call('stopped')))).toBe(before + 1);
    expect((await waiting.refresh())?.status).toBe('cancelled');
  });

  test('does not exist for another principal', async () => {
    const [a, b] = await three();
    const { id = '' } = await (await meet(a)).tools.start('gate');
    const stranger = await meet(b, 'eve');
    const methods = revision.tasks === 'core' ? ['get', 'result', 'cancel'] : ['get', 'update', 'cancel'];
    for (const method of methods) {
      const asked = stranger.request(`tasks/${method}`, { taskId: id, inputResponses: {} });
      await expect(asked).rejects.toMatchObject({ rpcCode: -32602 });
    }
    if (revision.tasks === 'core') expect(await stranger.tasks.list()).toEqual([]);
    const own = await meet(b);
    if (revision.tasks === 'core') expect((await own.tasks.list()).map((task) => task.id)).toContain(id);
    expect((await own.tasks.get(id)).status).toBe('working');
    await own.tasks.cancel(id);
  });
});

test('listen streams hear of tasks on other nodes, and only of their own', async () => {
  const [a, b] = await three();
  const options = { revisions: ['2026-07-28'], recover: false };
  const worker = await connect(a.url, { ...options, headers: { 'x-user': 'ada' } });
  const listener = await connect(b.url, { ...options, headers: { 'x-user': 'ada' } });
  const stranger = await connect(b.url, { ...options, headers: { 'x-user': 'eve' } });
  clients.push(worker, listener, stranger);
  const { id = '' } = await worker.tools.start('gate');
  const heard: unknown[] = [];
  listener.extension(tasksExtension).on('notifications/tasks', (task) => heard.push(task));
  const overheard: unknown[] = [];
  stranger.extension(tasksExtension).on('notifications/tasks', (task) => overheard.push(task));
  await listener.extension(tasksExtension).listen('taskIds', [id]);
  await stranger.extension(tasksExtension).listen('taskIds', [id]);
  await worker.tasks.cancel(id);
  await expect.poll(() => heard.at(-1)).toMatchObject({ taskId: id, status: 'cancelled' });
  expect(overheard).toEqual([]);
});
