import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import {
  createServer,
  ProtocolError,
  type Server,
  ToolError,
  ToolResult,
} from '../../../src/server/index.js';
import { openRevision, textOf, VERSIONS } from '../../support/wire-peer.js';

interface Seen {
  readonly error: unknown;
  readonly method: string;
}

function serverWithErrors(options: { exposeErrors?: boolean } = {}): { server: Server; seen: Seen[] } {
  const seen: Seen[] = [];
  const server = createServer({
    name: 's',
    version: '1',
    onError: (error, method) => seen.push({ error, method }),
    ...options,
  });
  return { server, seen };
}

/** What a tool that returns this value answers. */
async function returning(value: unknown, version = '2025-11-25'): Promise<JsonObject> {
  const { server } = serverWithErrors();
  server.tool('t', {}, () => value as string);
  return (await openRevision(server, version)).tool('t');
}

describe('what a handler may return', () => {
  test.each<[string, unknown, unknown]>([
    ['a string', 'hi', [{ type: 'text', text: 'hi' }]],
    ['an empty string', '', [{ type: 'text', text: '' }]],
    ['nothing', undefined, []],
    ['null', null, [{ type: 'text', text: 'null' }]],
    ['a number', 5, [{ type: 'text', text: '5' }]],
    ['a boolean', false, [{ type: 'text', text: 'false' }]],
    ['an object', { a: [1] }, [{ type: 'text', text: '{\n  "a": [\n    1\n  ]\n}' }]],
    ['a list', [1, 2], [{ type: 'text', text: '[\n  1,\n  2\n]' }]],
    ['an empty list', [], [{ type: 'text', text: '[]' }]],
    ['a block', { type: 'text', text: 'x' }, [{ type: 'text', text: 'x' }]],
    ['a list of blocks', [{ type: 'text', text: 'x' }], [{ type: 'text', text: 'x' }]],
    [
      'an image',
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }],
    ],
    [
      'an embedded resource',
      { type: 'resource', resource: { uri: 'a:b', text: 'x' } },
      [{ type: 'resource', resource: { uri: 'a:b', text: 'x' } }],
    ],
    [
      'a link',
      { type: 'resource_link', uri: 'a:b', name: 'b' },
      [{ type: 'resource_link', uri: 'a:b', name: 'b' }],
    ],
  ])('%s', async (_name, value, content) => {
    expect(await returning(value)).toEqual({ content, isError: false });
  });

  test.each<[string, unknown]>([
    ['text that is a number', { type: 'text', text: 5 }],
    ['an image whose data is an object', { type: 'image', data: { width: 1 } }],
    ['an image without a media type', { type: 'image', data: 'aGk=' }],
    ['a resource that is a string', { type: 'resource', resource: 'x' }],
    ['a link without a name', { type: 'resource_link', uri: 'a:b' }],
  ])('data that resembles a block and is none is shown as JSON: %s', async (_name, value) => {
    const result = await returning(value);
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(value, null, 2) }]);
  });

  const block = { type: 'text', text: 'x' } as const;

  test.each<[string, object, object]>([
    ['content', { content: [block] }, { content: [block], isError: false }],
    ['no content', { content: [] }, { content: [], isError: false }],
    ['a failure', { content: [block], isError: true }, { content: [block], isError: true }],
    [
      'structure and metadata',
      { content: [block], structuredContent: { a: 1 }, _meta: { k: 1 } },
      { content: [block], structuredContent: { a: 1 }, _meta: { k: 1 }, isError: false },
    ],
    [
      'structure alone',
      { structuredContent: { a: 1 } },
      { content: [{ type: 'text', text: '{"a":1}' }], structuredContent: { a: 1 }, isError: false },
    ],
  ])('the result of tools/call with %s', async (_name, value, expected) => {
    expect(await returning(value)).toEqual(expected);
    expect(await returning(new ToolResult(value as never))).toMatchObject(value);
  });

  test.each<[string, object]>([
    ['content of strings', { content: ['a'] }],
    ['content and more', { content: [block], title: 'x' }],
    ['a block of another vocabulary', { type: 'image', url: 'https://example.com' }],
    ['metadata', { _meta: {} }],
  ])('data that only resembles a result: %s', async (_name, value) => {
    expect(await returning(value)).toEqual({
      content: [{ type: 'text', text: JSON.stringify(value, null, 2) }],
      isError: false,
    });
  });

  test.each<[string, unknown, string]>([
    [
      'an image without mimeType',
      { content: [block, { type: 'image', data: '' }] },
      'content[1] (image) needs "mimeType"',
    ],
    ['a text without text', [block, { type: 'text' }], 'content[1] (text) needs "text"'],
    ['an unknown type', { content: [{ type: 'video' }] }, 'content[0] has the type "video"'],
    [
      'a link without name',
      { content: [{ type: 'resource_link', uri: 'a:b' }] },
      'content[0] (resource_link) needs "name"',
    ],
    [
      'a resource without contents',
      { content: [{ type: 'resource', resource: { uri: 'a:b' } }] },
      '"text" or "blob"',
    ],
    ['content that is no array', { content: 'x', isError: true }, '"content" must be an array'],
    ['a function', () => 1, 'a function cannot be shown as JSON'],
  ])('not a malformed result: %s', async (_name, value, problem) => {
    const { server, seen } = serverWithErrors();
    server.tool('broken', {}, () => value as object);
    const result = await (await openRevision(server, '2025-11-25')).tool('broken');
    expect(result).toMatchObject({ isError: true, content: [{ text: 'Tool "broken" failed unexpectedly' }] });
    expect(String(seen[0]?.error)).toContain('Tool "broken" returned a malformed result: ');
    expect(String(seen[0]?.error)).toContain(problem);
  });

  test('with an output schema, the result of tools/call is checked by its structured content', async () => {
    const { server, seen } = serverWithErrors();
    const output = z.object({ a: z.number() });
    server.tool('fits', { output }, () => ({ content: [block], structuredContent: { a: 1 } }));
    server.tool('misfits', { output }, () => ({ structuredContent: { a: 'x' } }) as never);
    server.tool('failed', { output }, () => ({ content: [block], isError: true }));
    server.tool('data', { output: z.object({ content: z.array(z.string()) }) }, () => ({ content: ['x'] }));
    const peer = await openRevision(server, '2025-11-25');
    expect(await peer.tool('fits')).toEqual({
      content: [block],
      structuredContent: { a: 1 },
      isError: false,
    });
    expect(await peer.tool('misfits')).toMatchObject({ isError: true });
    expect(String(seen[0]?.error)).toContain('does not match its output schema');
    expect(await peer.tool('failed')).toEqual({ content: [block], isError: true });
    expect(await peer.tool('data')).toMatchObject({ structuredContent: { content: ['x'] } });
  });

  test('promises of all of these', async () => {
    expect(textOf(await returning(Promise.resolve('later')))).toBe('later');
  });

  test('a promise of another making, as query builders return', async () => {
    const query = Object.fromEntries([['then', (resolve: (value: string) => void) => resolve('row')]]);
    expect(textOf(await returning(query))).toBe('row');
  });

  test('a spelled-out result, with metadata and failure', async () => {
    const result = { content: [{ type: 'text' as const, text: 'no' }], isError: true, _meta: { 'a.b/c': 1 } };
    expect(await returning(new ToolResult(result))).toEqual(result);
  });

  test('structured content without text gets its text, so that older clients see something', async () => {
    const value = new ToolResult({ content: [], structuredContent: { a: 1 } });
    expect(await returning(value, '2024-11-05')).toMatchObject({
      content: [{ type: 'text', text: '{"a":1}' }],
    });
    expect(await returning(value)).toMatchObject({
      structuredContent: { a: 1 },
      content: [{ text: '{"a":1}' }],
    });
    const spoken = new ToolResult({ content: [{ type: 'text', text: 'one' }], structuredContent: { a: 1 } });
    expect((await returning(spoken)).content).toEqual([{ type: 'text', text: 'one' }]);
  });
});

