/** The timeline: pairs, filters, paging, files, replay; bounded, and without secrets. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { createDemoServer } from '../../../src/cli/demo/server.js';
import { Timeline } from '../../../src/inspector/timeline/timeline.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { InspectorPage } from '../../support/inspector-page.js';

const tool = (name: string, args: Record<string, unknown> = {}) =>
  ({ kind: 'tool', name, arguments: args }) as const;

async function demo(
  headers: Record<string, string> = {},
): Promise<{ page: InspectorPage; id: string; url: string }> {
  const handle = await createDemoServer().http({ port: 0 });
  onTestFinished(() => handle.close({ drain: 0 }));
  const page = await InspectorPage.open();
  const { id } = await page.connect({ kind: 'url', url: handle.url, headers, name: 'demo' });
  return { page, id, url: handle.url };
}

/** What the messages of these tests have in common. */
const COMMON = {
  server: 's',
  source: 'chain',
  hop: 'client',
  connection: 1,
  transport: 'http',
  streamed: false,
} as const;

describe('what is recorded', () => {
  it('pairs requests with answers, with durations, texts as sent, headers and status', async () => {
    const { page, id } = await demo();
    const outcome = await page.call(id, tool('echo', { message: 'héllo  wörld' }));
    const [request, answer] = await page.messages({ group: outcome.group ?? 0 });
    expect(request).toMatchObject({
      pair: answer?.seq,
      durationMs: answer?.durationMs,
      direction: 'to-server',
    });
    const { messages } = await page.command('timeline.get', { seqs: [request?.seq ?? 0, answer?.seq ?? 0] });
    const [sent, received] = messages;
    expect(JSON.parse(sent?.text ?? '')).toMatchObject({ method: 'tools/call', params: { name: 'echo' } });
    expect(sent?.bytes).toBe(Buffer.byteLength(sent?.text ?? ''));
    expect(sent?.exchange).toMatchObject({ method: 'POST', status: 200 });
    expect(sent?.exchange?.requestHeaders).toContainEqual({
      name: 'mcp-method',
      value: 'tools/call',
      masked: false,
    });
    expect(sent?.exchange?.responseHeaders.map(({ name }) => name.toLowerCase())).toContain('content-type');
    expect(received?.exchange?.id).toBe(sent?.exchange?.id);
    expect(received?.text).toContain('héllo  wörld');
  });

  it('shows sessions: the stream that is opened, and the end', async () => {
    const { page, id } = await demo();
    const revision = REVISIONS.find(({ lifecycle }) => lifecycle === 'handshake')?.version ?? '';
    await page.command('servers.pin', { server: id, revision });
    await page.event(
      'server',
      ({ server }) => server.session?.revision === revision && server.state === 'ready',
    );
    await page.command('servers.disconnect', { server: id });
    const rows = await page.messages({ kinds: ['http'] });
    expect(rows.map(({ http }) => http?.method)).toEqual(expect.arrayContaining(['GET', 'DELETE']));
    const session = await page.command('timeline.get', { seqs: [rows.at(-1)?.seq ?? 0] });
    expect(session.messages[0]?.exchange?.requestHeaders.map(({ name }) => name)).toContain('mcp-session-id');
  });

  it('masks secrets in headers, addresses, fields and texts, and replays what was really sent', async () => {
    const secret = `sk-${'a1B2'.repeat(10)}`;
    const { page, id } = await demo({ 'X-Api-Key': secret, Cookie: `sid=${secret}` });
    const outcome = await page.call(id, tool('echo', { message: `${secret}` }));
    expect(JSON.stringify(outcome)).toContain(secret);
    const rows = await page.messages();
    const { messages } = await page.command('timeline.get', { seqs: rows.map(({ seq }) => seq) });
    expect(messages.length).toBe(rows.length);
    expect(JSON.stringify(messages)).not.toContain(secret);
    expect(messages.filter(({ masked }) => masked).length).toBeGreaterThan(2);
    expect(await page.file('timeline.export', { format: 'jsonl' })).not.toContain(secret);
    expect(await page.file('timeline.export', { format: 'har' })).not.toContain(secret);
    const again = await page.command('timeline.replay', { callId: 'again', seq: outcome.group ?? 0 });
    expect(JSON.stringify(again)).toContain(secret);
    expect(JSON.stringify(page.events)).not.toContain(secret);
  });

  it('can be paused and cleared', async () => {
    const { page, id } = await demo();
    expect(await page.command('timeline.record', { recording: false })).toMatchObject({ recording: false });
    const before = (await page.messages()).length;
    await page.call(id, tool('add', { a: 1, b: 2 }));
    expect((await page.messages()).length).toBe(before);
    await page.command('timeline.record', { recording: true });
    expect(await page.command('timeline.clear', {})).toMatchObject({ messages: 0, first: 0, last: 0 });
    await page.call(id, tool('add', { a: 1, b: 2 }));
    const rows = await page.messages();
    expect(rows.length).toBeGreaterThanOrEqual(2);
    expect(rows[0]?.seq).toBeGreaterThan(before);
  });
});

