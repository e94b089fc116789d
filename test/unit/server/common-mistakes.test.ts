/** Mistakes that people make, in code that no compiler has read: each error says what to do. */

import { PassThrough } from 'node:stream';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import { log } from '../../../src/middleware/index.js';
import { type Context, createServer, type Server } from '../../../src/server/index.js';
import { createStdioServerTransport } from '../../../src/transports/stdio/index.js';
import { openRevision } from '../../support/wire-peer.js';

type Registering = 'tool' | 'resource' | 'prompt' | 'http' | 'use';

/** As JavaScript may call it. */
function misuse(server: Server, method: Registering, ...args: readonly unknown[]): unknown {
  return Reflect.apply(server[method], server, args);
}

interface Opened {
  readonly server: Server;
  readonly errors: string[];
  call(method: string, params: JsonObject): Promise<JsonObject>;
}

function opened(): Opened {
  const errors: string[] = [];
  const server = createServer({
    name: 's',
    version: '1',
    onError: (error) => errors.push(error instanceof Error ? error.message : String(error)),
  });
  return {
    server,
    errors,
    call: async (method, params) => (await openRevision(server, '2025-11-25')).call(method, params),
  };
}

describe('what is registered', () => {
  test.each<[string, (server: Server) => unknown, RegExp]>([
    [
      'a description in place of the definition',
      (server) => misuse(server, 'tool', 'a', 'Adds', {}, () => ''),
      /^Tool "a" takes its options as an object, not as a string$/,
    ],
    [
      'a name before the URI',
      (server) => misuse(server, 'resource', 'config', 'config://app', {}, () => ''),
      /^Resource "config" takes its options as an object, not as a string$/,
    ],
    [
      'a name alone',
      () => Reflect.apply(createServer, undefined, ['notes']),
      /^createServer takes its options as an object/,
    ],
    [
      'a completion of a variable that is not there',
      (server) => misuse(server, 'resource', 'a:///{id}', { complete: { ide: [] } }, () => ''),
      /^The resource "a:\/\/\/\{id\}" completes "ide", which it does not have; its variables are id$/,
    ],
  ])('%s', (_name, register, message) => {
    expect(() => register(opened().server)).toThrow(message);
  });

  test('a port alone', async () => {
    await expect(misuse(opened().server, 'http', 3000)).rejects.toThrow(
      /^http takes its options as an object: http\(\{ port: 3000 \}\)$/,
    );
  });

  test('a completion of an argument that a prompt does not have', async () => {
    const { server } = opened();
    misuse(server, 'prompt', 'p', { input: z.object({ id: z.string() }), complete: { name: [] } }, () => '');
    await expect(openRevision(server, '2025-11-25')).rejects.toThrow(
      /^The prompt "p" completes "name", which it does not have; its arguments are id$/,
    );
  });
});

describe('what a tool returns', () => {
  const circular: { self?: object } = {};
  circular.self = circular;

  test.each<[string, unknown, RegExp]>([
    [
      'a promise inside of it',
      { days: [{ forecast: Promise.resolve(1) }] },
      /: days\.0\.forecast is a promise; await it$/,
    ],
    ['an error', new Error('full'), /: it is an error; throw a ToolError with its message$/],
    ['a Map', new Map([['a', 1]]), /: it is a Map; return Object\.fromEntries\(map\)$/],
    ['a Set', new Set([1]), /: it is a Set; return \[\.\.\.set\]$/],
    ['bytes', new Uint8Array([1]), /: bytes are no text; return image\(bytes, mimeType\)$/],
    ['a big number', { n: 1n }, /^Tool "t" returned a malformed result: .*BigInt/],
    ['a circle', circular, /^Tool "t" returned a malformed result: .*circular/],
  ])('%s', async (_name, returned, message) => {
    const { server, errors, call } = opened();
    misuse(server, 'tool', 't', {}, () => returned);
    expect(await call('tools/call', { name: 't' })).toMatchObject({ isError: true });
    expect(errors).toEqual([expect.stringMatching(message)]);
  });

  test('empty objects are data', async () => {
    const { server, call } = opened();
    misuse(server, 'tool', 't', {}, () => ({ found: {}, when: new Date(0) }));
    const result = await call('tools/call', { name: 't' });
    expect(result.content).toEqual([{ type: 'text', text: expect.stringContaining('"found": {},') }]);
  });
});

