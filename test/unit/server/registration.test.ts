/** What cannot be served is refused by name and place, when the server starts or when it is registered. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { connect } from '../../../src/client/index.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { createServer, RegistrationError, type Server } from '../../../src/server/index.js';

function named(errors: string[] = []): Server {
  return createServer({
    name: 's',
    version: '1',
    onError: (error, method) => errors.push(`${method}: ${error instanceof Error ? error.message : error}`),
  });
}

/** What untyped code can pass. */
function untyped(value: unknown): never {
  return value as never;
}

describe('a server with a tool that cannot be described', () => {
  const withDates = (errors?: string[]): Server => {
    const server = named(errors);
    server.tool('before', {}, () => 'ran');
    server.tool('when', { input: z.object({ range: z.object({ from: z.date() }) }) }, () => 'never');
    server.prompt('on', { input: z.object({ day: z.date() }) }, () => 'never');
    server.tool('after', {}, () => 'ran');
    return server;
  };

  test('does not start, and names every such tool and the place in its schema', async () => {
    const starts = [
      (server: Server) => server.http({ port: 0 }),
      (server: Server) => server.stdio(),
      (server: Server) => connect(server, { recover: false }),
      async (server: Server) => server.transport(),
    ];
    for (const start of starts) {
      const error = await start(withDates()).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(RegistrationError);
      expect(String(error)).toContain('input schema of tool "when" is not usable: range.from: Date cannot');
      expect(String(error)).toContain('input schema of prompt "on" is not usable: day: Date cannot');
    }
  });

  test.each(REVISIONS.map(({ version }) => version))(
    'serves the others to clients of %s where it is mounted, and reports it once',
    async (version) => {
      const errors: string[] = [];
      const server = withDates(errors);
      const client = await connect('http://127.0.0.1/mcp', {
        revisions: [version],
        fetch: (input, init) => server.fetch(new Request(input, init)),
      });
      for (let round = 0; round < 2; round += 1) {
        const names = (await client.tools.list({ cache: 'reload' })).map(({ name }) => name);
        expect(names).toEqual(['before', 'after']);
        expect(await client.prompts.list({ cache: 'reload' })).toEqual([]);
      }
      expect(errors).toHaveLength(1);
      expect(errors[0]).toContain('tool "when"');
      await client.close();
      await server.close({ drain: 0 });
    },
  );

  test('refuses one that is registered while it runs, and keeps its list', async () => {
    const server = named();
    server.tool('first', {}, () => 'ran');
    const client = await connect(server);
    expect(() => server.tool('late', { input: z.object({ at: z.date() }) }, () => 'never')).toThrow(
      'input schema of tool "late" is not usable: at: Date cannot',
    );
    expect(() => server.prompt('later', { input: z.object({ at: z.bigint() }) }, () => 'never')).toThrow(
      'input schema of prompt "later" is not usable: at: ',
    );
    expect((await client.tools.list()).map(({ name }) => name)).toEqual(['first']);
    await client.close();
  });

  test('may refer to a schema that is defined further down', async () => {
    const server = named();
    const tree: z.ZodType = z.object({ next: z.lazy(() => leaf).optional() });
    server.tool('tree', { input: tree }, () => 'ran');
    const leaf = z.object({ name: z.string() });
    const client = await connect(server);
    expect((await client.tools.list())[0]?.inputSchema.properties).toHaveProperty('next');
    await client.close();
  });
});

describe('a JSON Schema', () => {
  test.each<[string, { readonly [keyword: string]: unknown }, string]>([
    ['an unknown type', { properties: { a: { type: 'strin' } } }, 'properties.a.type "strin" is not a type'],
    [
      'a type list with a wrong one',
      { properties: { a: { type: ['string', 'nil'] } } },
      '"nil" is not a type',
    ],
    [
      'required as a flag',
      { properties: { a: { required: true } } },
      'properties.a.required must be an array',
    ],
    ['a list for properties', { properties: ['a'] }, 'properties must be an object of schemas'],
    [
      'a schema that is none',
      { properties: { a: 'string' } },
      'properties.a must be a schema, and is "string"',
    ],
    [
      'a pattern that is none',
      { properties: { a: { pattern: '(' } } },
      'properties.a.pattern Invalid regular',
    ],
    ['a reference to nothing', { properties: { a: { $ref: '#/$defs/b' } } }, '"#/$defs/b" refers to nothing'],
    ['a remote reference', { properties: { a: { $ref: 'https://e.test/a' } } }, 'is not fetched'],
    ['an empty union', { oneOf: [] }, 'oneOf must be a list of schemas'],
    ['a text as a limit', { properties: { a: { minimum: '3' } } }, 'properties.a.minimum must be a number'],
    ['a negative length', { properties: { a: { maxLength: -1 } } }, 'properties.a.maxLength must be a whole'],
  ])('with %s is refused when it is registered', (_what, schema, message) => {
    const server = named();
    const input = { type: 'object', ...schema } as const;
    expect(() => server.tool('t', { input }, () => 'never')).toThrow(RegistrationError);
    expect(() => server.tool('t', { input }, () => 'never')).toThrow(message);
    expect(() => server.tool('t', { input }, () => 'never')).toThrow('tool "t"');
    expect(() => server.tool('t', { output: schema }, () => ({}))).toThrow('The output schema of tool "t"');
  });

  test('may refer to its own parts, in circles too', () => {
    const server = named();
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' }, self: { $ref: '#here' } } };
    const input = {
      type: 'object',
      $anchor: 'here',
      properties: { a: { $ref: '#/$defs/node' } },
      $defs: { node },
    };
    expect(() => server.tool('t', { input }, () => 'ran')).not.toThrow();
  });
});