describe('queries', () => {
  it('filter by kind, method, text, failure, direction and duration', async () => {
    const { page, id } = await demo();
    await page.call(id, tool('add', { a: 1, b: 2 }));
    await page.call(id, tool('fail'));
    await page.call(id, tool('wait', { seconds: 0.2 }));
    expect((await page.messages({ failedOnly: true })).map(({ subject }) => subject)).toEqual(['fail']);
    expect((await page.messages({ text: 'WAIT seconds' })).map(({ kind }) => kind)).toContain('request');
    const slow = await page.messages({ slowerThanMs: 200, methods: ['tools/'] });
    expect(slow.map(({ kind, subject }) => `${kind} ${subject}`)).toEqual(['request wait', 'result wait']);
    const sent = await page.messages({
      directions: ['to-server'],
      kinds: ['request'],
      methods: ['tools/call'],
    });
    expect(sent.map(({ subject }) => subject)).toEqual(['add', 'fail', 'wait']);
    expect(await page.messages({ servers: ['nobody'] })).toEqual([]);
    const last = sent.at(-1)?.seq ?? 0;
    const { offset } = await page.command('timeline.locate', {
      filter: { methods: ['tools/call'] },
      seq: last,
    });
    expect(offset).toBe(4);
    expect(await page.command('timeline.locate', { seq: 999_999 })).toEqual({ offset: null });
    expect(
      await page.refusal('timeline.query', { filter: { kinds: ['bad' as 'http'] }, offset: 0, limit: 1 }),
    ).toMatchObject({ status: 400 });
  });

  it('page through a hundred thousand messages, and the oldest go first', () => {
    const timeline = new Timeline(
      { touched: () => {}, changed: () => {} },
      { maxMessages: 100_000, maxBytes: 1e9, maxTextCharacters: 10 },
    );
    for (let index = 1; index <= 150_000; index += 1) {
      const kind = index % 10 === 0 ? 'notification' : 'request';
      timeline.add({
        ...COMMON,
        at: index,
        direction: 'to-server',
        kind,
        failed: false,
        text: `{"n":${index}}`,
      });
    }
    expect(timeline.totals()).toMatchObject({
      messages: 100_000,
      first: 50_001,
      last: 150_000,
      dropped: 50_000,
    });
    expect(timeline.get(50_000)).toBeUndefined();
    const filter = { kinds: ['notification'] } as const;
    expect(
      timeline
        .query({ filter, offset: 9_990, limit: 50 })
        .messages.map(({ seq }) => seq)
        .at(-1),
    ).toBe(150_000);
    for (let offset = 0; offset < 10_000; offset += 100) {
      const { total, messages } = timeline.query({ filter, offset, limit: 100 });
      expect([total, messages.length]).toEqual([10_000, 100]);
    }
    expect(timeline.get(150_000)).toMatchObject({
      truncated: true,
      text: '{"n":15000... [2 more characters were not kept]',
    });
  });

  it('are bounded in bytes too', () => {
    const timeline = new Timeline(
      { touched: () => {}, changed: () => {} },
      { maxMessages: 1_000, maxBytes: 4_000, maxTextCharacters: 400 },
    );
    for (let index = 0; index < 10; index += 1) {
      timeline.add({
        ...COMMON,
        at: 0,
        direction: 'to-server',
        kind: 'request',
        failed: false,
        text: 'x'.repeat(900),
      });
    }
    // A text with its note, and the record around it.
    const each = 400 + '... [500 more characters were not kept]'.length + 1_024;
    expect(timeline.totals()).toMatchObject({ messages: 2, bytes: 2 * each, dropped: 8 });
  });
});

