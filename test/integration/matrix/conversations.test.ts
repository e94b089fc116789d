import type { ConnectOptions } from 'plumb-mcp/client';
import { expect, test } from 'vitest';
import { describeMatrix } from '../../support/matrix.js';

const ANSWERING: ConnectOptions = {
  elicit: (request) => {
    const second = request.message.startsWith('Second');
    const content =
      request.message === 'Who?' ? { name: 'Ada' } : { name: 'Ada', value: second ? 'two' : 'one' };
    return { action: 'accept', content };
  },
  sample: () => ({
    role: 'assistant',
    content: { type: 'text', text: 'Paris' },
    model: 'test-model',
    stopReason: 'endTurn',
  }),
  roots: [{ uri: 'file:///here' }, { uri: 'file:///there', name: 'there' }],
};

describeMatrix('progress, logging and cancellation', ({ revision, meet }) => {
  test('progress grows, and its message arrives where the revision has one', async () => {
    const { client } = await meet();
    const seen: unknown[] = [];
    const result = await client.tools.call(
      'steps',
      {},
      { onProgress: (progress) => seen.push([progress.progress, progress.message]) },
    );
    expect(result.content).toEqual([{ type: 'text', text: 'stepped' }]);
    const message = revision.reads.progress.includes('message');
    expect(seen).toEqual([
      [1, message ? 'one' : undefined],
      [2, undefined],
      [3, message ? 'done' : undefined],
    ]);
  });

  test('log messages arrive at the level asked for', async () => {
    const logs: unknown[] = [];
    const { client } = await meet({ logLevel: 'warning', onLog: (message) => logs.push(message) });
    await client.tools.call('talk');
    expect(logs).toEqual([
      expect.objectContaining({ level: 'warning', logger: 'talker', data: { loud: true } }),
    ]);
    await client.logging.setLevel('debug');
    await client.tools.call('talk');
    expect(logs).toHaveLength(3);
  });

  test('cancelling a call rejects it here and aborts it there', async () => {
    const { client, aborted } = await meet();
    const controller = new AbortController();
    const call = client.tools.call(
      'hang',
      {},
      { signal: controller.signal, onProgress: () => controller.abort() },
    );
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => aborted.length).toBe(1);
    expect((await client.tools.call('echo', { message: 'still here' })).content).toEqual([
      { type: 'text', text: 'still here' },
    ]);
  });

  test('a call that times out is cancelled', async () => {
    const { client, aborted, begun } = await meet();
    // On a busy machine a call may time out before the server has it.
    for (let timeout = 50; begun() === 0; timeout *= 2)
      await expect(client.tools.call('hang', {}, { timeout })).rejects.toMatchObject({ code: 'timeout' });
    await expect.poll(() => begun() - aborted.length).toBe(0);
  });
});

describeMatrix('questions to the client', ({ revision, meet }) => {
  const elicits = revision.elicitation !== 'none';

  test('a form is filled in, and defaults complete it', async () => {
    const { client } = await meet(ANSWERING);
    const call = client.tools.call('form');
    if (elicits) expect((await call).content).toEqual([{ type: 'text', text: 'Ada is 7' }]);
    else await expect(call).rejects.toMatchObject({ message: expect.stringContaining('elicitation/create') });
  });

  test('a form can be declined', async () => {
    const { client } = await meet({ ...ANSWERING, elicit: () => ({ action: 'decline' }) });
    if (elicits)
      expect((await client.tools.call('form')).content).toEqual([{ type: 'text', text: 'decline' }]);
  });

  test('the model is asked, and roots are told', async () => {
    const { client } = await meet(ANSWERING);
    expect((await client.tools.call('model')).content).toEqual([
      { type: 'text', text: '{"type":"text","text":"Paris"}' },
    ]);
    expect((await client.tools.call('places')).content).toEqual([
      { type: 'text', text: 'file:///here,file:///there' },
    ]);
  });

  test('several things are asked at once', async () => {
    const { client } = await meet(ANSWERING);
    const call = client.tools.call('several');
    if (elicits) expect((await call).content).toEqual([{ type: 'text', text: 'accept test-model 2' }]);
    else await expect(call).rejects.toBeDefined();
  });

  test('a side effect before two questions happens once', async () => {
    const { client, effects } = await meet(ANSWERING);
    const call = client.tools.call('twice');
    if (!elicits) return expect(call).rejects.toBeDefined();
    expect((await call).content).toEqual([{ type: 'text', text: 'effect 1: one two' }]);
    expect(effects()).toBe(1);
  });

  test('a client that cannot answer gets the error of its revision, before the handler runs where that is known', async () => {
    const { client } = await meet();
    await expect(client.tools.call('needs-sampling')).rejects.toMatchObject({
      rpcCode: revision.missingCapabilityCode,
    });
    await expect(client.tools.call('model')).rejects.toMatchObject({
      rpcCode: revision.missingCapabilityCode,
    });
  });

  test('parallel calls do not mix up their answers', async () => {
    const { client } = await meet(ANSWERING);
    const calls = Array.from({ length: 20 }, (_, index) =>
      index % 4 === 0
        ? client.tools.call('places')
        : client.tools.call('echo', { message: `message ${index}` }),
    );
    const texts = (await Promise.all(calls)).map(({ content }) =>
      content[0]?.type === 'text' ? content[0].text : '',
    );
    expect(texts).toEqual(
      Array.from({ length: 20 }, (_, index) =>
        index % 4 === 0 ? 'file:///here,file:///there' : `message ${index}`,
      ),
    );
  });
});

describeMatrix('the connection', ({ revision, meet }) => {
  test('tells who the server is and what it can do', async () => {
    const { client } = await meet();
    expect(client.revision).toBe(revision.version);
    expect(client.server).toMatchObject({ name: 'everything', version: '1.2.3' });
    expect(client.instructions).toBe('Use with care.');
    expect(client.capabilities).toMatchObject({ tools: {}, resources: {}, prompts: {} });
    expect(client.capabilities.completions !== undefined).toBe(
      revision.reads.serverCapabilities.includes('completions'),
    );
  });

  test('a method that does not exist is told so', async () => {
    const { client } = await meet();
    await expect(client.request('no/such/method', {})).rejects.toMatchObject({ rpcCode: -32601 });
  });
});
