/** Tasks of a chain on three nodes that share a Redis. A node is killed, and the task goes on at its server. */

import { fileURLToPath } from 'node:url';
import { accept, type Client, type ConnectOptions, connect, textOf } from 'plumb-mcp/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { ChainNode } from '../../support/chain-nodes.js';
import { RedisServer } from '../../support/redis-server.js';
import { createTaskServer, type TaskServer } from '../../support/task-server.js';

const STDIO_SERVER = fileURLToPath(new URL('fixtures/task-stdio.mjs', import.meta.url));
const TIMEOUT_MS = 60_000;

let redis: RedisServer;
const nodes: ChainNode[] = [];
const open: { close(options?: { drain: number }): unknown }[] = [];

beforeAll(async () => {
  redis = await RedisServer.start();
});
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close({ drain: 0 });
  for (const node of nodes.splice(0)) await node.kill();
});
afterAll(() => redis.stop());

type Nodes = readonly [ChainNode, ChainNode, ChainNode];

async function threeNodes(destination: object): Promise<Nodes> {
  const start = async (): Promise<ChainNode> => {
    const node = await ChainNode.start(redis, destination);
    nodes.push(node);
    return node;
  };
  return [await start(), await start(), await start()];
}

async function serve(revision: string): Promise<TaskServer & { readonly destination: object }> {
  const tasks = createTaskServer({ revisions: [revision] });
  open.push(tasks.server);
  const { url } = await tasks.server.http({ port: 0 });
  return { ...tasks, destination: { s: { url } } };
}

const WITH_TASKS = REVISIONS.filter(({ tasks }) => tasks !== 'none').map(({ version }) => version);
const PAIRS = WITH_TASKS.flatMap((client) => WITH_TASKS.map((server) => [client, server] as const));

async function meet(
  { origin }: ChainNode,
  revision: string,
  user = 'ada',
  options: ConnectOptions = {},
): Promise<Client> {
  const client = await connect(`${origin}/mcp`, {
    revisions: [revision],
    headers: { 'x-user': user },
    elicit: () => accept({ name: 'Ada' }),
    recover: false,
    ...options,
  });
  open.push(client);
  return client;
}

describe.each(PAIRS)('a client of %s and a server of %s', (version, upstream) => {
  test('get the result of a task whose node was killed, by another node', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { destination, open: openGate } = await serve(upstream);
    const [a, b, c] = await threeNodes(destination);
    const { id = '' } = await (await meet(a, version)).tools.start('gate');
    const other = await meet(b, version);
    await expect.poll(async () => (await other.tasks.get(id)).message).toBe('waiting');
    await a.kill();
    const followers = await Promise.all(
      [other, await meet(c, version)].map((client) => client.tasks.resume(id)),
    );
    const results = followers.map((follower) => follower.result());
    const stranger = await meet(c, version, 'eve');
    await expect(stranger.tasks.get(id)).rejects.toMatchObject({ rpcCode: -32602 });
    await expect(stranger.tasks.cancel(id)).rejects.toMatchObject({ rpcCode: -32602 });
    openGate();
    for (const result of await Promise.all(results)) expect(textOf(result)).toBe('open');
  });

  test('ask and answer through another node, and cancel there', { timeout: TIMEOUT_MS }, async () => {
    const { destination, seen } = await serve(upstream);
    const [a, b, c] = await threeNodes(destination);
    const first = await meet(a, version);
    const asking = (await first.tools.start('asks')).id ?? '';
    const waiting = (await first.tools.start('gate')).id ?? '';
    const other = await meet(b, version);
    await expect.poll(async () => (await other.tasks.get(asking)).status).toBe('input_required');
    await expect.poll(async () => (await other.tasks.get(waiting)).message).toBe('waiting');
    await a.kill();
    expect(textOf(await (await other.tasks.resume(asking)).result())).toBe('Hello Ada');
    const third = await meet(c, version);
    // The lease of the first node has to run out before another one has the task.
    await expect
      .poll(async () => (await third.tasks.get(waiting)).status, { timeout: 20_000 })
      .toBe('working');
    await third.tasks.cancel(waiting);
    await expect.poll(() => seen, { timeout: 20_000 }).toContain('stopped');
  });
});

test.each(WITH_TASKS)(
  'a task of a server on the killed node has failed, with the reason, in %s',
  {
    timeout: TIMEOUT_MS,
  },
  async (version) => {
    const [a, b] = await threeNodes({ s: { command: process.execPath, args: [STDIO_SERVER] } });
    const { id = '' } = await (await meet(a, version)).tools.start('wait');
    const follower = await (await meet(b, version)).tasks.resume(id);
    const failed = expect(follower.result()).rejects.toThrow(/stopped before the task had ended/);
    await a.kill();
    await failed;
    expect((await follower.refresh())?.status).toBe('failed');
  },
);
