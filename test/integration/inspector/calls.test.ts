/** Using a server from the page: calls, progress, cancellation, questions, subscriptions, logs. */

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDemoServer } from '../../../src/cli/demo/server.js';
import { HANDSHAKE_REVISIONS, REVISIONS } from '../../../src/protocol/revisions/index.js';
import { InspectorPage } from '../../support/inspector-page.js';

const NEWEST = REVISIONS.at(-1)?.version ?? '';
const LAST_HANDSHAKE = HANDSHAKE_REVISIONS.at(-1)?.version ?? '';
const ERAS = [LAST_HANDSHAKE, NEWEST];
const tool = (name: string, args: Record<string, unknown> = {}) =>
  ({ kind: 'tool', name, arguments: args }) as const;

async function demo(revision: string): Promise<{ page: InspectorPage; id: string }> {
  const handle = await createDemoServer().http({ port: 0 });
  onTestFinished(() => handle.close({ drain: 0 }));
  const page = await InspectorPage.open();
  const { id } = await page.connect({ kind: 'url', url: handle.url, revision });
  return { page, id };
}

describe.each(ERAS)('in revision %s', (revision) => {
  it('tells the progress of a call and groups its messages', async () => {
    const { page, id } = await demo(revision);
    const outcome = await page.call(id, tool('count', { to: 3, delayMs: 1 }), 'counting');
    expect(outcome).toMatchObject({ ok: true, callId: 'counting' });
    const told = page.events.filter((event) => event.type === 'callProgress');
    expect(told.at(-1)).toMatchObject({ callId: 'counting', progress: { progress: 3, total: 3 } });
    const group = await page.messages({ group: outcome.group ?? 0 });
    expect(
      group.map(({ method }) => method).filter((method) => method === 'notifications/progress'),
    ).toHaveLength(3);
    expect(group[0]).toMatchObject({ kind: 'request', subject: 'count', pair: group.at(-1)?.seq });
  });

  it('cancels a call', async () => {
    const { page, id } = await demo(revision);
    const running = page.call(id, tool('wait', { seconds: 600 }), 'waiting');
    await page.event('callStarted', ({ call }) => call.callId === 'waiting');
    await expect.poll(() => page.messages({ methods: ['tools/call'] }).then(({ length }) => length)).toBe(1);
    expect(await page.command('calls.cancel', { callId: 'waiting' })).toEqual({ cancelled: true });
    expect(await running).toMatchObject({ ok: false, cancelled: true });
    expect(await page.command('calls.cancel', { callId: 'waiting' })).toEqual({ cancelled: false });
    const waiting = async (): Promise<number[]> =>
      (await page.command('figures.get', {})).figures.map((figure) => figure.waiting);
    await expect.poll(waiting).toEqual([0]);
  });

  it('asks the person with a form, and groups the rounds of the call', async () => {
    const { page, id } = await demo(revision);
    const running = page.call(id, tool('book_table', { guests: 4 }), 'booking');
    const { ask } = await page.event('ask');
    expect(ask).toMatchObject({
      kind: 'form',
      server: id,
      callId: 'booking',
      about: { subject: 'book_table' },
    });
    const answer = { kind: 'form', result: { action: 'accept', content: { confirmed: true } } } as const;
    expect(await page.command('asks.answer', { id: ask.id, answer })).toEqual({ accepted: true });
    const outcome = await running;
    expect(JSON.stringify(outcome)).toContain('is confirmed');
    expect(await page.command('asks.answer', { id: ask.id, answer })).toEqual({ accepted: false });
    const group = await page.messages({ group: outcome.group ?? 0 });
    const rounds = group.filter(({ kind, method }) => kind === 'request' && method === 'tools/call');
    if (revision === NEWEST) {
      expect(rounds.map(({ round }) => round)).toEqual([1, 2]);
      expect(group.find(({ asksForInput }) => asksForInput)).toMatchObject({ kind: 'result', round: 1 });
    } else {
      expect(rounds).toHaveLength(1);
      expect(group.find(({ method }) => method === 'elicitation/create')).toMatchObject({
        direction: 'to-client',
      });
    }
  });

  it('asks the person for an answer of the model, and takes no for an answer', async () => {
    const { page, id } = await demo(revision);
    const running = page.call(id, tool('ask_model'));
    const { ask } = await page.event('ask');
    expect(ask).toMatchObject({ kind: 'sampling', params: { systemPrompt: 'Answer in one sentence.' } });
    const result = {
      role: 'assistant',
      model: 'me',
      content: { type: 'text', text: 'A weight on a string.' },
    } as const;
    await page.command('asks.answer', { id: ask.id, answer: { kind: 'sampling', result } });
    expect(JSON.stringify(await running)).toContain('me answered: A weight on a string.');
    page.events.length = 0;
    const refused = page.call(id, tool('ask_model'));
    const second = await page.event('ask');
    await page.command('asks.answer', { id: second.ask.id, answer: { kind: 'refuse', message: 'No.' } });
    expect(JSON.stringify(await refused)).toMatch(/"isError":true|"ok":false/);
  });

  it('answers with the roots of the editor, or asks for them', async () => {
    const { page, id } = await demo(revision);
    const roots = [{ uri: 'file:///work', name: 'work' }];
    const set = await page.command('servers.roots', { server: id, roots, ask: false });
    expect(set.roots).toEqual({ roots, ask: false });
    expect(JSON.stringify(await page.call(id, tool('ask_roots')))).toContain('work: file:///work');
    await page.command('servers.roots', { server: id, roots, ask: true });
    const running = page.call(id, tool('ask_roots'));
    const { ask } = await page.event('ask');
    expect(ask).toMatchObject({ kind: 'roots', current: roots });
    const answer = { kind: 'roots', roots: [{ uri: 'file:///elsewhere' }] } as const;
    await page.command('asks.answer', { id: ask.id, answer });
    expect(JSON.stringify(await running)).toContain('file:///elsewhere');
  });

  it('tells of updates of a resource that is subscribed to, and of lists that changed', async () => {
    const { page, id } = await demo(revision);
    const view = await page.command('resources.subscribe', { server: id, uri: 'demo://note' });
    expect(view.subscriptions).toEqual(['demo://note']);
    await page.call(id, tool('write_note', { text: 'one' }));
    expect(await page.event('resourceUpdated')).toMatchObject({ server: id, uri: 'demo://note' });
    page.events.length = 0;
    await page.call(id, tool('toggle_bonus'));
    await page.event('changed', ({ areas }) => areas.includes('tools'));
    await expect
      .poll(async () => {
        const { tools } = await page.command('catalogue.get', { server: id });
        return tools.items.map(({ name }) => name);
      })
      .toContain('bonus');
    const after = await page.command('resources.unsubscribe', { server: id, uri: 'demo://note' });
    expect(after.subscriptions).toEqual([]);
  });

  it('completes arguments, gets prompts, reads resources and sends any request', async () => {
    const { page, id } = await demo(revision);
    const { values } = await page.command('completion.complete', {
      server: id,
      ref: { type: 'ref/prompt', name: 'review' },
      argument: { name: 'framework', value: '' },
      settled: { language: 'rust' },
    });
    expect(values).toEqual(['axum', 'rocket']);
    const prompt = await page.call(id, { kind: 'prompt', name: 'review', arguments: { code: 'let x' } });
    expect(prompt).toMatchObject({ ok: true });
    const read = await page.call(id, { kind: 'resource', uri: 'demo://cities/italy/pisa' });
    expect(JSON.stringify(read)).toContain('demo://cities/italy/pisa');
    const raw = await page.call(id, { kind: 'raw', method: 'tools/list', params: {} });
    expect(raw).toMatchObject({ ok: true, result: { tools: expect.any(Array) } });
    const unknown = await page.call(id, { kind: 'raw', method: 'no/such', params: {} });
    expect(unknown).toMatchObject({ ok: false, failure: { rpcCode: -32601 } });
  });

  it('shows the log of the server at the level asked for', async () => {
    const { page, id } = await demo(revision);
    await page.command('servers.logLevel', { server: id, level: 'warning' });
    await page.call(id, tool('log', { message: 'uh oh' }));
    await page.event('logs', ({ entries }) => entries.some(({ level }) => level === 'error'));
    const levels = page.events.flatMap((event) =>
      event.type === 'logs' ? event.entries.map(({ level }) => level) : [],
    );
    expect(levels).toEqual(['warning', 'error']);
  });
});

