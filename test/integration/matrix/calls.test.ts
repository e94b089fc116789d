import { expect, test } from 'vitest';
import { describeMatrix } from '../../support/matrix.js';

describeMatrix('tools', ({ revision, meet }) => {
  test('are listed over all pages, in the order of registration', async () => {
    const { client } = await meet();
    const names = (await client.tools.list()).map((tool) => tool.name);
    expect(names.slice(0, 3)).toEqual(['add', 'echo', 'list']);
    expect(names.length).toBeGreaterThan(10);
    expect(new Set(names).size).toBe(names.length);
  });

  test('are shown with what the revision can carry', async () => {
    const { client } = await meet();
    const [add, , list] = await client.tools.list();
    const shows = (field: string): boolean => revision.reads.tool.includes(field);
    expect(add?.inputSchema.required).toEqual(['a']);
    expect(add?.title).toBe(shows('title') ? 'Add' : undefined);
    expect(add?.annotations).toEqual(shows('annotations') ? { readOnlyHint: true } : undefined);
    expect(add?.outputSchema !== undefined).toBe(shows('outputSchema'));
    // A root that is no object can only be described where structured content may be anything.
    expect(list?.outputSchema !== undefined).toBe(revision.structuredContent === 'any');
  });

  test('answer with text, and with structured content where the revision has it', async () => {
    const { client } = await meet();
    const sum = await client.tools.call('add', { a: 2 });
    expect(sum.content).toEqual([{ type: 'text', text: '{"sum":3}' }]);
    expect(sum.structuredContent).toEqual(revision.structuredContent === 'none' ? undefined : { sum: 3 });
    const list = await client.tools.call('list');
    expect(list.structuredContent).toEqual(revision.structuredContent === 'any' ? [1, 2, 3] : undefined);
    expect(list.content).toEqual([{ type: 'text', text: '[1,2,3]' }]);
  });

  test('send only content that the revision can read', async () => {
    const { client } = await meet();
    const { content } = await client.tools.call('contents');
    expect(content).toHaveLength(5);
    for (const block of content) expect(revision.contentTypes.has(block.type)).toBe(true);
    const [text] = content;
    expect(text?._meta !== undefined).toBe(revision.reads.content.includes('_meta'));
  });

  test('name the argument that is wrong', async () => {
    const { client } = await meet();
    const call = client.tools.call('add', { a: 'x', c: 1 });
    if (revision.invalidArguments === 'error') {
      await expect(call).rejects.toMatchObject({
        rpcCode: -32602,
        message: expect.stringMatching(/a:.*c:/s),
      });
    } else {
      const result = await call;
      expect(result.isError).toBe(true);
      expect(JSON.stringify(result.content)).toMatch(/a:.*c:/s);
    }
  });

  test('fail as results, with the message that was meant for the model and no other', async () => {
    const { client } = await meet();
    expect(await client.tools.call('fail')).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'the reason' }],
    });
    const crashed = await client.tools.call('crash');
    expect(crashed.isError).toBe(true);
    expect(JSON.stringify(crashed)).not.toContain('secret');
    expect(await client.tools.call('spelled')).toMatchObject({ isError: true, content: [] });
  });

  test('that do not exist are invalid parameters', async () => {
    const { client } = await meet();
    await expect(client.tools.call('nope')).rejects.toMatchObject({
      rpcCode: -32602,
      message: expect.stringContaining('nope'),
    });
  });

  test('can be added and removed while clients are connected', async () => {
    const { client, server } = await meet();
    const changes: string[] = [];
    const heard = new Promise<void>((resolve) => {
      client.on('toolsChanged', () => {
        changes.push('tools');
        resolve();
      });
    });
    await client.ping();
    await expect
      .poll(() => client.tools.list({ cache: 'reload' }).then((tools) => tools.length))
      .toBeGreaterThan(0);
    const registration = server.tool('late', { description: 'Came late' }, () => 'here');
    await heard;
    expect((await client.tools.call('late')).content).toEqual([{ type: 'text', text: 'here' }]);
    expect((await client.tools.list()).map((tool) => tool.name)).toContain('late');
    registration.remove();
    await expect(client.tools.call('late')).rejects.toMatchObject({ rpcCode: -32602 });
  });
});

