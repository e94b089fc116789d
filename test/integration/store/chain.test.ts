/** A chain on two nodes: its parked calls and the servers of its sessions are on one of them, its clients anywhere. */

import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import { createServer } from '../../../src/server/index.js';
import { type ChainNode, ChainProcess, OWN_SERVER } from '../../support/chain-nodes.js';
import { SessionPeer, stateless } from '../../support/http-peer.js';
import type { HttpCall } from '../../support/http-target.js';
import { RedisServer } from '../../support/redis-server.js';
import { textOf } from '../../support/wire-peer.js';

const ELICITS = { capabilities: { elicitation: { form: {} } } };
const ADA = { 'x-user': 'ada' };
const PROGRESS = { meta: { progressToken: 'p' } };

let redis: RedisServer;
/** Nodes that live as long as the tests. Where one is killed, the second of them is the other. */
let lasting: ChainProcess[];
let ownServers: readonly ChainNode[];
let chains = 0;
beforeAll(async () => {
  redis = await RedisServer.start('--appendonly', 'no');
  lasting = [ChainProcess.start(redis), ChainProcess.start(redis)];
  ownServers = await Promise.all(lasting.map((node) => node.serve('lasting', OWN_SERVER)));
});
afterAll(async () => {
  await Promise.all(lasting.map((node) => node.stop()));
  await redis.stop();
});

/** A client that goes to the node that was named last. */
function between([first, second]: readonly ChainNode[]) {
  if (first === undefined || second === undefined) throw new Error('There are not two nodes');
  let current = first;
  const sender = { send: (call: HttpCall) => current.send(call) };
  const use = (node: ChainNode): void => {
    current = node;
  };
  return { first, second, sender, use };
}

/** Two nodes of which the first may be killed. */
async function mortal({ onTestFinished }: TestContext, destination: object) {
  chains += 1;
  const service = `chain${chains}`;
  const victim = ChainProcess.start(redis);
  onTestFinished(() => victim.stop());
  const nodes = [victim, ...lasting.slice(1)].map((node) => node.serve(service, destination));
  return { ...between(await Promise.all(nodes)), victim };
}

const call = async (peer: SessionPeer, name: string, args: JsonObject = {}): Promise<string> =>
  textOf(await (await peer.tool(name, args)).result());

describe.concurrent('a call of a stateless client that waits for an answer', () => {
  const confirm = (node: ChainNode, more: JsonObject = {}, headers: Record<string, string> = ADA) =>
    stateless(
      node,
      'tools/call',
      { name: 'confirm', arguments: {}, ...more },
      { ...ELICITS, ...PROGRESS, headers },
    );

  /** The state and the key of the one question that it ended with. */
  const questionOf = (result: JsonObject): { requestState: unknown; key: string } => {
    expect(result.resultType).toBe('input_required');
    const [key] = Object.keys(result.inputRequests as JsonObject);
    return { requestState: result.requestState, key: key ?? '' };
  };
  const answers = ({ requestState, key }: { requestState: unknown; key: string }) => ({
    requestState,
    inputResponses: { [key]: { action: 'accept', content: { name: 'Ada' } } },
  });

  it('goes on when the answer comes to the other node, with the progress that follows', async () => {
    const { first, second } = between(ownServers);
    const question = questionOf(await (await confirm(first)).result());
    const retried = await confirm(second, answers(question));
    const messages = await retried.messages();
    expect(
      messages
        .filter(({ method }) => method === 'notifications/progress')
        .map(({ params }) => params?.progress),
    ).toEqual([2]);
    expect(textOf(messages.at(-1)?.result ?? {})).toBe('confirmed by Ada');
    // It was taken up once, and is over.
    expect((await (await confirm(first, answers(question))).error()).message).toContain(
      'start the call again',
    );
    expect((await (await confirm(second, answers(question))).error()).message).toContain(
      'start the call again',
    );
  });

  it('is not taken up by somebody else, on either node', async () => {
    const { first, second } = between(ownServers);
    // Calls of one user share a server, whose questions could be those of either call.
    const bob = { 'x-user': 'bob' };
    const question = questionOf(await (await confirm(first, {}, bob)).result());
    for (const node of [first, second]) {
      const stolen = await confirm(node, answers(question), { 'x-user': 'eve' });
      expect((await stolen.error()).code).toBe(-32602);
    }
    expect(textOf(await (await confirm(second, answers(question), bob)).result())).toBe('confirmed by Ada');
  });

  it('is over when its node dies, which its client is told, and can be made again', async (test) => {
    const { first, second, victim } = await mortal(test, OWN_SERVER);
    const question = questionOf(await (await confirm(first)).result());
    await victim.kill();
    let error = await (await confirm(second, answers(question))).error();
    // Until its lease has run out the dead node looks alive; a call to it ends with the lease.
    expect(error.code).toBe(-32602);
    expect(error.message).toContain('start the call again without state');
    error = await (await confirm(second, answers(question))).error();
    expect(error.message).toContain('has stopped; start the call again without state');
    const again = questionOf(await (await confirm(second)).result());
    expect(textOf(await (await confirm(second, answers(again))).result())).toBe('confirmed by Ada');
  });
});