describe('arguments that are a union', () => {
  const circle = z.object({ kind: z.literal('circle'), radius: z.number() });
  const square = z.object({ kind: z.literal('square'), side: z.number() });

  test.each(REVISIONS.map(({ version }) => version))(
    'are listed as an object with oneOf, and checked, for clients of %s',
    async (version) => {
      const server = named();
      server.tool('draw', { input: z.discriminatedUnion('kind', [circle, square]) }, (shape) =>
        shape.kind === 'circle' ? `r=${shape.radius}` : `s=${shape.side}`,
      );
      server.tool('either', { input: z.union([circle, square]) }, (shape) => shape.kind);
      server.tool('overlap', { input: z.union([circle, z.object({ radius: z.number() })]) }, () => 'ran');
      const client = await connect(server, { revisions: [version] });
      const listed = new Map((await client.tools.list()).map((tool) => [tool.name, tool.inputSchema]));
      expect(listed.get('draw')).toMatchObject({
        type: 'object',
        oneOf: [{ type: 'object' }, { type: 'object' }],
      });
      expect(listed.get('either')).toMatchObject({ type: 'object', oneOf: [{}, {}] });
      // One value may be of both members, so they do not exclude each other.
      expect(listed.get('overlap')).toMatchObject({ type: 'object', anyOf: [{}, {}] });
      const drawn = await client.tools.call('draw', { kind: 'square', side: 2 });
      expect(drawn.content).toEqual([{ type: 'text', text: 's=2' }]);
      await client.close();
    },
  );

  test('may be behind a reference, or an intersection', () => {
    const server = named();
    const $defs = { a: { type: 'object', properties: { x: { type: 'number' } } } } as const;
    expect(() => server.tool('ref', { input: { $ref: '#/$defs/a', $defs } }, () => 'ran')).not.toThrow();
    expect(() =>
      server.tool(
        'all',
        { input: { allOf: [{ $ref: '#/$defs/a' }, { required: ['x'] }], $defs } },
        () => 'ran',
      ),
    ).not.toThrow();
  });

  test('are refused by the name of the member that is no object', () => {
    const server = named();
    server.tool('mixed', { input: z.union([circle, z.string()]) }, () => 'never');
    expect(() => server.transport()).toThrow('tool "mixed" is not usable: anyOf[1] must have type "object"');
  });
});

describe('untyped code', () => {
  test('hears of an option that does not exist, and which one was probably meant', () => {
    const server = named();
    const refused = (definition: object, message: string): void => {
      expect(() => server.tool('t', untyped(definition), () => 'never')).toThrow(message);
    };
    refused({ inputSchema: {} }, 'Tool "t" has no option "inputSchema"; did you mean "input"?');
    refused({ outputSchema: {} }, 'did you mean "output"?');
    refused({ descripton: 'x' }, 'did you mean "description"?');
    refused({ zzz: 1 }, 'options are title, description');
    expect(() => server.prompt('p', untyped({ argsSchema: {} }), () => 'never')).toThrow(
      'did you mean "input"?',
    );
    expect(() => server.resource('test:r', untyped({ mimetype: 'x' }), () => 'never')).toThrow('"mimeType"?');
    expect(() => createServer(untyped({ name: 's', version: '1', instruction: 'x' }))).toThrow(
      'createServer has no option "instruction"; did you mean "instructions"?',
    );
    expect(() => createServer(untyped(undefined))).toThrow('createServer needs a name');
  });

  test('hears what to do with the fields of a schema alone', () => {
    expect(() => named().tool('t', { input: untyped({ city: z.string() }) }, () => 'never')).toThrow(
      'tool "t" is not usable: its root must have type "object", because arguments have names; it is a set of fields, so make an object of them: z.object({ ... })',
    );
  });

  test('hears of an option that does not exist in the options inside of options', async () => {
    const created = (options: object) => () => createServer(untyped({ name: 's', version: '1', ...options }));
    expect(created({ limits: { bach: 1 } })).toThrow('limits has no option "bach"; did you mean "batch"?');
    expect(created({ tasks: { tl: 1 } })).toThrow('tasks has no option "tl"; did you mean "ttl"?');
    expect(created({ session: { value: {} } })).toThrow(
      'session has no option "value"; did you mean "values"?',
    );
    expect(created({ user: { maxByte: 1 } })).toThrow(
      'user has no option "maxByte"; did you mean "maxBytes"?',
    );
    const server = named();
    await expect(server.http(untyped({ por: 1 }))).rejects.toThrow(
      'http has no option "por"; did you mean "port"?',
    );
    await expect(server.http(untyped({ limits: { bodyByte: 1 } }))).rejects.toThrow(
      'did you mean "bodyBytes"?',
    );
    await expect(server.stdio(untyped({ exi: true }))).rejects.toThrow(
      'stdio has no option "exi"; did you mean "exit"?',
    );
  });

  test('hears of a handler that is missing', () => {
    const server = named();
    expect(() => server.tool('t', {}, untyped(undefined))).toThrow('The tool "t" has no handler');
    expect(() => server.prompt('p', {}, untyped({}))).toThrow('The prompt "p" has no handler');
    expect(() => server.resource('test:r', {}, untyped('x'))).toThrow('The resource "test:r" has no handler');
    expect(() => server.method('x/y', untyped(undefined))).toThrow('The method "x/y" has no handler');
    expect(() => server.use('tools/call', untyped(undefined))).toThrow('middleware');
  });

  test('hears of a server without a name or a version', () => {
    expect(() => createServer(untyped({}))).toThrow('createServer needs a name');
    expect(() => createServer(untyped({ name: 's' }))).toThrow('createServer needs a version');
  });
});
