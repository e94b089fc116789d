/** The ready middlewares on a plain server; chains take the same ones. */

import { type Client, connect } from 'plumb-mcp/client';
import {
  audit,
  authorize,
  cache,
  circuitBreaker,
  concurrency,
  faults,
  hide,
  type Layer,
  log,
  type Middleware,
  metrics,
  rateLimit,
  record,
  redact,
  rename,
  replay,
  responseSize,
  retry,
  rewrite,
  telemetry,
  timeout,
  toolSearch,
} from 'plumb-mcp/middleware';
import { createServer, ProtocolError, type Server } from 'plumb-mcp/server';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Steps } from '../../support/steps.js';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Setting {
  readonly client: Client;
  readonly server: Server;
  readonly steps: Steps;
  runs(): number;
}

async function meet(...layers: (Layer | Middleware)[]): Promise<Setting> {
  const steps = new Steps();
  let runs = 0;
  const server = createServer({ name: 's', version: '1', onError: () => undefined });
  server.use(...layers);
  server.tool(
    'echo',
    { input: z.object({ text: z.string(), tail: z.string().optional() }) },
    ({ text, tail }) => {
      runs += 1;
      return `${text}${tail ?? ''}`;
    },
  );
  server.tool('hang', {}, async (_, ctx) => {
    steps.reach('hanging');
    await steps.opened('go', ctx.signal).catch(() => steps.reach('aborted'));
    return 'done';
  });
  const broken = (): never => {
    runs += 1;
    throw new ProtocolError('internal_error', 'broken');
  };
  server.tool('read_broken', { annotations: { readOnlyHint: true } }, broken);
  server.tool('write_broken', {}, broken);
  server.resource('a://b', { name: 'b', cache: { ttlMs: 1000, cacheScope: 'private' } }, () => {
    runs += 1;
    return `read ${runs}`;
  });
  server.prompt('ask', {}, () => 'asked');
  cleanups.push(() => server.close(0));
  const client = await connect(server, { cache: false });
  cleanups.push(() => client.close());
  return { client, server, steps, runs: () => runs };
}

const echo = (client: Client, text = 'hi') => client.tools.call('echo', { text });

test('log writes what, how it ended and for whom, and no arguments', async () => {
  const lines: string[] = [];
  const { client } = await meet(log({ write: (line) => lines.push(line), now: () => 0 }));
  await echo(client, 'secret');
  await client.tools.call('write_broken').catch(() => undefined);
  const calls = lines.filter((line) => line.includes('tools/call'));
  expect(calls).toEqual([
    '-> tools/call "echo" ok 0ms anonymous',
    '-> tools/call "write_broken" internal_error 0ms anonymous',
  ]);
});

test('timeout ends the call for the caller and for the handler', async () => {
  const { client, steps } = await meet(timeout(10));
  await expect(client.tools.call('hang')).rejects.toMatchObject({
    message: expect.stringContaining('10 ms'),
  });
  await steps.until('aborted');
});

test('retry repeats what can be repeated, and nothing else', async () => {
  const { client, runs } = await meet(retry({ attempts: 3, wait: async () => undefined }));
  await client.tools.list();
  await expect(client.tools.call('write_broken')).rejects.toThrow('broken');
  expect(runs()).toBe(1);
  await expect(client.tools.call('read_broken')).rejects.toThrow('broken');
  expect(runs()).toBe(4);
});

test('rate limits count each caller, and tell when to come back', async () => {
  let now = 0;
  const { client } = await meet(rateLimit({ perPrincipal: '2/min', now: () => now }));
  await echo(client);
  await echo(client);
  await expect(echo(client)).rejects.toMatchObject({ data: { retryAfterMs: 30_000 } });
  now += 30_000;
  await echo(client);
});

test('concurrency lets calls wait, and refuses when too many do', async () => {
  const { client, steps } = await meet(concurrency({ max: 1, queue: 1 }));
  const first = client.tools.call('hang');
  await steps.until('hanging');
  const second = echo(client);
  await expect(echo(client)).rejects.toThrow('Too many calls at once');
  steps.open('go');
  await first;
  expect((await second).content).toEqual([{ type: 'text', text: 'hi' }]);
});

test('cache keeps what its server allows until it changes', async () => {
  let now = 0;
  const { client, server, runs } = await meet(cache({ now: () => now }));
  await client.resources.subscribe('a://b', () => undefined);
  await client.resources.read('a://b');
  await client.resources.read('a://b');
  expect(runs()).toBe(1);
  server.resourceUpdated('a://b');
  await expect
    .poll(async () => (await client.resources.read('a://b')).contents)
    .toMatchObject([{ text: 'read 2' }]);
  now += 1001;
  await client.resources.read('a://b');
  expect(runs()).toBe(3);
});

test('a circuit breaker stops asking, and tries again later', async () => {
  let now = 0;
  const { client, runs } = await meet(circuitBreaker({ failures: 2, openMs: 100, now: () => now }));
  for (let attempt = 0; attempt < 4; attempt += 1)
    await expect(client.tools.call('write_broken')).rejects.toThrow();
  expect(runs()).toBe(2);
  await echo(client);
  now += 101;
  await expect(client.tools.call('write_broken')).rejects.toThrow('broken');
  expect(runs()).toBe(4);
});

