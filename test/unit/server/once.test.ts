/** `ctx.once`: a side effect that happens once, however often the handler has to start over. */

import { describe, expect, test } from 'vitest';
import { ADA, asking, complete, FORM, interim, open } from '../../support/input-rounds.js';
import { openRevision, textOf } from '../../support/wire-peer.js';

describe('a side effect', () => {
  test('runs once for the whole call, and its value comes back', async () => {
    let charges = 0;
    const { server, runs } = asking(async (ctx) => {
      const charge = await ctx.once('charge', async () => {
        charges += 1;
        return { id: `c${charges}` };
      });
      const who = await ctx.elicit('Who?', FORM);
      const where = await ctx.roots();
      return [charge, who.content?.name, where.length];
    });
    const peer = await open(server);
    const one = await interim(peer);
    const two = await interim(peer, { requestState: one.requestState, inputResponses: { 'ask-1': ADA } });
    const inputResponses = { 'ask-2': { roots: [] } };
    expect(await complete(peer, { requestState: two.requestState, inputResponses })).toEqual([
      { id: 'c1' },
      'Ada',
      0,
    ]);
    expect([charges, runs()]).toEqual([1, 3]);
    // A new call is a new effect.
    await interim(peer);
    expect(charges).toBe(2);
  });

  test.each([null, false, 0, '', undefined])('that returned %j is done too', async (value) => {
    let count = 0;
    const { server } = asking(async (ctx) => {
      await ctx.once('effect', () => {
        count += 1;
        return value;
      });
      await ctx.roots();
    });
    const peer = await open(server);
    const { requestState } = await interim(peer);
    await complete(peer, { requestState, inputResponses: { 'ask-1': { roots: [] } } });
    expect(count).toBe(1);
  });

  test('that is still running when the call ends with a question is waited for', async () => {
    let count = 0;
    const { server } = asking((ctx) =>
      Promise.all([
        ctx.once('slow', async () => {
          await new Promise((resolve) => setImmediate(resolve));
          count += 1;
          return count;
        }),
        ctx.roots(),
      ]),
    );
    const peer = await open(server);
    const { requestState } = await interim(peer);
    expect(count).toBe(1);
    expect(await complete(peer, { requestState, inputResponses: { 'ask-1': { roots: [] } } })).toEqual([
      1,
      [],
    ]);
    expect(count).toBe(1);
  });

  test('asked for twice at the same time runs once', async () => {
    let count = 0;
    const effect = async () => {
      await Promise.resolve();
      count += 1;
      return count;
    };
    const { server } = asking((ctx) =>
      Promise.all([ctx.once('k', effect), ctx.once('k', effect), ctx.once('other', effect)]),
    );
    expect(await complete(await open(server), {})).toEqual([1, 1, 2]);
  });

  test('that failed is tried again', async () => {
    let count = 0;
    const { server } = asking(async (ctx) => {
      const attempt = () => {
        count += 1;
        if (count === 1) throw new Error('first time');
        return count;
      };
      await ctx.once('k', attempt).catch(() => undefined);
      return ctx.once('k', attempt);
    });
    expect(await complete(await open(server), {})).toBe(2);
  });

  test('may have any name', async () => {
    const { server } = asking(async (ctx) => {
      const values = [];
      for (const key of ['__proto__', 'constructor', 'toString', ''])
        values.push(await ctx.once(key, () => `of ${key}`));
      await ctx.roots();
      return values;
    });
    const peer = await open(server);
    const { requestState } = await interim(peer);
    expect(await complete(peer, { requestState, inputResponses: { 'ask-1': { roots: [] } } })).toEqual([
      'of __proto__',
      'of constructor',
      'of toString',
      'of ',
    ]);
  });

  test('whose value is no JSON fails the call that would have to keep it', async () => {
    const { server, errors } = asking(async (ctx) => {
      await ctx.once('big', () => 1n);
      await ctx.roots();
    });
    const peer = await open(server);
    expect(await peer.tool('t')).toMatchObject({ resultType: 'complete', isError: true });
    expect(errors).toEqual([expect.any(TypeError)]);
  });

  test('runs once in a session too', async () => {
    const { server } = asking(async (ctx) => {
      let count = 0;
      await ctx.once('k', () => (count += 1));
      return ctx.once('k', () => (count += 1));
    });
    const peer = await openRevision(server, '2025-11-25');
    expect(textOf(await peer.tool('t'))).toBe('1');
  });
});
