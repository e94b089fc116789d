/** A chain on two nodes: its parked calls and the servers of its sessions are on one of them, its clients anywhere. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import { createServer, type Server } from '../../../src/server/index.js';
import { ChainNode, OWN_SERVER } from '../../support/chain-nodes.js';
import { SessionPeer, stateless } from '../../support/http-peer.js';
import type { HttpCall } from '../../support/http-target.js';
import { RedisServer } from '../../support/redis-server.js';
import { textOf } from '../../support/wire-peer.js';

const ELICITS = { capabilities: { elicitation: { form: {} } } };
const ADA = { 'x-user': 'ada' };
const PROGRESS = { meta: { progressToken: 'p' } };

let redis: RedisServer;
let nodes: ChainNode[] = [];
beforeAll(async () => {
  redis = await RedisServer.start('--appendonly', 'no');
});
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});
afterAll(() => redis.stop());

/** Two nodes, and a client that goes to the one that was named last. */
async function two(destination: object) {
  nodes = await Promise.all([ChainNode.start(redis, destination), ChainNode.start(redis, destination)]);
  const [first, second] = nodes as [ChainNode, ChainNode];
  let current = first;
  const sender = { send: (call: HttpCall) => current.send(call) };
  const use = (node: ChainNode): void => {
    current = node;
  };
  return { first, second, sender, use };
}

const call = async (peer: SessionPeer, name: string, args: JsonObject = {}): Promise<string> =>
  textOf(await (await peer.tool(name, args)).result());

describe('a call of a stateless client that waits for an answer', () => {
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
    const { first, second } = await two(OWN_SERVER);
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
  }, 60_000);

  it('is not taken up by somebody else, on either node', async () => {
    const { first, second } = await two(OWN_SERVER);
    const question = questionOf(await (await confirm(first)).result());
    for (const node of [first, second]) {
      const stolen = await confirm(node, answers(question), { 'x-user': 'eve' });
      expect((await stolen.error()).code).toBe(-32602);
    }
    expect(textOf(await (await confirm(second, answers(question))).result())).toBe('confirmed by Ada');
  }, 60_000);

  it('is over when its node dies, which its client is told, and can be made again', async () => {
    const { first, second } = await two(OWN_SERVER);
    const question = questionOf(await (await confirm(first)).result());
    await first.kill();
    let error = await (await confirm(second, answers(question))).error();
    // Until its lease has run out the dead node looks alive; a call to it ends with the lease.
    expect(error.code).toBe(-32602);
    expect(error.message).toContain('start the call again without state');
    error = await (await confirm(second, answers(question))).error();
    expect(error.message).toContain('has stopped; start the call again without state');
    const again = questionOf(await (await confirm(second)).result());
    expect(textOf(await (await confirm(second, answers(again))).result())).toBe('confirmed by Ada');
  }, 60_000);
});

describe('a session whose server is its own', () => {
  const open = async () => {
    const cluster = await two(OWN_SERVER);
    const peer = await SessionPeer.open(cluster.sender, '2025-11-25', { ...ELICITS, headers: ADA });
    return { ...cluster, peer };
  };

  it('has the same one on every node', async () => {
    const { second, use, peer, sender } = await open();
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
  }, 60_000);

  it('is asked, and told of progress, on the node that its call came to', async () => {
    const { first, second, use, peer } = await open();
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
  }, 60_000);

  it('can cancel a call on any node', async () => {
    const { first, second, use, peer } = await open();
    use(second);
    const running = await peer.tool('wait', {}, { id: 'w', ...PROGRESS });
    await running.message('notifications/progress');
    use(first);
    await peer.notify('notifications/cancelled', { requestId: 'w' });
    expect(await running.ending).toBe('end');
    expect(await call(peer, 'recall')).toBe('nothing');
  }, 60_000);

  it('gets an error for the call that its node took along, and a new server with the next', async () => {
    const { first, second, use, peer } = await open();
    const pid = await call(peer, 'pid');
    use(second);
    const running = await peer.tool('wait', {}, PROGRESS);
    await running.message('notifications/progress');
    await first.kill();
    const error = await running.error();
    expect(error.code).toBe(-32603);
    expect(error.message).toContain('has stopped; whether the call took effect is unknown. Call again');
    expect(await call(peer, 'pid')).not.toBe(pid);
    expect(await call(peer, 'remember', { text: 'that' })).toBe('that');
    expect(await call(peer, 'recall')).toBe('that');
  }, 60_000);

  it('moves at once when its node closes in good order', async () => {
    const { first, second, use, peer } = await open();
    const pid = await call(peer, 'pid');
    await first.stop();
    use(second);
    expect(await call(peer, 'pid')).not.toBe(pid);
  }, 60_000);

  it('hears of its resources wherever it listens, also after its server had to be started again', async () => {
    const { first, second, use, peer } = await open();
    use(second);
    const stream = await peer.stream();
    use(first);
    await (await peer.request('resources/subscribe', { uri: 'test://note' })).result();
    await call(peer, 'touch');
    expect((await stream.message('notifications/resources/updated')).params?.uri).toBe('test://note');
    use(second);
    await call(peer, 'touch');
    await stream.message('notifications/resources/updated');
    await first.kill();
    // Without a call: the node that it listens on finds out, and has it look again.
    await stream.message('notifications/resources/updated');
    await call(peer, 'touch');
    await stream.message('notifications/resources/updated');
    stream.drop();
  }, 60_000);
});

describe('a session behind which everybody shares a server', () => {
  let shared: Server;
  const open = async () => {
    shared = createServer({ name: 'shared', version: '1', revisions: ['2025-11-25'] });
    shared.resource('test://note', { name: 'note' }, () => 'note');
    shared.tool('nothing', {}, () => '');
    const { url } = await shared.http({ port: 0 });
    const cluster = await two({ s: { url } });
    const peer = await SessionPeer.open(cluster.sender, '2025-11-25', { headers: ADA });
    return { ...cluster, peer };
  };
  afterEach(() => shared.close({ drain: 0 }));

  it('hears of its resources on the node that it listens on, wherever it subscribed', async () => {
    const { first, second, use, peer } = await open();
    use(second);
    const stream = await peer.stream();
    use(first);
    await (await peer.request('resources/subscribe', { uri: 'test://note' })).result();
    // Told once that it may have changed while the subscription moved to the node that listens.
    await stream.message('notifications/resources/updated');
    await first.kill();
    shared.resourceUpdated('test://note');
    await stream.message('notifications/resources/updated');
    use(second);
    await (await peer.request('resources/unsubscribe', { uri: 'test://note' })).result();
    shared.resourceUpdated('test://note');
    await (await peer.tool('nothing')).result();
    expect(stream.received).toHaveLength(2);
    stream.drop();
  }, 60_000);
});