describe('rules for tools', () => {
  test('hide takes them out of the list and out of reach', async () => {
    const { client, runs } = await meet({ tools: hide('write_*', 'ha*g') });
    expect((await client.tools.list()).map(({ name }) => name)).toEqual(['echo', 'read_broken']);
    await expect(client.tools.call('write_broken')).rejects.toMatchObject({
      rpcCode: -32602,
      message: 'Unknown tool: write_broken',
    });
    expect(runs()).toBe(0);
  });

  test('rename leaves only the new name', async () => {
    const { client } = await meet({ tools: rename({ echo: 'say' }) });
    expect((await client.tools.list())[0]?.name).toBe('say');
    expect((await client.tools.call('say', { text: 'x' })).content).toEqual([{ type: 'text', text: 'x' }]);
    await expect(echo(client)).rejects.toMatchObject({ rpcCode: -32602 });
  });

  test('rewrite describes anew, and settles arguments', async () => {
    const rule = { echo: { description: 'Other', fixed: { tail: '!' }, defaults: { text: 'dear' } } };
    const { client } = await meet({ tools: rewrite(rule) });
    const [tool] = await client.tools.list();
    expect(tool).toMatchObject({ description: 'Other', inputSchema: { required: [] } });
    expect(tool?.inputSchema.properties).not.toHaveProperty('tail');
    const answer = await client.tools.call('echo', { tail: '?' });
    expect(answer.content).toEqual([{ type: 'text', text: 'dear!' }]);
  });

  test('authorize is asked for the list and for the call, with the arguments', async () => {
    const asked: unknown[] = [];
    const policy = authorize(({ kind, name, arguments: args }) => {
      asked.push([kind, name, args]);
      return kind !== 'tool' || (name === 'echo' && args?.text !== 'forbidden');
    });
    const { client, runs } = await meet(policy);
    expect((await client.tools.list()).map(({ name }) => name)).toEqual(['echo']);
    await echo(client);
    await expect(echo(client, 'forbidden')).rejects.toMatchObject({ rpcCode: -32602 });
    await expect(client.tools.call('hang')).rejects.toMatchObject({ rpcCode: -32602 });
    expect(runs()).toBe(1);
    expect(asked).toContainEqual(['tool', 'echo', { text: 'forbidden' }]);
  });
});

test('redact takes secrets out of results', async () => {
  const { client } = await meet(redact());
  const answer = await echo(client, `key ghp_${'a'.repeat(36)} end`);
  expect(answer.content).toEqual([{ type: 'text', text: 'key [redacted] end' }]);
});

test('responseSize turns a result that is too large into one that says so', async () => {
  const { client } = await meet(responseSize('1KB'));
  expect(await echo(client, 'x'.repeat(2000))).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('at most 1024') }],
  });
});

test('audit records each use before its result leaves', async () => {
  const lines: string[] = [];
  const write = (line: string): void => {
    lines.push(line);
  };
  const { client } = await meet(audit({ write, withArguments: true, now: () => new Date(0) }));
  await echo(client);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    time: '1970-01-01T00:00:00.000Z',
    subject: 'echo',
    arguments: { text: 'hi' },
    outcome: 'ok',
  });
});

test('metrics count by method, name and outcome', async () => {
  const counted = metrics({ now: () => 0 });
  const { client } = await meet(counted);
  await echo(client);
  await client.tools.call('write_broken').catch(() => undefined);
  const text = counted.text();
  const labels = 'method="tools/call",name="echo",outcome="ok"';
  expect(text).toContain(`plumb_request_duration_seconds_count{${labels}} 1`);
  expect(text).toContain('name="write_broken",outcome="internal_error"');
});

test('what was recorded is served back without the server', async () => {
  const lines: string[] = [];
  const recording = await meet(record({ write: (line) => lines.push(line) }));
  await echo(recording.client, 'once');
  await recording.client.tools.call('write_broken').catch(() => undefined);
  const replaying = await meet(replay(lines));
  expect((await echo(replaying.client, 'once')).content).toEqual([{ type: 'text', text: 'once' }]);
  await expect(replaying.client.tools.call('write_broken')).rejects.toThrow('broken');
  expect(replaying.runs()).toBe(0);
});

test('faults befall what they are meant for', async () => {
  const { client, runs } = await meet(faults({ only: 'echo', error: 'lost', after: true }));
  await expect(echo(client)).rejects.toThrow('lost');
  expect(runs()).toBe(1);
  expect(await client.prompts.get('ask')).toBeDefined();
});

test('tool search offers two tools that find and call the others', async () => {
  const { client } = await meet(toolSearch({ above: 2 }));
  expect((await client.tools.list()).map(({ name }) => name)).toEqual(['search_tools', 'call_tool']);
  const found = await client.tools.call('search_tools', { query: 'echo something' });
  expect(JSON.stringify(found.content)).toContain('echo');
  const called = await client.tools.call('call_tool', { name: 'echo', arguments: { text: 'via' } });
  expect(called.content).toEqual([{ type: 'text', text: 'via' }]);
});

test('telemetry makes a span for each call and passes its context on', async () => {
  const spans: string[] = [];
  const tracer = {
    startSpan: (name: string) => ({
      setAttribute: () => undefined,
      setStatus: () => spans.push(`${name} failed`),
      end: () => spans.push(`${name} ended`),
      spanContext: () => ({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 }),
    }),
  };
  let seen: unknown;
  const { client } = await meet(telemetry({ tracer }), (call, next) => {
    if (call.method === 'tools/call') seen = call.params._meta;
    return next();
  });
  await echo(client);
  expect(spans).toContain('tools/call echo ended');
  expect(seen).toMatchObject({ traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` });
});

test('a middleware can use other tools of the server', async () => {
  const { client } = await meet(async (call, next) => {
    if (call.method !== 'tools/call' || call.params.name !== 'both') return next();
    const one = await next.request('tools/call', { name: 'echo', arguments: { text: 'one' } });
    const prompt = await next.request('prompts/get', { name: 'ask' });
    return { content: [{ type: 'text', text: JSON.stringify([one.content, prompt.messages]) }] };
  });
  const both = await client.tools.call('both');
  expect(JSON.stringify(both.content)).toMatch(/one.*asked/);
});