describeMatrix('resources', ({ revision, meet }) => {
  test('are listed, read as text and bytes, and matched by template', async () => {
    const { client } = await meet();
    expect((await client.resources.list()).map(({ uri }) => uri)).toEqual(['test://fixed', 'test://bytes']);
    expect((await client.resources.templates().list()).map(({ uriTemplate }) => uriTemplate)).toEqual([
      'test://item/{id}',
    ]);
    expect((await client.resources.read('test://fixed')).contents).toEqual([
      { uri: 'test://fixed', mimeType: 'text/plain', text: 'fixed text' },
    ]);
    expect((await client.resources.read('test://bytes')).contents).toEqual([
      { uri: 'test://bytes', mimeType: 'image/png', blob: 'AQID' },
    ]);
    expect((await client.resources.read('test://item/4%202')).contents).toMatchObject([{ text: 'item 4 2' }]);
  });

  test('that are missing are told apart with the code of the revision', async () => {
    const { client } = await meet();
    for (const uri of ['test://nowhere', 'test://item/missing', 'test://item/..%2Fx']) {
      await expect(client.resources.read(uri)).rejects.toMatchObject({
        rpcCode: revision.resourceNotFoundCode,
      });
    }
  });

  test('tell their subscribers, and nobody after unsubscribing', async () => {
    const { client, server } = await meet();
    const heard: string[] = [];
    let wake = (): void => undefined;
    const subscription = await client.resources.subscribe('test://fixed', () => {
      heard.push('fixed');
      wake();
    });
    const update = async (): Promise<void> => {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      server.resourceUpdated('test://bytes');
      server.resourceUpdated('test://fixed');
      await woken;
    };
    await update();
    await update();
    expect(heard).toEqual(['fixed', 'fixed']);
    await subscription.close();
    server.resourceUpdated('test://fixed');
    await client.tools.call('echo', { message: 'a round trip' });
    expect(heard).toHaveLength(2);
  });
});

describeMatrix('prompts and completion', ({ revision, meet }) => {
  test('prompts are listed with their arguments, and filled in', async () => {
    const { client } = await meet();
    const [simple, review] = await client.prompts.list();
    expect(simple).toMatchObject({ name: 'simple', description: 'A simple prompt' });
    expect(review?.arguments).toMatchObject([
      { name: 'code', description: 'The code', required: true },
      { name: 'language' },
    ]);
    const filled = await client.prompts.get('review', { code: 'x=1', language: 'python' });
    expect(filled.messages[0]).toEqual({
      role: 'user',
      content: { type: 'text', text: 'Review this python: x=1' },
    });
    expect(revision.contentTypes.has(filled.messages[1]?.content.type ?? '')).toBe(true);
  });

  test('a missing argument and an unknown prompt are invalid parameters', async () => {
    const { client } = await meet();
    await expect(client.prompts.get('review')).rejects.toMatchObject({
      rpcCode: -32602,
      message: expect.stringContaining('code'),
    });
    await expect(client.prompts.get('nope')).rejects.toMatchObject({ rpcCode: -32602 });
  });

  test('arguments are completed, with what is known so far where the revision sends it', async () => {
    const { client } = await meet();
    const ref = { type: 'ref/prompt', name: 'review' } as const;
    const plain = await client.completion.complete(ref, { name: 'language', value: 'ty' });
    expect(plain.completion.values).toEqual(['typescript']);
    const known = await client.completion.complete(
      ref,
      { name: 'language', value: '' },
      { context: { arguments: { code: 'x' } } },
    );
    expect(known.completion.values).toEqual(
      revision.reads.completeParams.includes('context') ? ['xml'] : ['typescript', 'python'],
    );
    const item = await client.completion.complete(
      { type: 'ref/resource', uri: 'test://item/{id}' },
      { name: 'id', value: 'b' },
    );
    expect(item.completion.values).toEqual(['beta']);
  });
});
