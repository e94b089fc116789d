/** What questions are made of is loaded with the first one of a process: to clients it looks like every later one. */

import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Context, Server } from '../../../src/server/index.js';
import { ADA, CAPABILITIES, FORM } from '../../support/input-rounds.js';
import { openRevision, type RevisionPeer, textOf } from '../../support/wire-peer.js';

const QUESTIONS = '../../../src/server/questions.js';
const HANDSHAKE = '2025-11-25';
const STATELESS = '2026-07-28';

beforeEach(() => {
  // Nothing of the server is loaded yet.
  vi.resetModules();
});

async function serve(handler: (ctx: Context) => Promise<unknown>): Promise<Server> {
  const { createServer } = await import('../../../src/server/index.js');
  const server = createServer({ name: 's', version: '1', onError: () => {} });
  server.tool('t', {}, async (_args, ctx) => JSON.stringify(await handler(ctx)));
  return server;
}

/** What comes with a call, without its end. */
async function methodsOf(peer: RevisionPeer): Promise<(string | undefined)[]> {
  const before = peer.wire.received.length;
  await peer.call('tools/call', { name: 't' });
  return peer.wire.received
    .slice(before)
    .map(({ method, params }) => `${method ?? 'answer'} ${params?.data ?? ''}`);
}

describe('the first question of a process', () => {
  test('goes out between what was logged before it and after it, like the next one', async () => {
    const server = await serve(async (ctx) => {
      ctx.log('warning', 'before');
      const answer = ctx.elicit('Who?', FORM);
      ctx.log('warning', 'after');
      return (await answer).action;
    });
    const peer = await openRevision(server, HANDSHAKE, { capabilities: CAPABILITIES });
    peer.wire.respond('elicitation/create', () => ADA);
    const first = await methodsOf(peer);
    expect(first).toEqual([
      'notifications/message before',
      'elicitation/create ',
      'notifications/message after',
      'answer ',
    ]);
    expect(await methodsOf(peer)).toEqual(first);
  });

  test('is put before the answer of a handler that does not wait for it', async () => {
    const server = await serve(async (ctx) => {
      void ctx.roots().catch(() => {});
      return 'done';
    });
    const peer = await openRevision(server, HANDSHAKE, { capabilities: CAPABILITIES });
    peer.wire.respond('roots/list', () => ({ roots: [] }));
    const first = await methodsOf(peer);
    expect(first).toEqual(['roots/list ', 'answer ']);
    expect(await methodsOf(peer)).toEqual(first);
  });

  test('has the same name as in later runs, whatever is asked in the meantime', async () => {
    const server = await serve(async (ctx) => {
      const name = ctx.elicit('Who?', FORM);
      const roots = Promise.resolve().then(() => ctx.roots());
      return Promise.all([name, roots]);
    });
    const peer = await openRevision(server, STATELESS, { capabilities: CAPABILITIES });
    const asked = async (): Promise<unknown> => {
      const { inputRequests } = await peer.call('tools/call', { name: 't' });
      return Object.entries(inputRequests as Record<string, { method: string }>).map(
        ([key, { method }]) => `${key} ${method}`,
      );
    };
    const first = await asked();
    expect(first).toEqual(['ask-1 elicitation/create', 'ask-2 roots/list']);
    expect(await asked()).toEqual(first);
  });

  test('throws at once where it cannot be put into words', async () => {
    let thrown: unknown;
    const server = await serve(async (ctx) => {
      try {
        void ctx.elicit('Who?', { type: 'object', properties: { a: { type: 'object' } } });
      } catch (error) {
        thrown = error;
      }
    });
    const peer = await openRevision(server, STATELESS, { capabilities: CAPABILITIES });
    await peer.call('tools/call', { name: 't' });
    expect(thrown).toBeInstanceOf(Error);
  });

  test.each([HANDSHAKE, STATELESS])(
    'fails its call where loading fails, and not the next one, in %s',
    async (version) => {
      const server = await serve(async (ctx) => (await ctx.roots()).length);
      const peer = await openRevision(server, version, { capabilities: CAPABILITIES });
      peer.wire.respond('roots/list', () => ({ roots: [] }));
      vi.doMock(QUESTIONS, () => {
        throw new Error('The file is gone');
      });
      const failed = await peer.call('tools/call', { name: 't' });
      expect(failed.isError).toBe(true);
      vi.doUnmock(QUESTIONS);
      const next = await peer.call('tools/call', { name: 't' });
      if (version === STATELESS) expect(next.resultType).toBe('input_required');
      else expect(textOf(next)).toBe('0');
    },
  );
});
