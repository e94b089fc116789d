/** Tasks of a chain on three nodes that share a Redis. A node is killed, and the task goes on at its server. */

import { fileURLToPath } from 'node:url';
import { accept, type Client, type ConnectOptions, connect, textOf } from 'plumb-mcp/client';
import { afterAll, beforeAll, describe, type TestContext, test } from 'vitest';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { type ChainNode, ChainProcess } from '../../support/chain-nodes.js';
import { RedisServer } from '../../support/redis-server.js';
import { createTaskServer, type TaskServer } from '../../support/task-server.js';

const STDIO_SERVER = fileURLToPath(new URL('fixtures/task-stdio.mjs', import.meta.url));

let redis: RedisServer;
/** Nodes that outlive those that are killed. */
let lasting: readonly [ChainProcess, ChainProcess];
let chains = 0;

beforeAll(async () => {
  redis = await RedisServer.start();
  lasting = [ChainProcess.start(redis), ChainProcess.start(redis)];
});
afterAll(async () => {
  for (const node of lasting) await node.kill();
  await redis.stop();
});

/** Three nodes of a chain, of which the first may be killed. */
async function threeNodes({ onTestFinished }: TestContext, destination: object) {
  chains += 1;
  const service = `chain${chains}`;
  const victim = ChainProcess.start(redis);
  onTestFinished(() => victim.kill());
  const [a, b, c] = await Promise.all([
    victim.serve(service, destination),
    lasting[0].serve(service, destination),
    lasting[1].serve(service, destination),
  ]);
  return { a, b, c, victim };
}

async function serve(
  { onTestFinished }: TestContext,
  revision: string,
): Promise<TaskServer & { readonly destination: object }> {
  const tasks = createTaskServer({ revisions: [revision] });
  onTestFinished(() => tasks.server.close({ drain: 0 }));
  const { url } = await tasks.server.http({ port: 0 });
  return { ...tasks, destination: { s: { url } } };
}

const WITH_TASKS = REVISIONS.filter(({ tasks }) => tasks !== 'none').map(({ version }) => version);
const PAIRS = WITH_TASKS.flatMap((client) => WITH_TASKS.map((server) => [client, server] as const));

async function meet(
  { onTestFinished }: TestContext,
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
  onTestFinished(() => client.close());
  return client;
}

describe.concurrent.each(PAIRS)('a client of %s and a server of %s', (version, upstream) => {
  test('get the result of a task whose node was killed, by another node', async (context) => {
    const { expect } = context;
    const { destination, open: openGate } = await serve(context, upstream);
    const { a, b, c, victim } = await threeNodes(context, destination);
    const { id = '' } = await (await meet(context, a, version)).tools.start('gate');
    const other = await meet(context, b, version);
    await expect.poll(async () => (await other.tasks.get(id)).message).toBe('waiting');
    await victim.kill();
    const followers = await Promise.all(
      [other, await meet(context, c, version)].map((client) => client.tasks.resume(id)),
    );
    const results = followers.map((follower) => follower.result());
    const stranger = await meet(context, c, version, 'eve');
    await expect(stranger.tasks.get(id)).rejects.toMatchObject({ rpcCode: -32602 });
    await expect(stranger.tasks.cancel(id)).rejects.toMatchObject({ rpcCode: -32602 });
    openGate();
    for (const result of await Promise.all(results)) expect(textOf(result)).toBe('open');
  });

  test('ask and answer through another node, and cancel there', async (context) => {
    const { expect } = context;
    const { destination, seen } = await serve(context, upstream);
    const { a, b, c, victim } = await threeNodes(context, destination);
    const first = await meet(context, a, version);
    const asking = (await first.tools.start('asks')).id ?? '';
    const waiting = (await first.tools.start('gate')).id ?? '';
    const other = await meet(context, b, version);
    await expect.poll(async () => (await other.tasks.get(asking)).status).toBe('input_required');
    await expect.poll(async () => (await other.tasks.get(waiting)).message).toBe('waiting');
    await victim.kill();
    expect(textOf(await (await other.tasks.resume(asking)).result())).toBe('Hello Ada');
    const third = await meet(context, c, version);
    // The lease of the first node has to run out before another one has the task.
    await expect.poll(async () => (await third.tasks.get(waiting)).status).toBe('working');
    await third.tasks.cancel(waiting);
    await expect.poll(() => seen).toContain('stopped');
  });
});

test.concurrent.for(WITH_TASKS)(
  'a task of a server on the killed node has failed, with the reason, in %s',
  async (version, context) => {
    const { expect } = context;
    const { a, b, victim } = await threeNodes(context, {
      s: { command: process.execPath, args: [STDIO_SERVER] },
    });
    const { id = '' } = await (await meet(context, a, version)).tools.start('wait');
    const follower = await (await meet(context, b, version)).tasks.resume(id);
    const failed = expect(follower.result()).rejects.toThrow(/stopped before the task had ended/);
    await victim.kill();
    await failed;
    expect((await follower.refresh())?.status).toBe('failed');
  },
);
