/** `subscriptions/listen` over HTTP: one stream for each, from its acknowledgement to its end. */

import { expect, it } from 'vitest';
import type { JsonObject, RequestId } from '../../../src/jsonrpc/message.js';
import { createServer } from '../../../src/server/index.js';
import { stateless, statelessTool } from '../../support/http-peer.js';
import { createFixture } from '../../support/http-server.js';
import { describeMatrix, type HttpTarget } from '../../support/http-target.js';
import type { WireMessage } from '../../support/wire-peer.js';

const ACK = 'notifications/subscriptions/acknowledged';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const EVERYTHING = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['test://fixed'],
};

const listen = (target: HttpTarget, notifications: JsonObject, id: RequestId = 1) =>
  stateless(target, 'subscriptions/listen', { notifications }, { id });

const subscriptionOf = ({ params }: WireMessage): unknown => (params?._meta as JsonObject)?.[SUBSCRIPTION];

describeMatrix('a subscription', (start) => {
  it('is acknowledged first, with what it will get', async () => {
    const target = await start(createFixture().server);
    const stream = await listen(target, EVERYTHING);
    expect(stream.status).toBe(200);
    expect(stream.isStream).toBe(true);
    expect(stream.header('x-accel-buffering')).toBe('no');
    const first = await stream.message();
    expect(first.method).toBe(ACK);
    expect(first.params?.notifications).toEqual(EVERYTHING);
    stream.drop();
  });

  it('is promised only what the server has', async () => {
    const server = createServer({ name: 'tools only', version: '1' });
    server.tool('one', {}, () => '');
    const stream = await listen(await start(server), EVERYTHING);
    expect((await stream.message()).params?.notifications).toEqual({ toolsListChanged: true });
    stream.drop();
  });

  it.each(['a', 5, '5'])('tags everything with the id of its request: %j', async (id) => {
    const { server } = createFixture();
    const stream = await listen(await start(server), EVERYTHING, id);
    expect(subscriptionOf(await stream.message())).toBe(id);
    server.listChanged('tools');
    server.listChanged('prompts');
    server.listChanged('resources');
    server.resourceUpdated('test://fixed');
    const messages = [
      await stream.message(),
      await stream.message(),
      await stream.message(),
      await stream.message(),
    ];
    expect(messages.map(({ method }) => method).sort()).toEqual([
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ]);
    expect(messages.map(subscriptionOf)).toEqual([id, id, id, id]);
    stream.drop();
  });

  it('gets nothing else than it asked for', async () => {
    const { server } = createFixture();
    const target = await start(server);
    const prompts = await listen(target, { promptsListChanged: true, toolsListChanged: false });
    await prompts.message();
    server.listChanged('tools');
    server.listChanged('resources');
    server.resourceUpdated('test://fixed');
    server.log('error', 'not for subscriptions');
    await new Promise((resolve) => setImmediate(resolve));
    server.listChanged('prompts');
    expect((await prompts.message()).method).toBe('notifications/prompts/list_changed');
    expect(prompts.received).toHaveLength(2);
    prompts.drop();
  });

  it('gets updates of the resources it named only', async () => {
    const { server } = createFixture();
    const stream = await listen(await start(server), { resourceSubscriptions: ['test://a', 'test://b'] });
    await stream.message();
    for (const uri of ['test://c', 'test://a', 'test://', 'test://b']) server.resourceUpdated(uri);
    expect((await stream.message()).params?.uri).toBe('test://a');
    expect((await stream.message()).params?.uri).toBe('test://b');
    stream.drop();
  });

  it('gets a copy of its own when there are several', async () => {
    const { server } = createFixture();
    const target = await start(server);
    const streams = await Promise.all(
      Array.from({ length: 20 }, (_, index) => listen(target, { toolsListChanged: true }, index)),
    );
    for (const stream of streams) await stream.message();
    server.listChanged('tools');
    for (const [index, stream] of streams.entries()) {
      expect(subscriptionOf(await stream.message())).toBe(index);
      stream.drop();
    }
  });

  it('hears once of many changes in one go', async () => {
    const { server } = createFixture();
    const stream = await listen(await start(server), { toolsListChanged: true, promptsListChanged: true });
    await stream.message();
    for (let index = 0; index < 50; index += 1) server.tool(`late-${index}`, {}, () => '');
    server.listChanged('prompts');
    const methods = [(await stream.message()).method, (await stream.message()).method];
    expect(methods.sort()).toEqual([
      'notifications/prompts/list_changed',
      'notifications/tools/list_changed',
    ]);
    expect(stream.received).toHaveLength(3);
    stream.drop();
  });

  it('ends properly when the server closes: with a result of its own', async () => {
    const { server } = createFixture();
    const target = await start(server);
    const stream = await listen(target, EVERYTHING, 'last');
    await stream.message();
    await server.close({ drain: 1000 });
    const messages = await stream.messages();
    expect(messages.at(-1)).toMatchObject({
      id: 'last',
      result: { resultType: 'complete', _meta: { [SUBSCRIPTION]: 'last' } },
    });
    expect(await stream.ending).toBe('end');
  });

  it('leaves nothing behind when its client goes', async () => {
    const { server } = createFixture();
    const target = await start(server);
    const streams = await Promise.all(Array.from({ length: 50 }, () => listen(target, EVERYTHING)));
    for (const stream of streams) await stream.message();
    const { handle } = target;
    if (handle !== undefined) expect(handle.open()).toMatchObject({ streams: 50, listeners: 50, calls: 50 });
    for (const stream of streams) stream.drop();
    while (handle !== undefined && handle.open().calls > 0)
      await new Promise((resolve) => setImmediate(resolve));
    if (handle !== undefined) expect(handle.open()).toMatchObject({ streams: 0, listeners: 0, calls: 0 });
  });

  it.each([
    ['without a filter', {}],
    ['with a filter that is no object', { notifications: 7 }],
    ['with resources that are no list', { notifications: { resourceSubscriptions: 'test://a' } }],
    ['with resources that are no strings', { notifications: { resourceSubscriptions: [7] } }],
  ])('%s is refused as JSON', async (_case, params) => {
    const target = await start(createFixture().server);
    const answer = await stateless(target, 'subscriptions/listen', params);
    expect([answer.status, answer.header('content-type')]).toEqual([200, 'application/json']);
    expect((await answer.error()).code).toBe(-32602);
  });
});

describeMatrix('without a subscription', (start) => {
  it('a stateless client hears of no change', async () => {
    const { server, steps } = createFixture();
    const target = await start(server);
    const call = await statelessTool(target, 'tell', {}, { meta: { progressToken: 1 } });
    await steps.until('told');
    server.listChanged('tools');
    server.resourceUpdated('test://fixed');
    server.log('error', 'x');
    await new Promise((resolve) => setImmediate(resolve));
    steps.open('more');
    steps.open('go');
    const methods = (await call.messages()).map(({ method }) => method);
    expect(methods).toEqual([...Array(3).fill('notifications/progress'), undefined]);
  });
});
