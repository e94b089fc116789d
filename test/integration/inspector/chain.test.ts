/** A chain of this process, watched on both of its sides. */

import { createChain } from 'plumb-mcp/chain';
import { connect } from 'plumb-mcp/client';
import { expect, it, onTestFinished } from 'vitest';
import { createDemoServer } from '../../../src/cli/demo/server.js';
import { createInspector, listenInspector } from '../../../src/inspector/inspector.js';
import { ChainWatch } from '../../../src/inspector/watch-chain.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { sendTo } from '../../support/http-target.js';
import { InspectorPage } from '../../support/inspector-page.js';
import { LegacyPeer } from '../../support/legacy-peer.js';

async function watched(): Promise<{ page: InspectorPage; url: string; origin: string }> {
  const inspector = createInspector();
  const watch = new ChainWatch(inspector.core, 'Shop');
  const serving = createChain().to(watch.wrap({ demo: createDemoServer() }));
  const handle = await serving.http({ port: 0, ...{ tap: watch.tap }, legacySse: true });
  const listener = await listenInspector(inspector, 0);
  onTestFinished(async () => {
    await listener.close();
    await serving.close({ drain: 0 });
  });
  return { page: await InspectorPage.at(listener.url), url: handle.url, origin: handle.origin };
}

it.each(REVISIONS.map(({ version }) => version))(
  'shows a call of a client that speaks %s hop by hop, with figures',
  async (revision) => {
    const { page, url } = await watched();
    const { snapshot } = await page.event('hello');
    expect(snapshot.chains).toMatchObject([{ name: 'Shop', upstreams: ['demo'] }]);
    const client = await connect(url, { revisions: [revision] });
    onTestFinished(() => client.close());
    await client.tools.call('count', { to: 2, delayMs: 1 }, { onProgress: () => {} });
    const calls = await page.messages({ methods: ['tools/call'], kinds: ['request'] });
    expect(calls.map(({ hop, upstream, revision: spoken }) => ({ hop, upstream, spoken }))).toEqual([
      { hop: 'client', upstream: undefined, spoken: revision },
      { hop: 'upstream', upstream: 'demo', spoken: REVISIONS.at(-1)?.version },
    ]);
    // Both hops are one group, with the progress that passed through.
    const group = await page.messages({ group: calls[0]?.group ?? 0 });
    expect(group.filter(({ method }) => method === 'notifications/progress').map(({ hop }) => hop)).toEqual([
      'upstream',
      'client',
      'upstream',
      'client',
    ]);
    expect(group.at(-1)).toMatchObject({ kind: 'result', hop: 'client', pair: calls[0]?.seq });
    const { messages } = await page.command('timeline.get', { seqs: [calls[0]?.seq ?? 0] });
    const sent = messages[0]?.exchange?.requestHeaders.map(({ name }) => name.toLowerCase());
    expect(sent).toContain('accept');
    const { figures } = await page.command('figures.get', {});
    const sides = figures.map(({ hop, upstream, failures }) => `${hop} ${upstream ?? ''} ${failures}`);
    expect(sides).toEqual(expect.arrayContaining(['client  0', 'upstream demo 0']));
    expect(figures.every(({ latency }) => latency !== undefined && latency.p50 <= latency.max)).toBe(true);
    await page.event('figures');
  },
);

it('shows refusals, and clients of the old HTTP+SSE transport', async () => {
  const { page, origin } = await watched();
  const answer = await sendTo(origin, { headers: { host: 'evil.example' }, body: '{}' });
  expect(answer.status).toBe(403);
  expect(await page.messages({ kinds: ['http'], failedOnly: true })).toMatchObject([
    { hop: 'client', http: { status: 403 } },
  ]);
  const peer = await LegacyPeer.open({ send: (call) => sendTo(origin, call) });
  onTestFinished(() => peer.stream.drop());
  await peer.initialize();
  await expect
    .poll(() =>
      page.messages({ methods: ['initialize'] }).then((rows) => rows.map(({ transport }) => transport)),
    )
    .toEqual(['sse', 'sse']);
});

it('shows a call that its client gave up as cancelled, and no failure', async () => {
  const { page, url } = await watched();
  const client = await connect(url);
  const giveUp = new AbortController();
  const call = client.tools.call('wait', { seconds: 60 }, { signal: giveUp.signal });
  const rejected = expect(call).rejects.toMatchObject({ code: 'cancelled' });
  await expect
    .poll(() => page.messages({ methods: ['tools/call'], kinds: ['request'] }).then((rows) => rows.length))
    .toBe(2);
  giveUp.abort();
  await rejected;
  await expect
    .poll(() =>
      page
        .messages({ methods: ['tools/call'], kinds: ['request'] })
        .then((rows) => rows.map(({ hop, status }) => `${hop} ${status}`)),
    )
    .toEqual(['client cancelled', 'upstream cancelled']);
  const { figures } = await page.command('figures.get', {});
  expect(figures.map(({ failures }) => failures)).toEqual(figures.map(() => 0));
  await client.close();
});

it('shows a call of the inspector itself through a chain as one exchange', async () => {
  const { page, url } = await watched();
  const { id } = await page.connect({ kind: 'url', url, name: 'shop' });
  await page.call(id, { kind: 'tool', name: 'add', arguments: { a: 1, b: 2 } });
  const { messages } = await page.command('timeline.query', {
    filter: { methods: ['tools/call'] },
    rows: 'exchanges',
    offset: 0,
    limit: 100,
  });
  expect(messages).toMatchObject([
    { hop: 'direct', status: 'ok', upstreams: ['demo'], answer: { preview: '{"sum":3}' } },
    { hop: 'client', status: 'ok' },
    { hop: 'upstream', status: 'ok', upstream: 'demo' },
  ]);
  expect(new Set(messages.map(({ group }) => group)).size).toBe(1);
});