describe.each(VERSIONS)('in %s', (version) => {
  const invalidIsError = version < '2025-11-25';

  async function refusedArguments(server: Server, args: unknown): Promise<string> {
    const peer = await openRevision(server, version);
    const answer = await peer.request('tools/call', { name: 't', arguments: args });
    if (invalidIsError) {
      expect(answer.error?.code).toBe(-32602);
      return answer.error?.message ?? '';
    }
    expect(answer.result).toMatchObject({ isError: true });
    return textOf(answer.result ?? {});
  }

  test.each([
    ['zod', z.object({ city: z.string(), days: z.number().optional() })],
    [
      'JSON Schema',
      {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'number' } },
        required: ['city'],
      },
    ],
  ] as const)('bad arguments are named and the handler is not run (%s)', async (_name, input) => {
    const { server, seen } = serverWithErrors();
    let runs = 0;
    server.tool('t', { input }, () => {
      runs += 1;
      return '';
    });
    expect(await refusedArguments(server, {})).toMatch(/tool "t".*city/);
    expect(await refusedArguments(server, { city: 5 })).toMatch(/city/);
    expect(await refusedArguments(server, { city: 'x', days: 'y' })).toMatch(/days/);
    const unknown = await refusedArguments(server, { city: 'x', town: 1 });
    expect(unknown).toMatch(/town: is not an argument/);
    expect(unknown).toMatch(/known: city, days/);
    expect(await refusedArguments(server, { town: 1 })).toMatch(/city.*town/);
    expect([runs, seen]).toEqual([0, []]);
  });

  test('a tool without input takes no arguments', async () => {
    const { server } = serverWithErrors();
    server.tool('t', {}, () => 'ok');
    expect(await refusedArguments(server, { a: 1 })).toMatch(/a: is not an argument.*none/);
    const peer = await openRevision(server, version);
    expect(textOf(await peer.call('tools/call', { name: 't' }))).toBe('ok');
    expect(textOf(await peer.tool('t', {}))).toBe('ok');
  });

  test('a schema that is open at its top takes arguments it does not name', async () => {
    const { server } = serverWithErrors();
    server.tool(
      't',
      { input: { type: 'object', properties: {}, additionalProperties: true } },
      (args) => args as object & string,
    );
    const peer = await openRevision(server, version);
    expect(JSON.parse(textOf(await peer.tool('t', { a: 1 })))).toEqual({ a: 1 });
  });

  test('arguments that are no object, and a name that is no string, are malformed calls', async () => {
    const { server } = serverWithErrors();
    server.tool('t', {}, () => 'ok');
    const peer = await openRevision(server, version);
    for (const args of [[], 'x', 5, null]) {
      const error = await peer.refusal('tools/call', { name: 't', arguments: args }).catch(() => undefined);
      // null stands for absent.
      expect(error?.code).toBe(args === null ? undefined : -32602);
    }
    expect((await peer.refusal('tools/call', {})).code).toBe(-32602);
    expect((await peer.refusal('tools/call', { name: 5 })).code).toBe(-32602);
  });

  test('an unknown tool is an error that names it', async () => {
    const { server } = serverWithErrors();
    server.tool('t', {}, () => 'ok');
    const peer = await openRevision(server, version);
    for (const name of ['nope', '__proto__', 'constructor', 'T', '']) {
      const error = await peer.refusal('tools/call', { name });
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(name), data: { name } });
    }
  });

  test('a ToolError reaches the model, and nobody is alarmed', async () => {
    const { server, seen } = serverWithErrors();
    server.tool('plain', {}, () => {
      throw new ToolError('No such city');
    });
    server.tool('rich', {}, async () => {
      throw new ToolError('x', {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      });
    });
    const peer = await openRevision(server, version);
    expect(await peer.tool('plain')).toMatchObject({
      content: [{ type: 'text', text: 'No such city' }],
      isError: true,
    });
    expect((await peer.tool('rich')).content).toHaveLength(2);
    expect(seen).toEqual([]);
  });

  test.each([
    ['an Error', new Error('password=hunter2')],
    ['a string', 'hunter2'],
    ['undefined', undefined],
    ['null', null],
    ['an object that cannot be shown', Object.create(null)],
  ])('a handler that throws %s fails without telling why', async (_name, thrown) => {
    const { server, seen } = serverWithErrors();
    server.tool('sync', {}, () => {
      throw thrown;
    });
    server.tool('async', {}, () => Promise.reject(thrown));
    const peer = await openRevision(server, version);
    for (const name of ['sync', 'async']) {
      const result = await peer.tool(name);
      expect(result).toMatchObject({ isError: true });
      expect(textOf(result)).toBe(`Tool "${name}" failed unexpectedly`);
    }
    expect(seen).toEqual([
      { error: thrown, method: 'tools/call' },
      { error: thrown, method: 'tools/call' },
    ]);
    expect(JSON.stringify(peer.wire.texts)).not.toContain('hunter2');
  });

  test('the reason is told where the author wants it told', async () => {
    const { server } = serverWithErrors({ exposeErrors: true });
    server.tool('t', {}, () => {
      throw new Error('disk full');
    });
    expect(textOf(await (await openRevision(server, version)).tool('t'))).toMatch(/disk full/);
  });

  test('a ProtocolError is sent as it is', async () => {
    const { server, seen } = serverWithErrors();
    server.tool('t', {}, () => {
      throw new ProtocolError('application', 'out of paper', { rpcCode: 42, data: { tray: 1 } });
    });
    const error = await (await openRevision(server, version)).refusal('tools/call', { name: 't' });
    expect(error).toEqual({ code: 42, message: 'out of paper', data: { tray: 1 } });
    expect(seen).toEqual([]);
  });

  test('a result that does not fit the output schema is an error, and is not sent', async () => {
    const { server, seen } = serverWithErrors();
    const output = z.object({ temperature: z.number() });
    server.tool('wrong', { output }, () => ({ temperature: 'secret' }) as never);
    server.tool(
      'spelled',
      { output },
      () => new ToolResult({ content: [], structuredContent: { t: 'secret' } }),
    );
    server.tool('missing', { output }, () => new ToolResult({ content: [{ type: 'text', text: 'secret' }] }));
    server.tool(
      'failed',
      { output },
      () => new ToolResult({ content: [{ type: 'text', text: 'no' }], isError: true }),
    );
    const peer = await openRevision(server, version);
    for (const name of ['wrong', 'spelled', 'missing']) {
      expect(await peer.tool(name)).toMatchObject({ isError: true });
    }
    expect(JSON.stringify(peer.wire.texts)).not.toContain('secret');
    expect(seen.map(({ error }) => String(error))).toEqual(
      Array(3).fill(expect.stringMatching(/tool "(wrong|spelled|missing)" does not match its output schema/)),
    );
    // A failure need not fit.
    expect(await peer.tool('failed')).toMatchObject({ isError: true, content: [{ text: 'no' }] });
    expect(seen).toHaveLength(3);
  });

  test('a result that fits is structured where the revision has that, and text everywhere', async () => {
    const { server } = serverWithErrors();
    server.tool('t', { output: z.object({ a: z.number().default(7) }) }, () => ({}));
    const result = await (await openRevision(server, version)).tool('t');
    expect(JSON.parse(textOf(result))).toEqual({ a: 7 });
    expect(result.structuredContent).toEqual(version < '2025-06-18' ? undefined : { a: 7 });
    expect(result.isError).toBe(false);
  });
});