describe.concurrent('a session whose server is its own', () => {
  const open = async <T extends ReturnType<typeof between>>(cluster: T) => {
    const peer = await SessionPeer.open(cluster.sender, '2025-11-25', { ...ELICITS, headers: ADA });
    return { ...cluster, peer };
  };

  it('has the same one on every node', async () => {
    const { second, use, peer, sender } = await open(between(ownServers));
    const pid = await call(peer, 'pid');
    await call(peer, 'remember', { text: 'this' });
    use(second);
    expect(await call(peer, 'pid')).toBe(pid);
    expect(await call(peer, 'recall')).toBe('this');
    const { tools } = await (await peer.request('tools/list')).result();
    expect(Array.isArray(tools) && tools.length).toBe(6);
    expect((await (await peer.request('no/such')).error()).code).toBe(-32601);
    // Another session has another.
    const other = await SessionPeer.open(sender, '2025-11-25', { ...ELICITS, headers: ADA });
    expect(await call(other, 'pid')).not.toBe(pid);
    expect(await call(other, 'recall')).toBe('nothing');
    // And nobody else has this one.
    const stolen = await peer.tool('recall', {}, { headers: { 'x-user': 'eve' } });
    expect(stolen.status).toBe(404);
  });

  it('is asked, and told of progress, on the node that its call came to', async () => {
    const { first, second, use, peer } = await open(between(ownServers));
    use(second);
    const running = await peer.tool('confirm', {}, PROGRESS);
    const question = await running.message('elicitation/create');
    // The answer may come to any node.
    use(first);
    await peer.answer(question.id, { action: 'accept', content: { name: 'Ada' } });
    const messages = await running.messages();
    const progress = messages.filter(({ method }) => method === 'notifications/progress');
    expect(progress.map(({ params }) => params?.progress)).toEqual([1, 2]);
    expect(textOf(messages.at(-1)?.result ?? {})).toBe('confirmed by Ada');
  });

  it('can cancel a call on any node', async () => {
    const { first, second, use, peer } = await open(between(ownServers));
    use(second);
    const running = await peer.tool('wait', {}, { id: 'w', ...PROGRESS });
    await running.message('notifications/progress');
    use(first);
    await peer.notify('notifications/cancelled', { requestId: 'w' });
    expect(await running.ending).toBe('end');
    expect(await call(peer, 'recall')).toBe('nothing');
  });

  it('gets an error for the call that its node took along, and a new server with the next', async (test) => {
    const { victim, second, use, peer } = await open(await mortal(test, OWN_SERVER));
    const pid = await call(peer, 'pid');
    use(second);
    const running = await peer.tool('wait', {}, PROGRESS);
    await running.message('notifications/progress');
    await victim.kill();
    const error = await running.error();
    expect(error.code).toBe(-32603);
    expect(error.message).toContain('has stopped; whether the call took effect is unknown. Call again');
    expect(await call(peer, 'pid')).not.toBe(pid);
    expect(await call(peer, 'remember', { text: 'that' })).toBe('that');
    expect(await call(peer, 'recall')).toBe('that');
  });

  it('moves at once when its node closes in good order', async (test) => {
    const { victim, second, use, peer } = await open(await mortal(test, OWN_SERVER));
    const pid = await call(peer, 'pid');
    await victim.stop();
    use(second);
    expect(await call(peer, 'pid')).not.toBe(pid);
  });

  it('hears of its resources wherever it listens, also after its server had to be started again', async (test) => {
    const { first, victim, second, use, peer } = await open(await mortal(test, OWN_SERVER));
    use(second);
    const stream = await peer.stream();
    use(first);
    await (await peer.request('resources/subscribe', { uri: 'test://note' })).result();
    await call(peer, 'touch');
    expect((await stream.message('notifications/resources/updated')).params?.uri).toBe('test://note');
    use(second);
    await call(peer, 'touch');
    await stream.message('notifications/resources/updated');
    await victim.kill();
    // Without a call: the node that it listens on finds out, and has it look again.
    await stream.message('notifications/resources/updated');
    await call(peer, 'touch');
    await stream.message('notifications/resources/updated');
    stream.drop();
  });
});

it('a session behind which everybody shares a server hears of its resources on the node that it listens on, wherever it subscribed', async (test) => {
  const shared = createServer({ name: 'shared', version: '1', revisions: ['2025-11-25'] });
  test.onTestFinished(() => shared.close({ drain: 0 }));
  shared.resource('test://note', { name: 'note' }, () => 'note');
  shared.tool('nothing', {}, () => '');
  const { url } = await shared.http({ port: 0 });
  const { first, second, victim, sender, use } = await mortal(test, { s: { url } });
  const peer = await SessionPeer.open(sender, '2025-11-25', { headers: ADA });
  use(second);
  const stream = await peer.stream();
  use(first);
  await (await peer.request('resources/subscribe', { uri: 'test://note' })).result();
  // Told once that it may have changed while the subscription moved to the node that listens.
  await stream.message('notifications/resources/updated');
  await victim.kill();
  shared.resourceUpdated('test://note');
  await stream.message('notifications/resources/updated');
  use(second);
  await (await peer.request('resources/unsubscribe', { uri: 'test://note' })).result();
  shared.resourceUpdated('test://note');
  await (await peer.tool('nothing')).result();
  expect(stream.received).toHaveLength(2);
  stream.drop();
});