describe('files', () => {
  it('come back as they were: JSON lines', async () => {
    const { page, id } = await demo();
    const running = page.call(id, tool('book_table'));
    const { ask } = await page.event('ask');
    const answer = { kind: 'form', result: { action: 'accept', content: { confirmed: true } } } as const;
    await page.command('asks.answer', { id: ask.id, answer });
    await running;
    const rows = await page.messages();
    const text = await page.file('timeline.export', { format: 'jsonl' });
    const other = await InspectorPage.open();
    const summary = await other.command('timeline.import', { name: 'a.jsonl', text: `${text}nonsense\n` });
    expect(summary).toMatchObject({ messages: rows.length, skipped: 1, servers: ['demo (imported)'] });
    const imported = await other.messages();
    const shape = (list: typeof rows) => {
      const first = list[0]?.seq ?? 0;
      return list.map(({ kind, method, group, pair, round, durationMs, http }) => ({
        kind,
        method,
        group: group - first,
        pair: pair === undefined ? undefined : pair - first,
        round,
        slow: Math.round(durationMs ?? 0),
        status: http?.status,
      }));
    };
    expect(shape(imported)).toEqual(shape(rows));
    expect(imported[0]).toMatchObject({ source: 'import', server: 'demo (imported)' });
    expect(await other.refusal('timeline.import', { name: 'b', text: 'nothing' })).toMatchObject({
      status: 400,
    });
  });

  it('HAR holds the exchanges, and is read back into messages', async () => {
    const { page, id, url } = await demo();
    await page.call(id, tool('count', { to: 2, delayMs: 1 }));
    const text = await page.file('timeline.export', {
      format: 'har',
      filter: { methods: ['tools/call', 'notifications/progress'] },
    });
    const { log } = JSON.parse(text);
    expect(log.version).toBe('1.2');
    const [entry] = log.entries;
    expect(entry.request).toMatchObject({ method: 'POST', url });
    expect(JSON.parse(entry.request.postData.text)).toMatchObject({ method: 'tools/call' });
    expect(entry.response).toMatchObject({ status: 200, content: { mimeType: 'text/event-stream' } });
    const other = await InspectorPage.open();
    await other.command('timeline.import', { name: 'traffic.har', text });
    const imported = await other.messages();
    expect(imported.map(({ kind, method }) => `${kind} ${method}`)).toEqual([
      'request tools/call',
      'notification notifications/progress',
      'notification notifications/progress',
      'result tools/call',
    ]);
    expect(new Set(imported.map(({ group }) => group)).size).toBe(1);
  });

  it('of chosen messages only', async () => {
    const { page } = await demo();
    const [first] = await page.messages();
    const text = await page.file('timeline.export', { format: 'jsonl', seqs: [first?.seq ?? 0] });
    expect(text.trim().split('\n')).toHaveLength(2);
  });
});

describe('replay', () => {
  it('sends a recorded call again, as it was and with other params', async () => {
    const { page, id } = await demo();
    const first = await page.call(id, tool('add', { a: 1, b: 2 }));
    const same = await page.command('timeline.replay', { callId: 'same', seq: first.group ?? 0 });
    expect(same).toMatchObject({ ok: true, result: { structuredContent: { sum: 3 } } });
    const params = { name: 'add', arguments: { a: 20, b: 2 } };
    const other = await page.command('timeline.replay', { callId: 'other', seq: first.group ?? 0, params });
    expect(other).toMatchObject({ ok: true, result: { structuredContent: { sum: 22 } } });
    expect(other.group).not.toBe(first.group);
  });

  it('sends an imported call to a server of choice', async () => {
    const { page, id } = await demo();
    const first = await page.call(id, tool('add', { a: 1, b: 2 }));
    const text = await page.file('timeline.export', { format: 'jsonl', filter: { group: first.group ?? 0 } });
    const summary = await page.command('timeline.import', { name: 'x', text });
    const again = await page.command('timeline.replay', { callId: 'x', seq: summary.first, server: id });
    expect(again).toMatchObject({ ok: true, result: { structuredContent: { sum: 3 } } });
    expect(await page.refusal('timeline.replay', { callId: 'y', seq: summary.first })).toMatchObject({
      status: 404,
    });
  });

  it('refuses what belongs to the connection', async () => {
    const { page } = await demo();
    const [discover] = await page.messages({ methods: ['server/discover'] });
    expect(await page.refusal('timeline.replay', { callId: 'z', seq: discover?.seq ?? 0 })).toMatchObject({
      status: 400,
    });
  });
});