describe('registration', () => {
  const server = (): Server => createServer({ name: 's', version: '1' });

  test.each(['', 'with space', 'ä', 'a/b', 'x'.repeat(129), 'semi;colon'])(
    'refuses the tool name %j',
    (name) => {
      expect(() => server().tool(name, {}, () => '')).toThrow(/1 to 128/);
    },
  );

  test.each(['a', 'A.b-c_9', 'x'.repeat(128)])('accepts the tool name %s', (name) => {
    expect(() => server().tool(name, {}, () => '')).not.toThrow();
  });

  test('refuses a second tool of the same name', () => {
    const one = server();
    one.tool('t', {}, () => '');
    expect(() => one.tool('t', {}, () => '')).toThrow(/already registered/);
  });

  test('refuses at once an input schema that no client could use', () => {
    expect(() => server().tool('t', { input: { type: 'string' } }, () => '')).toThrow(/type "object"/);
    expect(() => server().tool('t', { input: { properties: {} } }, () => '')).toThrow(/type "object"/);
    expect(() =>
      server().tool(
        't',
        { input: { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' } },
        () => '',
      ),
    ).toThrow(/not supported; use one of/);
    expect(() => server().tool('t', { output: { $schema: 'urn:mine', type: 'object' } }, () => ({}))).toThrow(
      /not supported; use one of/,
    );
  });

  test('shows title, description, annotations, icons and metadata', async () => {
    const one = server();
    one.tool(
      't',
      {
        title: 'T',
        description: 'd',
        annotations: { readOnlyHint: true },
        icons: [{ src: 'https://example.com/i.png' }],
        meta: { 'a.b/c': 1 },
        output: { type: 'object' },
      },
      () => ({}),
    );
    const { tools } = await (await openRevision(one, '2025-11-25')).call('tools/list');
    expect(tools).toEqual([
      {
        name: 't',
        inputSchema: { type: 'object', properties: {} },
        title: 'T',
        description: 'd',
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
        icons: [{ src: 'https://example.com/i.png' }],
        _meta: { 'a.b/c': 1 },
      },
    ]);
  });
});
