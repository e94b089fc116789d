/**
 * Whatever comes in, what goes out is JSON-RPC, nothing becomes an unhandled rejection, and the next valid request
 * is answered: in every revision.
 */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createServer, type Server } from '../../../src/server/index.js';
import { anyText } from '../../support/arbitraries.js';
import { openOn, type RevisionPeer, textOf, VERSIONS, WirePeer } from '../../support/wire-peer.js';

const unhandled: unknown[] = [];
const remember = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', remember);
});
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', remember);
  expect(unhandled).toEqual([]);
});

function demo(): Server {
  const server = createServer({ name: 's', version: '1', pageSize: 2, onError: () => {} });
  server.tool(
    'echo',
    { input: { type: 'object', properties: { text: { type: 'string' } } } },
    ({ text }) => text ?? '',
  );
  server.tool('ask', {}, async (_args, ctx) => JSON.stringify(await ctx.roots()));
  server.tool('fail', {}, () => {
    throw new Error('x');
  });
  const input = { type: 'object', properties: { who: { type: 'string' } } } as const;
  server.prompt('greet', { input, complete: { who: (value) => [value] } }, () => 'hi');
  server.resource('test:fixed', {}, () => 'x');
  server.resource('test:item/{id}{?page*}', {}, ({ variables }) => JSON.stringify(variables));
  return server;
}

/** Valid calls of every kind, to be bent out of shape. */
const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  [
    'initialize',
    { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  ],
  ['ping', {}],
  ['server/discover', {}],
  ['tools/list', { cursor: btoa('tool:2') }],
  ['tools/call', { name: 'echo', arguments: { text: 'x' }, _meta: { progressToken: 1 } }],
  ['tools/call', { name: 'ask', inputResponses: { 'ask-1': { roots: [] } }, requestState: 'p1.AAAA.AAAA' }],
  ['tools/call', { name: 'fail' }],
  ['prompts/get', { name: 'greet', arguments: { who: 'x' } }],
  ['prompts/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri: 'test:item/5?page=1' }],
  ['resources/subscribe', { uri: 'test:fixed' }],
  ['resources/unsubscribe', { uri: 'test:fixed' }],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'x' } },
  ],
  ['logging/setLevel', { level: 'debug' }],
  [
    'subscriptions/listen',
    { notifications: { toolsListChanged: true, resourceSubscriptions: ['test:fixed'] } },
  ],
  ['notifications/initialized', {}],
  ['notifications/cancelled', { requestId: 1, reason: 'x' }],
  ['notifications/progress', { progressToken: 1, progress: 1 }],
  ['$/cancelRequest', { id: 1 }],
  ['roots/list', {}],
];

/** A JSON value with some of its parts replaced by anything. */
function bent(value: unknown): fc.Arbitrary<unknown> {
  const junk = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>(null, '', [], {}, 0, -1, 1e308, '__proto__'),
  );
  if (typeof value !== 'object' || value === null) {
    return fc.oneof({ weight: 6, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: junk });
  }
  const entries = Object.entries(value).map(([key, item]) =>
    fc.tuple(
      fc.oneof({ weight: 12, arbitrary: fc.constant(key) }, { weight: 1, arbitrary: fc.string() }),
      bent(item),
      fc.integer({ min: 0, max: 14 }),
    ),
  );
  const object = fc
    .tuple(...entries)
    .map((parts) =>
      Object.fromEntries(parts.filter(([, , drop]) => drop !== 0).map(([key, item]) => [key, item])),
    );
  return fc.oneof({ weight: 12, arbitrary: object }, { weight: 1, arbitrary: junk });
}

const message = (meta: unknown): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...CALLS),
      fc.oneof(fc.integer({ min: 1, max: 9 }), fc.string({ maxLength: 3 }), fc.constant(undefined)),
    )
    .chain(([[method, params], id]) =>
      bent({
        jsonrpc: '2.0',
        ...(id === undefined ? {} : { id }),
        method,
        params:
          meta === undefined
            ? params
            : { ...params, _meta: { ...(params._meta as object | undefined), ...(meta as object) } },
      }),
    )
    .map((value) => JSON.stringify(value));

const answer: fc.Arbitrary<string> = bent({ jsonrpc: '2.0', id: 1, result: { roots: [] } }).map((value) =>
  JSON.stringify(value),
);
const batch = (meta: unknown) =>
  fc.array(message(meta), { maxLength: 4 }).map((texts) => `[${texts.join(',')}]`);
const cut = (texts: fc.Arbitrary<string>) =>
  fc.tuple(texts, fc.nat(200)).map(([text, length]) => text.slice(0, length));

async function expectAlive(peer: RevisionPeer): Promise<void> {
  // The validator of this tool may still be loading when the first one asks: that too is an answer to wait for.
  expect(textOf(await peer.tool('echo', { text: 'alive' }))).toBe('alive');
}

describe.each(VERSIONS)('a server of %s', (version) => {
  test('answers the next request after any text', async () => {
    const peer = await openOn(await WirePeer.connect(demo()), version);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(anyText, fc.json({ maxDepth: 3 })), { maxLength: 4 }),
        async (texts) => {
          for (const text of texts) peer.wire.send(text);
          await expectAlive(peer);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('answers the next request after any bent message', async () => {
    const server = demo();
    const capabilities = { roots: {}, sampling: {}, elicitation: {} };
    const meta =
      version === '2026-07-28'
        ? (await openOn(await WirePeer.connect(server), version, { capabilities })).params()._meta
        : undefined;
    const text = fc.oneof(
      { weight: 8, arbitrary: message(meta) },
      { weight: 1, arbitrary: answer },
      { weight: 1, arbitrary: batch(meta) },
      { weight: 1, arbitrary: cut(message(meta)) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 8 }), async (texts) => {
        // A connection of its own: an earlier message may have cancelled, subscribed or listened there.
        const peer = await openOn(await WirePeer.connect(server), version, { capabilities });
        for (const sent of texts) peer.wire.send(sent);
        server.listChanged('tools');
        server.resourceUpdated('test:fixed');
        await expectAlive(peer);
        await peer.wire.close();
      }),
      { numRuns: 150 },
    );
  });
});

test('a connection that was never opened survives anything too', async () => {
  const server = demo();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(anyText, message(undefined)), { maxLength: 6 }), async (texts) => {
      const wire = await WirePeer.connect(server);
      for (const text of texts) wire.send(text);
      await expectAlive(await openOn(wire, '2026-07-28'));
      await wire.close();
    }),
    { numRuns: 100 },
  );
});
