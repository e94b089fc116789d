/** Every revision of the client in front of every revision of the server, with a chain between them. */

import type { ConnectOptions } from 'plumb-mcp/client';
import { afterEach, describe, expect, test } from 'vitest';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import type { Revision } from '../../../src/protocol/revisions/revision.js';
import { Bridges, PAIRS, type Side, speaks } from '../../support/bridge.js';

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

interface Cell {
  readonly client: Revision;
  readonly server: Revision;
  readonly downstream: Side;
  readonly upstream: Side;
}

const [oldest, , , newestHandshake, stateless] = REVISIONS;

/** Other transports for the pairs in which the eras meet. */
const MIXED: readonly Cell[] = (['stdio', 'http', 'sse'] as const).flatMap((downstream) =>
  (['stdio', 'http', 'sse'] as const).flatMap((upstream) =>
    [oldest, newestHandshake, stateless].flatMap((client) =>
      [oldest, newestHandshake, stateless].flatMap((server) =>
        client !== undefined &&
        server !== undefined &&
        (client.lifecycle !== server.lifecycle || downstream === upstream) &&
        speaks(downstream, client) &&
        speaks(upstream, server)
          ? [{ client, server, downstream, upstream }]
          : [],
      ),
    ),
  ),
);

const CELLS: readonly Cell[] = [
  ...PAIRS.map(({ client, server }): Cell => ({ client, server, downstream: 'memory', upstream: 'memory' })),
  ...MIXED,
];

const bridges = new Bridges();
afterEach(() => bridges.close());