test.each<[string, unknown]>([
  ['data', { hello: 1 }],
  ['contents without anything in them', { uri: 'a:///x' }],
])('a resource that returns %s is reported with what to return', async (_name, returned) => {
  const { server, errors, call } = opened();
  misuse(server, 'resource', 'a:///x', {}, () => returned);
  await expect(call('resources/read', { uri: 'a:///x' })).rejects.toThrow('Internal error');
  expect(errors[0]).toMatch(
    /^Resource "a:\/\/\/x" returned neither text nor contents .* return JSON\.stringify\(data\)$/,
  );
});

test.each<[string, unknown, RegExp]>([
  ['nothing', undefined, /whose content is a text or a content block$/],
  [
    'a role that MCP does not have',
    [{ role: 'system', content: 'x' }],
    /whose role is "user" or "assistant"$/,
  ],
  ['a content that is none', [{ role: 'user', content: 5 }], /whose content is a text or a content block$/],
])('a prompt that returns %s is reported with what to return', async (_name, returned, message) => {
  const { server, errors, call } = opened();
  misuse(server, 'prompt', 'p', {}, () => returned);
  await expect(call('prompts/get', { name: 'p' })).rejects.toThrow('Internal error');
  expect(errors[0]).toMatch(message);
});

describe('in a handler', () => {
  test.each<[string, (ctx: Context) => unknown, RegExp]>([
    [
      'a level of other libraries',
      (ctx) => Reflect.apply(ctx.log, ctx, ['warn', 'x']),
      /^"warn" is not a log level; levels are debug, info/,
    ],
    [
      'progress as an object',
      (ctx) => Reflect.apply(ctx.progress, ctx, [{ progress: 1 }]),
      /^ctx\.progress takes numbers/,
    ],
    [
      'a question without a form',
      (ctx) => Reflect.apply(ctx.elicit, ctx, ['Sure?']),
      /^elicit takes a message and a form/,
    ],
    [
      'a question as one object',
      (ctx) => Reflect.apply(ctx.elicit, ctx, [{ message: 'Sure?' }]),
      /^elicit takes a message and a form/,
    ],
  ])('%s', async (_name, use, message) => {
    const { server, errors, call } = opened();
    misuse(server, 'tool', 't', {}, (_args: object, ctx: Context) => use(ctx));
    await call('tools/call', { name: 't' });
    expect(errors).toEqual([expect.stringMatching(message)]);
  });
});

test.each<[string, unknown, RegExp]>([
  [
    'that returns nothing',
    async (_call: unknown, next: () => unknown) => void (await next()),
    /is undefined; a middleware has to return/,
  ],
  ['that was not made', log, /^log makes a middleware: call it where it is used, log\(\)$/],
])('a middleware %s is reported', async (_name, middleware, message) => {
  const { server, errors, call } = opened();
  misuse(server, 'use', 'tools/call', middleware);
  misuse(server, 'tool', 't', {}, () => 'x');
  expect(await call('tools/call', { name: 't' })).toMatchObject({ isError: true });
  expect(errors).toEqual([expect.stringMatching(message)]);
});

test.each<[string, unknown]>([
  ['zod', z.object({ to: z.union([z.string(), z.object({ id: z.number() })]) })],
  ['valibot', toStandardJsonSchema(v.object({ to: v.union([v.string(), v.object({ id: v.number() })]) }))],
])(
  'the error for a value that fits no member of a union of %s names what each member needs',
  async (_name, input) => {
    const { server, call } = opened();
    misuse(server, 'tool', 'send', { input }, () => 'sent');
    const result = await call('tools/call', { name: 'send', arguments: { to: {} } });
    const text = expect.stringMatching(/: to: fits none of its alternatives \(.*string.* \| id: .*\)$/);
    expect(result).toMatchObject({ isError: true, content: [{ text }] });
  },
);

describe('over HTTP', () => {
  test('a browser that opens the address is answered for people', async () => {
    const request = new Request('http://127.0.0.1/mcp', { headers: { accept: 'text/html,*/*;q=0.8' } });
    const response = await opened().server.fetch(request);
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/This is the address of an MCP server: connect .* MCP client/);
  });

  test('a path without a slash is refused', async () => {
    await expect(opened().server.http({ path: 'mcp' })).rejects.toThrow('has to begin with a slash: "/mcp"');
  });
});

test('a server that is started in a terminal explains itself on stderr', async () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(terminal as unknown as typeof process.stdin);
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  const transport = createStdioServerTransport({ output: new PassThrough(), protectStdout: false });
  await transport.start({ message: () => {}, fault: () => {}, closed: () => {} });
  await transport.close();
  expect(said.mock.calls).toEqual([[expect.stringMatching(/To try it: npx plumb inspect -- .*node/)]]);
  vi.restoreAllMocks();
});
