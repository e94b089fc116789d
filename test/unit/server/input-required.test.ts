/** Questions in the stateless revision: the call ends with them, and runs again with the answers. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import { type Context, createServer, elicit, roots, sample } from '../../../src/server/index.js';
import { ADA, asking, CAPABILITIES, complete, FORM, interim, open } from '../../support/input-rounds.js';
import { openRevision, type RevisionPeer, textOf } from '../../support/wire-peer.js';

const HELLO = { role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm' };

describe('a question', () => {
  test('ends the call, and the retry with its answer ends it for good', async () => {
    const { server, runs, errors } = asking((ctx) => ctx.elicit('Who?', FORM));
    const peer = await open(server);
    const first = await interim(peer);
    expect(Object.keys(first).sort()).toEqual(['_meta', 'inputRequests', 'requestState', 'resultType']);
    expect(first.inputRequests).toEqual({
      'ask-1': {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: 'Who?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        },
      },
    });
    const { requestState } = first;
    expect(await complete(peer, { requestState, inputResponses: { 'ask-1': ADA } })).toEqual(ADA);
    expect([runs(), errors]).toEqual([2, []]);
    // Nothing was ever asked by a request of the server.
    expect(peer.wire.received.filter(({ method }) => method !== undefined)).toEqual([]);
  });

  test('after another has the earlier answer replayed from the state alone', async () => {
    const { server, runs } = asking(async (ctx) => {
      const who = await ctx.elicit('Who?', FORM);
      const what = await ctx.sample(`Greet ${who.content?.name}`);
      return [who.content?.name, what.model, await ctx.roots()];
    });
    const peer = await open(server);
    const one = await interim(peer);
    const two = await interim(peer, { requestState: one.requestState, inputResponses: { 'ask-1': ADA } });
    expect(two.inputRequests).toMatchObject({
      'ask-2': { params: { messages: [{ content: { text: 'Greet Ada' } }] } },
    });
    const three = await interim(peer, { requestState: two.requestState, inputResponses: { 'ask-2': HELLO } });
    expect(Object.keys(three.inputRequests)).toEqual(['ask-3']);
    const result = await complete(peer, {
      requestState: three.requestState,
      inputResponses: { 'ask-3': { roots: [] } },
    });
    expect(result).toEqual(['Ada', 'm', []]);
    expect(runs()).toBe(4);
  });

  test('may be declined or cancelled', async () => {
    const { server } = asking((ctx) => ctx.elicit('Who?', FORM));
    const peer = await open(server);
    for (const action of ['decline', 'cancel']) {
      const { requestState } = await interim(peer);
      expect(await complete(peer, { requestState, inputResponses: { 'ask-1': { action } } })).toEqual({
        action,
      });
    }
  });

  test('may be named, and then keeps its name', async () => {
    const { server } = asking((ctx) => ctx.elicit('Who?', FORM, { key: 'who' }));
    const peer = await open(server);
    const { inputRequests, requestState } = await interim(peer);
    expect(Object.keys(inputRequests)).toEqual(['who']);
    expect(await complete(peer, { requestState, inputResponses: { who: ADA } })).toEqual(ADA);
  });

  test('can be asked by prompts and resources too, without cache hints', async () => {
    const server = createServer({ name: 's', version: '1' });
    server.prompt('p', {}, async (_args, ctx) => `roots: ${(await ctx.roots()).length}`);
    server.resource(
      'test:{x}',
      { cache: { ttl: 5 } },
      async (_request, ctx) => `roots: ${(await ctx.roots()).length}`,
    );
    const peer = await open(server);
    for (const [method, params] of [
      ['prompts/get', { name: 'p' }],
      ['resources/read', { uri: 'test:1' }],
    ] as const) {
      const first = await peer.call(method, params);
      expect(first).toMatchObject({
        resultType: 'input_required',
        inputRequests: { 'ask-1': { method: 'roots/list' } },
      });
      expect(first).not.toHaveProperty('ttlMs');
      expect(first).not.toHaveProperty('cacheScope');
      const last = await peer.call(method, {
        ...params,
        requestState: first.requestState,
        inputResponses: { 'ask-1': { roots: [] } },
      });
      expect(JSON.stringify(last)).toContain('roots: 0');
    }
  });

  test('cannot be asked by other methods', async () => {
    const { server, errors } = asking(() => undefined);
    server.method('x/ask', async (_params, ctx) => ({ roots: await ctx.roots() }));
    server.prompt(
      'p',
      {
        input: z.object({ a: z.string() }),
        complete: { a: async (_value, _known, ctx) => (await ctx.roots()).map(({ uri }) => uri) },
      },
      () => '',
    );
    const peer = await open(server);
    expect((await peer.refusal('x/ask')).code).toBe(-32603);
    const ref = { type: 'ref/prompt', name: 'p' };
    expect(
      (await peer.refusal('completion/complete', { ref, argument: { name: 'a', value: '' } })).code,
    ).toBe(-32603);
    expect(errors).toEqual(Array(2).fill(expect.objectContaining({ code: 'cannot_ask' })));
  });

  test('never carries the id that only the handshake revision knows', async () => {
    const { server } = asking((ctx) => ctx.elicitUrl('Sign', 'https://example.com/'));
    const { inputRequests } = await interim(await open(server));
    expect(inputRequests['ask-1']?.params).toEqual({
      mode: 'url',
      message: 'Sign',
      url: 'https://example.com/',
    });
  });
});

describe('several questions', () => {
  test('of one ask travel together', async () => {
    const { server, runs } = asking((ctx) =>
      ctx.ask({ who: elicit('Who?', FORM), what: sample('x'), where: roots() }),
    );
    const peer = await open(server);
    const { inputRequests, requestState } = await interim(peer);
    expect(Object.keys(inputRequests)).toEqual(['who', 'what', 'where']);
    const inputResponses = { who: ADA, what: HELLO, where: { roots: [] } };
    expect(await complete(peer, { requestState, inputResponses })).toEqual({
      who: ADA,
      what: HELLO,
      where: [],
    });
    expect(runs()).toBe(2);
  });

  test('of a Promise.all travel together', async () => {
    const { server } = asking((ctx) => Promise.all([ctx.elicit('Who?', FORM), ctx.sample('x'), ctx.roots()]));
    const peer = await open(server);
    const { inputRequests, requestState } = await interim(peer);
    expect(Object.keys(inputRequests)).toEqual(['ask-1', 'ask-2', 'ask-3']);
    const inputResponses = { 'ask-1': ADA, 'ask-2': HELLO, 'ask-3': { roots: [] } };
    expect(await complete(peer, { requestState, inputResponses })).toEqual([ADA, HELLO, []]);
  });

  test('travel together also when middleware takes its time over each', async () => {
    const { server } = asking((ctx) => Promise.all([ctx.elicit('Who?', FORM), ctx.roots()]));
    server.use({ direction: 'outbound' }, async (_call, next) => {
      await new Promise((resolve) => setImmediate(resolve));
      return next();
    });
    const { inputRequests } = await interim(await open(server));
    expect(Object.keys(inputRequests)).toEqual(['ask-1', 'ask-2']);
  });

  test('under one key are refused: both would get the same answer', async () => {
    const keys: (string | undefined)[] = [];
    const { server, errors } = asking(async (ctx) => {
      for (;;) {
        const { content } = await ctx.elicit('Who?', FORM, { key: 'who' });
        keys.push(content?.name);
      }
    });
    const peer = await open(server);
    const { requestState } = await interim(peer);
    const result = await peer.call('tools/call', { name: 't', requestState, inputResponses: { who: ADA } });
    expect(result).toMatchObject({ resultType: 'complete', isError: true });
    expect(keys).toEqual(['Ada']);
    expect(String(errors[0])).toMatch(/key "who" was asked before/);
  });

  test('of which some are answered are asked again for the rest', async () => {
    const { server } = asking((ctx) => ctx.ask({ who: elicit('Who?', FORM), where: roots() }));
    const peer = await open(server);
    const one = await interim(peer);
    const two = await interim(peer, {
      requestState: one.requestState,
      inputResponses: { where: { roots: [] } },
    });
    expect(Object.keys(two.inputRequests)).toEqual(['who']);
    expect(await complete(peer, { requestState: two.requestState, inputResponses: { who: ADA } })).toEqual({
      who: ADA,
      where: [],
    });
  });
});

describe('a retry', () => {
  test('without answers is asked again', async () => {
    const { server } = asking((ctx) => ctx.elicit('Who?', FORM));
    const peer = await open(server);
    const { requestState } = await interim(peer);
    for (const params of [{ requestState }, { requestState, inputResponses: {} }, { inputResponses: {} }]) {
      expect(Object.keys((await interim(peer, params)).inputRequests)).toEqual(['ask-1']);
    }
  });

  test('may carry keys that nobody asked for', async () => {
    const { server } = asking((ctx) => ctx.elicit('Who?', FORM));
    const peer = await open(server);
    const { requestState } = await interim(peer);
    const inputResponses = { 'ask-1': ADA, other: 'junk', __proto__: {}, 'ask-2': null };
    expect(await complete(peer, { requestState, inputResponses })).toEqual(ADA);
  });

  test.each<[string, JsonObject]>([
    ['inputResponses that are a string', { inputResponses: 'x' }],
    ['inputResponses that are a list', { inputResponses: [ADA] }],
    ['inputResponses that are null', { inputResponses: null }],
    ['a requestState that is a number', { requestState: 5 }],
    ['a requestState that is null', { requestState: null }],
    ['an answer that is a string', { inputResponses: { 'ask-1': 'Ada' } }],
    ['an answer that is null', { inputResponses: { 'ask-1': null } }],
    ['an answer without an action', { inputResponses: { 'ask-1': {} } }],
    [
      'an answer that does not fit the form',
      { inputResponses: { 'ask-1': { action: 'accept', content: { name: 5 } } } },
    ],
    ['an answer to another kind of question', { inputResponses: { 'ask-1': HELLO } }],
  ])('with %s is an invalid call', async (_name, params) => {
    const { server, errors } = asking((ctx) => ctx.elicit('Who?', FORM));
    const peer = await open(server);
    expect((await peer.refusal('tools/call', { name: 't', ...params })).code).toBe(-32602);
    expect(errors).toEqual([]);
  });

  test('is judged by its own capabilities', async () => {
    const { server } = asking((ctx) => ctx.ask({ who: elicit('Who?', FORM), where: roots() }));
    const { requestState } = await interim(await open(server));
    const poorer = await open(server, { elicitation: {} });
    const error = await poorer.refusal('tools/call', {
      name: 't',
      requestState,
      inputResponses: { who: ADA },
    });
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { roots: {} } } });
  });
});

describe('a request state', () => {
  const handler = (ctx: Context) => ctx.elicit('Who?', FORM);
  const answer = { inputResponses: { 'ask-1': ADA } };
  const refused = async (peer: RevisionPeer, params: JsonObject) =>
    expect((await peer.refusal('tools/call', { name: 't', ...answer, ...params })).code).toBe(-32602);

  test('that was tampered with is refused', async () => {
    const peer = await open(asking(handler).server);
    const { requestState } = await interim(peer);
    const at = requestState.length - 5;
    const other = requestState[at] === 'A' ? 'B' : 'A';
    await refused(peer, { requestState: requestState.slice(0, at) + other + requestState.slice(at + 1) });
    await refused(peer, { requestState: '' });
    await refused(peer, { requestState: 'p1.AAAA.AAAA' });
    await refused(peer, { requestState: `${requestState}=` });
  });

  test('of another server is refused', async () => {
    const { requestState } = await interim(await open(asking(handler).server));
    await refused(await open(asking(handler).server), { requestState });
  });

  test('of another call is refused: other arguments, another tool, another method', async () => {
    const { server } = asking(handler);
    server.tool('u', {}, async (_args, ctx) => JSON.stringify(await handler(ctx)));
    server.prompt('t', {}, async (_args, ctx) => JSON.stringify(await handler(ctx)));
    const peer = await open(server);
    const { requestState } = await interim(peer, { arguments: { amount: 1 } });
    await refused(peer, { requestState, arguments: { amount: 1000 } });
    await refused(peer, { requestState });
    await refused(peer, { requestState, name: 'u' });
    expect((await peer.refusal('prompts/get', { name: 't', requestState, ...answer })).code).toBe(-32602);
    expect(await complete(peer, { requestState, arguments: { amount: 1 }, ...answer })).toEqual(ADA);
  });

  test('of another principal is refused', async () => {
    const { server } = asking(handler);
    const as = (principal?: string) =>
      openRevision(server, '2026-07-28', {
        capabilities: CAPABILITIES,
        ...(principal === undefined ? {} : { principal }),
      });
    const { requestState } = await interim(await as('ada'));
    await refused(await as('bob'), { requestState });
    await refused(await as(), { requestState });
    expect(await complete(await as('ada'), { requestState, ...answer })).toEqual(ADA);
  });

  test('that has expired is refused, and says so', async () => {
    let now = 0;
    const { server } = asking(handler, { requestState: { ttl: 1000, now: () => now } });
    const peer = await open(server);
    const { requestState } = await interim(peer);
    now = 1001;
    const error = await peer.refusal('tools/call', { name: 't', requestState, ...answer });
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(/expired/) });
  });

  test('finishes on any node that has the key, also after the key was rotated', async () => {
    const node = (...keys: string[]) => asking(handler, { requestState: { keys } }).server;
    const { requestState } = await interim(await open(node('old')));
    expect(await complete(await open(node('old')), { requestState, ...answer })).toEqual(ADA);
    expect(await complete(await open(node('new', 'old')), { requestState, ...answer })).toEqual(ADA);
    await refused(await open(node('new')), { requestState });
  });

  test('means nothing to methods that never ask, nor to older revisions', async () => {
    const { server } = asking(handler);
    const peer = await open(server);
    expect((await peer.call('tools/list', { requestState: 'junk', inputResponses: 5 })).tools).toHaveLength(
      1,
    );
    const old = await openRevision(server, '2025-11-25', { capabilities: CAPABILITIES });
    old.wire.respond('elicitation/create', () => ADA);
    expect(
      JSON.parse(
        textOf(await old.call('tools/call', { name: 't', requestState: 'junk', inputResponses: 5 })),
      ),
    ).toEqual(ADA);
  });
});

describe('a handler that', () => {
  test('swallows the interruption is interrupted all the same', async () => {
    const { server, errors } = asking(async (ctx) => {
      try {
        return await ctx.elicit('Who?', FORM);
      } catch {
        return 'nobody';
      }
    });
    const peer = await open(server);
    const { requestState } = await interim(peer);
    expect(await complete(peer, { requestState, inputResponses: { 'ask-1': ADA } })).toEqual(ADA);
    expect(errors).toEqual([]);
  });

  test('turns the interruption into another error is interrupted all the same', async () => {
    const { server, errors } = asking((ctx) =>
      ctx.elicit('Who?', FORM).catch(() => {
        throw new Error('wrapped');
      }),
    );
    await interim(await open(server));
    expect(errors).toEqual([]);
  });

  test('does not await its question still gets it asked', async () => {
    const { server } = asking((ctx) => {
      void ctx.elicit('Who?', FORM);
      return 'gone ahead';
    });
    expect(Object.keys((await interim(await open(server))).inputRequests)).toEqual(['ask-1']);
  });

  test('is cancelled while it asks answers nothing', async () => {
    const { server } = asking(async (ctx) => {
      await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
      return ctx.elicit('Who?', FORM);
    });
    const peer = await open(server);
    const id = peer.post('tools/call', { name: 't' });
    // The first call loads the validator; a second one with the same id space shows that it has run.
    await peer.quiet();
    peer.wire.notify('notifications/cancelled', { requestId: id });
    await peer.quiet();
    expect(peer.wire.received.some((message) => message.id === id)).toBe(false);
  });
});