for (const cell of CELLS) {
  const { client: clientRevision, server: serverRevision, downstream, upstream } = cell;
  const elicits = serverRevision.elicitation !== 'none' && clientRevision.elicitation !== 'none';
  const name = `client ${clientRevision.version} over ${downstream}, server ${serverRevision.version} over ${upstream}`;
  const open = (connect: ConnectOptions = {}) =>
    bridges.open({ clientRevision, serverRevision, downstream, upstream, connect });

  describe(name, () => {
    test('tools: listed over all pages, called, failed, unknown', async () => {
      const { client } = await open();
      const names = (await client.tools.list()).map((tool) => tool.name);
      expect(names.slice(0, 3)).toEqual(['add', 'echo', 'list']);
      expect(new Set(names).size).toBe(16);
      const page = await client.tools.page();
      expect(page.items).toHaveLength(5);
      expect(page.nextCursor).toBeDefined();
      expect(await client.tools.call('echo', { message: 'hi' })).toMatchObject({
        content: [{ type: 'text', text: 'hi' }],
      });
      expect(await client.tools.call('fail')).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: 'the reason' }],
      });
      const { content } = await client.tools.call('contents');
      for (const block of content) expect(clientRevision.contentTypes.has(block.type)).toBe(true);
      await expect(client.tools.call('nope')).rejects.toMatchObject({
        rpcCode: -32602,
        message: expect.stringContaining('nope'),
      });
    });

    test('who serves, and how to use it, is what the server says', async () => {
      const { client } = await open();
      await client.tools.call('echo', { message: 'hi' });
      expect(client.server).toMatchObject({ name: 'everything', version: '1.2.3' });
      expect(client.instructions).toBe('Use with care.');
      expect(client.revision).toBe(clientRevision.version);
    });

    test('resources: listed, templates, read, missing', async () => {
      const { client } = await open();
      expect((await client.resources.list()).map(({ uri }) => uri)).toEqual(['test://fixed', 'test://bytes']);
      const templates = await client.resources.templates().list();
      expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual(['test://item/{id}']);
      expect((await client.resources.read('test://item/7')).contents).toMatchObject([{ text: 'item 7' }]);
      await expect(client.resources.read('test://nowhere')).rejects.toMatchObject({
        message: expect.stringContaining('test://nowhere'),
      });
    });

    test('prompts and completion', async () => {
      const { client } = await open();
      expect((await client.prompts.list()).map((prompt) => prompt.name)).toEqual(['simple', 'review']);
      const { messages } = await client.prompts.get('review', { code: 'x', language: 'c' });
      expect(messages[0]).toMatchObject({ content: { text: 'Review this c: x' } });
      const ref = { type: 'ref/prompt', name: 'review' } as const;
      const { completion } = await client.completion.complete(ref, { name: 'language', value: 'ty' });
      expect(completion.values).toEqual(['typescript']);
      const template = { type: 'ref/resource', uri: 'test://item/{id}' } as const;
      const suggested = await client.completion.complete(template, { name: 'id', value: 'a' });
      expect(suggested.completion.values).toEqual(['alpha']);
    });

    test('progress and log messages reach the caller', async () => {
      const logs: unknown[] = [];
      const { client } = await open({ logLevel: 'warning', onLog: (message) => logs.push(message) });
      const seen: number[] = [];
      await client.tools.call('steps', {}, { onProgress: ({ progress }) => seen.push(progress) });
      expect(seen).toEqual([1, 2, 3]);
      await client.tools.call('talk');
      await expect
        .poll(() => logs)
        .toEqual([expect.objectContaining({ level: 'warning', logger: 'talker', data: { loud: true } })]);
    });

    test('cancelling a call aborts it upstream', async () => {
      const { client, aborted } = await open();
      const controller = new AbortController();
      const options = { signal: controller.signal, onProgress: () => controller.abort() };
      await expect(client.tools.call('hang', {}, options)).rejects.toMatchObject({ code: 'cancelled' });
      await expect.poll(() => aborted.length).toBe(1);
    });

    test('list changes and resource updates come through', async () => {
      const { client, server } = await open();
      let changes = 0;
      client.on('toolsChanged', () => {
        changes += 1;
      });
      const updates: string[] = [];
      const subscription = await client.resources.subscribe('test://fixed', ({ uri }) => updates.push(uri));
      server.tool('late', {}, () => 'late');
      await expect.poll(() => changes).toBeGreaterThan(0);
      server.resourceUpdated('test://fixed');
      await expect.poll(() => updates).toEqual(['test://fixed']);
      expect((await client.tools.call('late')).content).toMatchObject([{ text: 'late' }]);
      await subscription.close();
    });

    test('sampling and roots are asked of the client', async () => {
      const { client } = await open(ANSWERING);
      const answer = await client.tools.call('model');
      expect(answer.content).toEqual([{ type: 'text', text: '{"type":"text","text":"Paris"}' }]);
      const places = await client.tools.call('places');
      expect(places.content).toEqual([{ type: 'text', text: 'file:///here,file:///there' }]);
    });

    test('forms are filled in by the client, once each, where both revisions have them', async () => {
      const { client, effects } = await open(ANSWERING);
      if (!elicits) {
        // The server says so itself, as an error or as a failed result.
        const failed = await client.tools.call('form').then(
          (result) => result.isError,
          () => true,
        );
        expect(failed).toBe(true);
        return;
      }
      const who = await client.tools.call('form');
      expect(who.content).toEqual([{ type: 'text', text: 'Ada is 7' }]);
      const twice = await client.tools.call('twice');
      expect(twice.content).toEqual([{ type: 'text', text: 'effect 1: one two' }]);
      expect(effects()).toBe(1);
      const several = await client.tools.call('several');
      expect(several.content).toEqual([{ type: 'text', text: 'accept test-model 2' }]);
    });

    test('a client that cannot answer learns of it, and nothing stays behind', async () => {
      const { client } = await open();
      const outcome = await client.tools.call('model').then(
        (result) => ({ failed: result.isError === true, code: undefined }),
        (error: unknown) => ({ failed: true, code: rpcCodeOf(error) }),
      );
      expect(outcome.failed).toBe(true);
      if (clientRevision.lifecycle === 'stateless') expect(outcome.code).toBe(-32021);
      expect(await client.tools.call('echo', { message: 'still here' })).toMatchObject({
        content: [{ text: 'still here' }],
      });
    });
  });
}

function rpcCodeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'rpcCode' in error ? error.rpcCode : undefined;
}
