/** What tests are written with: clients, fakes, faults, recordings, time. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { connect } from 'plumb-mcp/client';
import { PROTOCOL_REVISIONS } from 'plumb-mcp/protocol';
import { createServer } from 'plumb-mcp/server';
import {
  createFakeServer,
  createFaultyTransport,
  createTestClient,
  createVirtualClock,
  mcpMatchers,
  mcpTest,
  recordTraffic,
  replayTraffic,
} from 'plumb-mcp/testing';
import { describe, expect, test } from 'vitest';
import type { InjectedFault } from '../../../src/testing/kit/faulty-transport.js';

const versions = PROTOCOL_REVISIONS.map(({ version }) => version);

function greeter() {
  const server = createServer({ name: 'greeter', version: '1' });
  server.tool(
    'greet',
    { input: { type: 'object', properties: { name: { type: 'string' } } } },
    ({ name }) => `Hello, ${name}`,
  );
  server.tool('ask', { requires: { elicitation: {} } }, async (_args, ctx) => {
    const answer = await ctx.elicit('Your name?', {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
    });
    return answer.action === 'accept' ? answer.content.name : answer.action;
  });
  return server;
}

describe('createTestClient', () => {
  test.each(versions)('calls a server of this process in %s', async (revision) => {
    await using client = await createTestClient(greeter(), { revision });
    expect(client.revision).toBe(revision);
    expect(await client.text('greet', { name: 'Ada' })).toBe('Hello, Ada');
    expect(client.traffic.sent.some(({ method }) => method === 'tools/call')).toBe(true);
    expect(client.faults).toEqual([]);
  });

  test('answers questions by its script, and keeps them', async () => {
    await using client = await createTestClient(greeter(), {
      answers: { elicit: [{ name: 'Ada' }, 'decline'] },
    });
    expect(await client.text('ask')).toBe('Ada');
    expect(await client.text('ask')).toBe('decline');
    expect(client.asked.map(({ message }) => message)).toEqual(['Your name?', 'Your name?']);
  });

  test('tests servers of the official SDK', async () => {
    const server = new McpServer({ name: 'sdk', version: '1' });
    server.registerTool('ping', {}, () => ({ content: [{ type: 'text', text: 'pong' }] }));
    await using client = await createTestClient(server);
    expect(await client.text('ping')).toBe('pong');
  });

  test('rejects with the words of a tool that failed', async () => {
    await using client = await createTestClient(createFakeServer({ tools: { fail: new Error('No luck') } }));
    await expect(client.text('fail')).rejects.toThrow('The tool fail failed: No luck');
  });
});

describe('createFakeServer', () => {
  test('answers as it is told, in turn, and keeps the calls', async () => {
    const server = createFakeServer({
      tools: { search: ({ query }: { query: string }) => `about ${query}`, count: { results: [1, 2] } },
      resources: { 'doc://1': 'A document' },
      prompts: { greet: ({ name }: { name: string }) => `Greet ${name}` },
    });
    const client = await connect(server);
    expect(await client.tools.call('search', { query: 'x' })).toMatchObject({
      content: [{ text: 'about x' }],
    });
    for (const text of ['1', '2', '2'])
      expect(await client.tools.call('count')).toMatchObject({ content: [{ text }] });
    expect(await client.resources.read('doc://1')).toMatchObject({ contents: [{ text: 'A document' }] });
    expect(await client.prompts.get('greet', { name: 'Ada' })).toMatchObject({
      messages: [{ content: { text: 'Greet Ada' } }],
    });
    expect(server.callsOf('search')).toEqual([{ kind: 'tool', name: 'search', args: { query: 'x' } }]);
    expect(server.calls).toHaveLength(6);
    await client.close();
    await server.close();
  });
});

describe('createFaultyTransport', () => {
  const run = async (faults: object): Promise<{ kinds: InjectedFault['kind'][]; failed: number }> => {
    const kinds: InjectedFault['kind'][] = [];
    const target = createFaultyTransport(greeter(), {
      startAfter: 2,
      ...faults,
      onFault: ({ kind }) => kinds.push(kind),
    });
    const client = await connect(target, { timeout: 80, revisions: [versions.at(-1) ?? ''], recover: false });
    const calls = Array.from({ length: 20 }, (_, index) =>
      client.tools.call('greet', { name: String(index) }),
    );
    const settled = await Promise.allSettled(calls);
    await client.close();
    return { kinds, failed: settled.filter(({ status }) => status === 'rejected').length };
  };

  test('makes the same faults for the same seed, and others for another', async () => {
    const faults = { direction: 'received', drop: 0.3, duplicate: 0.2 };
    const first = await run({ ...faults, seed: 7 });
    expect(first.kinds.length).toBeGreaterThan(3);
    expect(first.failed).toBeGreaterThan(0);
    expect(await run({ ...faults, seed: 7 })).toEqual(first);
    expect((await run({ ...faults, seed: 8 })).kinds).not.toEqual(first.kinds);
  });

  test('delays and reorders without losing an answer', async () => {
    const { kinds, failed } = await run({
      seed: 3,
      direction: 'received',
      reorder: 0.3,
      delay: { rate: 0.2, by: 5 },
    });
    expect(new Set(kinds)).toEqual(new Set(['reorder', 'delay']));
    expect(failed).toBe(0);
  });

  test('cuts the connection', async () => {
    const { kinds, failed } = await run({ cutAfter: 10 });
    expect(kinds).toEqual(['cut']);
    expect(failed).toBeGreaterThan(0);
  });

  test('corrupts texts, which the client notices', async () => {
    const { kinds, failed } = await run({ seed: 2, direction: 'received', corrupt: 0.5 });
    expect(kinds.length).toBeGreaterThan(0);
    expect(failed).toBeGreaterThan(0);
  });
});

describe('recorded traffic', () => {
  test('answers later as the server did, without the secrets', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plumb-fixture-'));
    const server = createServer({ name: 'vault', version: '3', instructions: 'Be careful' });
    server.tool('login', { input: { type: 'object', properties: { password: { type: 'string' } } } }, () => ({
      api_key: 'sk-abcdefghijklmnopqrstuvwxyz',
      user: 'ada',
      note: 'the code is opensesame42',
    }));
    const recording = recordTraffic(server, { secrets: ['opensesame42'] });
    const client = await connect(recording);
    await client.tools.list();
    await client.tools.call('login', { password: 'hunter2hunter2' });
    await client.close();
    const file = join(folder, 'vault.jsonl');
    await recording.save(file);
    await recording.close();
    const text = readFileSync(file, 'utf8');
    expect(text).not.toMatch(/hunter2|abcdefghijklm|opensesame42/);

    const again = await createTestClient(replayTraffic(file));
    expect(again.client.server).toMatchObject({ name: 'vault', version: '3' });
    expect(again.client.instructions).toBe('Be careful');
    expect(await again.tools()).toMatchObject([{ name: 'login' }]);
    expect(await again.value('login', { password: 'hunter2hunter2' })).toMatchObject({ user: 'ada' });
    await again.close();
    rmSync(folder, { recursive: true });
  });
});

describe('createVirtualClock', () => {
  test('lets a time limit pass at once', async () => {
    using clock = createVirtualClock().install();
    const server = createFakeServer({ tools: { slow: { delay: 60_000, result: 'late' } } });
    const client = await connect(server, { clock: clock.now, timeout: 30_000 });
    const outcome = client.tools.call('slow').catch((error: Error) => error.message);
    await clock.advance(29_000);
    expect(clock.now()).toBe(29_000);
    await clock.advance(2_000);
    expect(await outcome).toMatch(/30000 ms/);
    clock.restore();
    await client.close();
  });

  test('runs timers in order, and intervals again', async () => {
    const clock = createVirtualClock().install();
    const seen: string[] = [];
    setTimeout(() => seen.push('b'), 20);
    setTimeout(() => seen.push('a'), 10);
    const gone = setTimeout(() => seen.push('never'), 15);
    clearTimeout(gone);
    const every = setInterval(() => seen.push(`i${Date.now()}`), 10);
    await clock.advance(25);
    clearInterval(every);
    expect(clock.waiting).toBe(0);
    clock.restore();
    expect(seen).toEqual(['a', 'i10', 'b', 'i20']);
  });
});

test('matchers say what is wrong', async () => {
  const result = { content: [{ type: 'text', text: 'The sum is 8' }], structuredContent: { sum: 8 } };
  const failed = { content: [{ type: 'text', text: 'No' }], isError: true };
  const { toSucceed, toFail, toHaveText, toHaveStructuredContent, toMeet, toInclude } = mcpMatchers;
  expect(toSucceed(result)).toMatchObject({ pass: true });
  expect(toSucceed(failed)).toMatchObject({ pass: false });
  expect(toFail(failed, /N/)).toMatchObject({ pass: true });
  expect(toFail(failed, 'yes')).toMatchObject({ pass: false });
  expect(toHaveText(result, 'sum is')).toMatchObject({ pass: true });
  expect(toHaveStructuredContent(result, { sum: 8 })).toMatchObject({ pass: true });
  expect(toHaveStructuredContent(result, { sum: 9 })).toMatchObject({ pass: false });
  expect(await toMeet(result, 'sum === 8')).toMatchObject({ pass: true });
  expect(await toMeet(result, 'sum === 9')).toMatchObject({ pass: false });
  expect(toInclude([{ name: 'a' }], 'a')).toMatchObject({ pass: true });
});

test('mcpTest runs a suite in code, with functions', async () => {
  const results = await mcpTest(greeter(), {
    name: 'greeter',
    tools: { greet: { args: { name: 'Ada' }, expect: (result) => JSON.stringify(result).includes('Ada') } },
  });
  expect(results).toMatchObject({ name: 'greeter', passed: 4, failed: 0 });
});