it('withdraws a question when its call is cancelled', async () => {
  const { page, id } = await demo(NEWEST);
  const running = page.call(id, tool('book_table'), 'booking');
  const { ask } = await page.event('ask');
  await page.command('calls.cancel', { callId: 'booking' });
  expect(await page.event('askEnded')).toMatchObject({ id: ask.id, how: 'withdrawn' });
  expect(await running).toMatchObject({ ok: false, cancelled: true });
});

it('keeps saved calls in a file of the user alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plumb-saved-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const savedCalls = join(folder, 'deep', 'inspector.json');
  const handle = await createDemoServer().http({ port: 0 });
  onTestFinished(() => handle.close({ drain: 0 }));
  const page = await InspectorPage.open({ savedCalls });
  const { id } = await page.connect({ kind: 'url', url: handle.url, name: 'demo' });
  const target = tool('add', { a: 1, b: 2 });
  const saved = await page.command('calls.save', { name: 'sum', server: id, target });
  expect(saved).toMatchObject({ name: 'sum', server: 'demo', target });
  expect(statSync(savedCalls).mode & 0o777).toBe(0o600);
  const later = await InspectorPage.open({ savedCalls });
  expect((await later.event('hello')).snapshot.saved).toEqual([saved]);
  await later.command('calls.forget', { id: saved.id });
  expect(JSON.parse(readFileSync(savedCalls, 'utf8'))).toEqual({ calls: [] });
});
