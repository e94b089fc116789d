/** Two nodes behind one Redis: whatever a session does may arrive at either. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { stateless, statelessTool } from '../../support/http-peer.js';
import { startsWith } from '../../support/http-target.js';
import { type Nodes, startNodes } from '../../support/redis-nodes.js';
import { RedisServer } from '../../support/redis-server.js';
import { textOf } from '../../support/wire-peer.js';

const PROGRESS = { meta: { progressToken: 'p' } };
const UPDATED = 'notifications/resources/updated';

describe('two nodes behind one Redis', () => {
  let redis: RedisServer;
  const running: Nodes[] = [];
  const start = startsWith('node');

  beforeAll(async () => {
    redis = await RedisServer.start('--appendonly', 'no');
  });
  afterEach(async () => {
    for (const nodes of running.splice(0)) await nodes.close();
  });
  afterAll(() => redis.stop());

  const nodes = async (leaseMs = 6000): Promise<Nodes> => {
    const started = await startNodes(start, redis, { lease: leaseMs });
    running.push(started);
    return started;
  };

  it('serve a session in turns', async () => {
    const { open, use } = await nodes();
    const peer = await open();
    for (const node of [0, 1, 0, 1] as const) {
      use(node);
      expect(textOf(await (await peer.tool('echo', { text: `${node}` })).result())).toBe(`${node}`);
    }
  });

  it('end a session that the other opened, with its calls and streams', async () => {
    const { open, use, first } = await nodes();
    const peer = await open();
    const stream = await peer.stream();
    const pending = peer.tool('wait');
    await first.steps.until('started');
    use(1);
    expect((await peer.end()).status).toBe(204);
    await first.steps.until('cancelled');
    expect(await stream.ending).toBe('end');
    await (await pending).ending;
    use(0);
    expect((await peer.request('ping')).status).toBe(404);
  });

  it('cancel what runs on the other', async () => {
    const { open, use, first } = await nodes();
    const peer = await open();
    const pending = peer.tool('wait', {}, { id: 'w' });
    await first.steps.until('started');
    use(1);
    await peer.notify('notifications/cancelled', { requestId: 'w' });
    await first.steps.until('cancelled');
    await (await pending).ending;
  });

  it.each([
    ['roots', 'roots/list', { roots: [{ uri: 'file:///answer' }] }],
    ['ask', 'elicitation/create', { action: 'accept', content: { name: 'answer' } }],
    [
      'sample',
      'sampling/createMessage',
      { role: 'assistant', content: { type: 'text', text: 'answer' }, model: 'm' },
    ],
  ])('pass on the answer to what %s asked on the other', async (tool, method, answer) => {
    const { open, use } = await nodes();
    const peer = await open();
    const call = await peer.tool(tool);
    const question = await call.message(method);
    use(1);
    expect((await peer.answer(question.id, answer)).status).toBe(202);
    expect(textOf((await call.messages()).at(-1)?.result ?? {})).toContain('answer');
  });

  it('take up a stream of the other, while the call runs on', async () => {
    const { open, use, first } = await nodes();
    const peer = await open();
    const call = await peer.tool('tell', {}, { id: 'c', ...PROGRESS });
    await call.message();
    use(1);
    const rest = await peer.stream(call.events.at(-1)?.id);
    expect(await call.ending).toBe('end');
    first.steps.open('more');
    expect((await rest.message()).params?.progress).toBe(2);
    first.steps.open('go');
    const messages = await rest.messages();
    expect(messages.map(({ params }) => params?.progress)).toEqual([2, 3, undefined]);
    expect(messages[2]?.id).toBe('c');
  });

  it('answer for a node that died with the call, so that the client can call again', async () => {
    const { open, use, first, second } = await nodes(150);
    const peer = await open();
    const call = await peer.tool('tell', {}, { id: 'c', ...PROGRESS });
    await call.message();
    // To the others this is what a kill looks like, once the lease has run out.
    await first.store.close();
    call.drop();
    use(1);
    const rest = await peer.stream(call.events.at(-1)?.id);
    const { id, error } = (await rest.messages()).at(-1) ?? {};
    expect(id).toBe('c');
    expect(error?.message).toContain('Call again');
    second.steps.open('more');
    second.steps.open('go');
    const again = await peer.tool('tell', {}, { id: 'd', ...PROGRESS });
    expect(textOf((await again.messages()).at(-1)?.result ?? {})).toBe('told');
  });

  it('tell of a resource on the other by subscriptions made on either', async () => {
    const { open, use, first, second } = await nodes();
    const peer = await open();
    const stream = await peer.stream();
    use(1);
    await (await peer.request('resources/subscribe', { uri: 'test://fixed' })).result();
    // The subscription was acknowledged, so that from here on nothing may be missed.
    second.server.resourceUpdated('test://fixed');
    expect((await stream.message(UPDATED)).params?.uri).toBe('test://fixed');
    first.server.resourceUpdated('test://fixed');
    await stream.message(UPDATED);
    await (await peer.request('resources/unsubscribe', { uri: 'test://fixed' })).result();
    second.server.resourceUpdated('test://fixed');
    second.server.log('error', 'the end');
    await stream.message('notifications/message');
    expect(stream.received.filter(({ method }) => method === UPDATED)).toHaveLength(2);
    stream.drop();
  });

  it('tell of a changed list on the other, in both eras', async () => {
    const { open, use, second, sender } = await nodes();
    const peer = await open();
    const stream = await peer.stream();
    const listening = await stateless(sender, 'subscriptions/listen', {
      notifications: { toolsListChanged: true, resourceSubscriptions: ['test://fixed'] },
    });
    await listening.message('notifications/subscriptions/acknowledged');
    use(1);
    second.server.tool('new', {}, () => 'new');
    await stream.message('notifications/tools/list_changed');
    await listening.message('notifications/tools/list_changed');
    second.server.resourceUpdated('test://fixed');
    await listening.message(UPDATED);
    stream.drop();
    listening.drop();
  });

  it('keep for a client what was announced while no node held its stream', async () => {
    const { open, use, first, second } = await nodes();
    const peer = await open();
    await (await peer.request('resources/subscribe', { uri: 'test://fixed' })).result();
    const stream = await peer.stream();
    const { id } = await stream.event();
    // The node that listened for it goes, and with it the connection.
    await first.server.close({ drain: 0 });
    await stream.ending;
    second.server.resourceUpdated('test://fixed');
    second.server.log('error', 'while away');
    use(1);
    const rest = await peer.stream(id);
    expect((await rest.message()).method).toBe(UPDATED);
    expect((await rest.message()).params?.data).toBe('while away');
    second.server.log('error', 'while back');
    expect((await rest.message()).params?.data).toBe('while back');
    rest.drop();
  });

  it('tell each change once, however often the client moves', async () => {
    const { open, use, first, second } = await nodes();
    const peer = await open();
    await (await peer.request('logging/setLevel', { level: 'info' })).result();
    let stream = await peer.stream();
    let last = (await stream.event()).id;
    const heard: unknown[] = [];
    for (let round = 0; round < 10; round += 1) {
      const [teller, node] = round % 2 === 0 ? [first, 1 as const] : [second, 0 as const];
      teller.server.log('error', round);
      use(node);
      const next = await peer.stream(last);
      const event = await next.event(({ data }) => data?.includes(`"data":${round}`) === true);
      heard.push(...next.received.map(({ params }) => params?.data));
      last = event.id;
      stream.drop();
      stream = next;
    }
    expect(heard).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    stream.drop();
  });

  it('open what the other has sealed for a stateless client', async () => {
    const { use, sender } = await nodes();
    const options = { capabilities: { elicitation: { form: {} } } };
    const asked = await (await statelessTool(sender, 'ask', {}, options)).result();
    expect(asked.resultType).toBe('input_required');
    use(1);
    const [key] = Object.keys(asked.inputRequests ?? {});
    const answered = await stateless(
      sender,
      'tools/call',
      {
        name: 'ask',
        arguments: {},
        requestState: asked.requestState,
        inputResponses: { [key ?? '']: { action: 'accept', content: { name: 'Ada' } } },
      },
      options,
    );
    expect(textOf(await answered.result())).toContain('Ada');
  });
});
