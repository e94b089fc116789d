/**
 * One maximal thing of each kind, as each revision gets it. The expectations are spelled out here, so that the test
 * has teeth by itself; where the official schemas are at hand, what is written must be valid there too, and must
 * have no field that the revision does not define (the schemas leave all objects open, so they do not see those).
 */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import { REVISIONS, type Revision } from '../../../src/protocol/revisions/index.js';
import {
  encodeClientCapabilities,
  encodeResult,
  type ResultStamp,
  writeResult,
} from '../../../src/protocol/revisions/results.js';
import { expectNoExtras, expectOfficial } from '../../support/official-schema.js';

const [R1, R2, R3, R4, R5] = REVISIONS as [Revision, Revision, Revision, Revision, Revision];

const STAMP: ResultStamp = {
  serverInfo: { name: 'server', version: '1', title: 'Server' },
  cache: { ttlMs: 0, cacheScope: 'private' },
};

/** What every result says of the server; discovery tells the rest. */
const NAMED = { name: 'server', version: '1' };

const icons = [{ src: 'https://example.com/i.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }];
const annotations = { audience: ['user'], priority: 0.5, lastModified: '2026-01-02T03:04:05Z' };
const meta = { 'example.com/key': 1 };

function written(revision: Revision, method: string, result: JsonObject): JsonObject {
  return JSON.parse(writeResult(revision, method, result, STAMP));
}

const keys = (value: unknown): string[] => Object.keys(value as object).sort();

describe('tools', () => {
  const tool = {
    name: 'maximal',
    title: 'Maximal',
    description: 'has everything',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { b: { type: 'number' } } },
    annotations: {
      title: 'Maximal',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    execution: { taskSupport: 'optional' },
    icons,
    _meta: meta,
  };
  const listed = (revision: Revision, value: JsonObject = tool): JsonObject => {
    const result = written(revision, 'tools/list', { tools: [value], nextCursor: 'c' });
    expectOfficial(revision, 'ListToolsResult', result);
    const [only] = result.tools as JsonObject[];
    expectNoExtras(revision, 'Tool', only as JsonObject);
    return only as JsonObject;
  };

  test.each([
    [R1, ['description', 'inputSchema', 'name']],
    [R2, ['annotations', 'description', 'inputSchema', 'name']],
    [R3, ['_meta', 'annotations', 'description', 'inputSchema', 'name', 'outputSchema', 'title']],
    [
      R4,
      [
        '_meta',
        'annotations',
        'description',
        'execution',
        'icons',
        'inputSchema',
        'name',
        'outputSchema',
        'title',
      ],
    ],
    [R5, ['_meta', 'annotations', 'description', 'icons', 'inputSchema', 'name', 'outputSchema', 'title']],
  ])('$version lists the fields it knows', (revision, fields) => {
    expect(keys(listed(revision))).toEqual(fields);
    expect(listed(revision).inputSchema).toEqual(tool.inputSchema);
  });

  test('an output schema that is not an object reaches only those who know it', () => {
    const value = { ...tool, outputSchema: { type: 'array', items: { type: 'number' } } };
    expect(listed(R3, value)).not.toHaveProperty('outputSchema');
    expect(listed(R4, value)).not.toHaveProperty('outputSchema');
    expect(listed(R5, value).outputSchema).toEqual({ type: 'array', items: { type: 'number' } });
  });

  test('the registered object is never changed, and is the very one where nothing has to go', () => {
    const before = structuredClone(tool);
    const result = { tools: [tool] };
    for (const revision of REVISIONS) encodeResult(revision, 'tools/list', result);
    expect(tool).toEqual(before);
    const plain = { tools: [{ name: 'plain', inputSchema: { type: 'object' } }] };
    for (const revision of REVISIONS) expect(encodeResult(revision, 'tools/list', plain)).toBe(plain);
  });
});

describe('tool results', () => {
  const blocks = [
    { type: 'text', text: 'hello', annotations, _meta: meta },
    { type: 'image', data: 'aGk=', mimeType: 'image/png', annotations, _meta: meta },
    { type: 'audio', data: 'aGk=', mimeType: 'audio/wav', annotations, _meta: meta },
    {
      type: 'resource_link',
      uri: 'file:///a.txt',
      name: 'a',
      title: 'A',
      description: 'the file',
      mimeType: 'text/plain',
      size: 5,
      annotations,
      icons,
      _meta: meta,
    },
    {
      type: 'resource',
      resource: { uri: 'file:///b', mimeType: 'text/plain', text: 'b', _meta: meta },
      annotations,
      _meta: meta,
    },
  ];
  const sent = (revision: Revision, extra: JsonObject = { structuredContent: { b: 1 } }): JsonObject => {
    const result = written(revision, 'tools/call', {
      content: blocks,
      isError: false,
      _meta: meta,
      ...extra,
    });
    expectOfficial(revision, 'CallToolResult', result);
    return result;
  };
  const types = (revision: Revision): unknown[] =>
    (sent(revision).content as JsonObject[]).map(({ type }) => type);

  test.each([
    [R1, ['text', 'image', 'resource', 'text', 'resource']],
    [R2, ['text', 'image', 'audio', 'text', 'resource']],
    [R3, ['text', 'image', 'audio', 'resource_link', 'resource']],
    [R4, ['text', 'image', 'audio', 'resource_link', 'resource']],
    [R5, ['text', 'image', 'audio', 'resource_link', 'resource']],
  ])('$version gets blocks of types it can read', (revision, expected) => {
    expect(types(revision)).toEqual(expected);
    const definitions = ['TextContent', 'ImageContent', 'AudioContent', 'ResourceLink', 'EmbeddedResource'];
    const names = new Map(
      ['text', 'image', 'audio', 'resource_link', 'resource'].map((type, at) => [type, definitions[at]]),
    );
    for (const block of sent(revision).content as JsonObject[]) {
      expectNoExtras(revision, names.get(block.type as string) ?? '', block);
    }
  });

  test('a link becomes a text that still names the place', () => {
    for (const revision of [R1, R2]) {
      const text = (sent(revision).content as JsonObject[])[3]?.text;
      expect(text).toContain('file:///a.txt');
      expect(text).toContain('A');
      expect(text).toContain('the file');
    }
  });

  test('sound becomes an embedded resource that still holds the bytes', () => {
    expect((sent(R1).content as JsonObject[])[2]).toEqual({
      type: 'resource',
      resource: { uri: expect.any(String), mimeType: 'audio/wav', blob: 'aGk=' },
    });
  });

  test('blocks and their annotations lose what came later', () => {
    expect((sent(R2).content as JsonObject[])[0]).toEqual({
      type: 'text',
      text: 'hello',
      annotations: { audience: ['user'], priority: 0.5 },
    });
    expect((sent(R2).content as JsonObject[])[4]).toEqual({
      type: 'resource',
      resource: { uri: 'file:///b', mimeType: 'text/plain', text: 'b' },
      annotations: { audience: ['user'], priority: 0.5 },
    });
    expect((sent(R3).content as JsonObject[])[3]).not.toHaveProperty('icons');
    expect(sent(R4).content).toEqual(blocks);
  });

  test.each<[string, unknown, Revision[]]>([
    ['an object', { b: 1 }, [R3, R4, R5]],
    ['an array', [1, 2], [R5]],
    ['null', null, [R5]],
    ['a number', 0, [R5]],
    ['false', false, [R5]],
  ])('structured content that is %s goes to those who can read it', (_name, value, readers) => {
    for (const revision of REVISIONS) {
      const result = sent(revision, { structuredContent: value });
      if (readers.includes(revision)) expect(result.structuredContent).toEqual(value);
      else expect(result).not.toHaveProperty('structuredContent');
    }
  });

  test('the stateless revision stamps every result, and keeps the metadata of the author', () => {
    expect(sent(R5)).toMatchObject({
      resultType: 'complete',
      _meta: { ...meta, 'io.modelcontextprotocol/serverInfo': NAMED },
    });
    for (const revision of [R1, R2, R3, R4]) {
      expect(sent(revision)).not.toHaveProperty('resultType');
      expect(sent(revision)._meta).toEqual(meta);
    }
    expect(written(R5, 'completion/complete', { completion: { values: [] } })).toEqual({
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': NAMED },
      completion: { values: [] },
    });
    expect(written(R5, 'custom/empty', {})).toEqual({
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': NAMED },
    });
  });

  test('what a stateless server wrote on a result does not reach a client of the handshake era', () => {
    const stamped = (result: JsonObject): JsonObject => written(R5, 'tools/call', result);
    const content = [{ type: 'text', text: 'x' }];
    for (const revision of [R1, R2, R3, R4]) {
      expect(written(revision, 'tools/call', stamped({ content }))).toEqual({ content });
      expect(written(revision, 'tools/call', stamped({ content, _meta: meta }))).toEqual({
        content,
        _meta: meta,
      });
      expect(written(revision, 'tools/list', written(R5, 'tools/list', { tools: [] }))).toEqual({
        tools: [],
      });
    }
  });

  test('a result that is no JSON object is refused instead of being spliced into broken text', () => {
    for (const revision of REVISIONS) {
      for (const value of [
        [1, 2],
        [],
        'text',
        5,
        null,
        undefined,
        new Date(0),
        { _meta: {}, toJSON: () => 5 },
      ]) {
        expect(() => writeResult(revision, 'custom/method', value as unknown as JsonObject, STAMP)).toThrow(
          TypeError,
        );
      }
    }
  });
});

describe('input required', () => {
  test.each(['tools/call', 'prompts/get', 'resources/read'])(
    '%s may end with questions, without cache hints',
    (method) => {
      const interim = {
        resultType: 'input_required',
        inputRequests: { 'ask-1': { method: 'roots/list', params: {} } },
        requestState: 'sealed',
      };
      const result = written(R5, method, interim);
      expect(result).toEqual({
        ...interim,
        _meta: { 'io.modelcontextprotocol/serverInfo': NAMED },
      });
      expectOfficial(R5, 'InputRequiredResult', result);
    },
  );
});

describe('resources', () => {
  const resource = {
    uri: 'file:///a',
    name: 'a',
    title: 'A',
    description: 'd',
    mimeType: 'text/plain',
    size: 3,
    annotations,
    icons,
    _meta: meta,
  };
  const { uri: _uri, size: _size, ...rest } = resource;
  const template = { ...rest, uriTemplate: 'file:///{a}' };

  test.each([
    [R1, ['annotations', 'description', 'mimeType', 'name']],
    [R2, ['annotations', 'description', 'mimeType', 'name']],
    [R3, ['_meta', 'annotations', 'description', 'mimeType', 'name', 'title']],
    [R4, ['_meta', 'annotations', 'description', 'icons', 'mimeType', 'name', 'title']],
    [R5, ['_meta', 'annotations', 'description', 'icons', 'mimeType', 'name', 'title']],
  ])('$version lists resources and templates with the fields it knows', (revision, fields) => {
    const list = written(revision, 'resources/list', { resources: [resource] });
    expectOfficial(revision, 'ListResourcesResult', list);
    const [only] = list.resources as JsonObject[];
    expect(keys(only)).toEqual([...fields, 'size', 'uri'].sort());
    expectNoExtras(revision, 'Resource', only as JsonObject);
    expect(keys((only as JsonObject).annotations)).toEqual(
      revision === R1 || revision === R2
        ? ['audience', 'priority']
        : ['audience', 'lastModified', 'priority'],
    );

    const templates = written(revision, 'resources/templates/list', { resourceTemplates: [template] });
    expectOfficial(revision, 'ListResourceTemplatesResult', templates);
    const [onlyTemplate] = templates.resourceTemplates as JsonObject[];
    expect(keys(onlyTemplate)).toEqual([...fields, 'uriTemplate'].sort());
    expectNoExtras(revision, 'ResourceTemplate', onlyTemplate as JsonObject);
  });

  test.each(REVISIONS)('$version reads text and bytes', (revision) => {
    const read = written(revision, 'resources/read', {
      contents: [
        { uri: 'file:///a', mimeType: 'text/plain', text: 'x', _meta: meta },
        { uri: 'file:///b', blob: 'aGk=', _meta: meta },
      ],
      ttlMs: 1000,
      cacheScope: 'public',
    });
    expectOfficial(revision, 'ReadResourceResult', read);
    const hasMeta = revision !== R1 && revision !== R2;
    for (const contents of read.contents as JsonObject[]) expect('_meta' in contents).toBe(hasMeta);
    if (revision === R5) expect(read).toMatchObject({ ttlMs: 1000, cacheScope: 'public' });
    else expect(keys(read)).toEqual(['contents']);
  });

  test('the six cacheable results always have hints in the stateless revision', () => {
    for (const method of R5.cacheable) {
      const empty = {
        tools: [],
        prompts: [],
        resources: [],
        resourceTemplates: [],
        contents: [],
        capabilities: {},
      };
      expect(written(R5, method, empty)).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
      expect(written(R5, method, { ...empty, ttlMs: 9 })).toMatchObject({ ttlMs: 9, cacheScope: 'private' });
    }
    expect(written(R5, 'tools/call', { content: [] })).not.toHaveProperty('ttlMs');
    expect(written(R4, 'tools/list', { tools: [], ttlMs: 9, cacheScope: 'public' })).toEqual({ tools: [] });
  });
});

describe('prompts', () => {
  const prompt = {
    name: 'p',
    title: 'P',
    description: 'd',
    arguments: [{ name: 'a', title: 'A', description: 'd', required: true }],
    icons,
    _meta: meta,
  };

  test.each([
    [R1, ['arguments', 'description', 'name'], ['description', 'name', 'required']],
    [R2, ['arguments', 'description', 'name'], ['description', 'name', 'required']],
    [
      R3,
      ['_meta', 'arguments', 'description', 'name', 'title'],
      ['description', 'name', 'required', 'title'],
    ],
    [
      R4,
      ['_meta', 'arguments', 'description', 'icons', 'name', 'title'],
      ['description', 'name', 'required', 'title'],
    ],
    [
      R5,
      ['_meta', 'arguments', 'description', 'icons', 'name', 'title'],
      ['description', 'name', 'required', 'title'],
    ],
  ])('$version lists the fields it knows, also of arguments', (revision, fields, argumentFields) => {
    const list = written(revision, 'prompts/list', { prompts: [prompt] });
    expectOfficial(revision, 'ListPromptsResult', list);
    const [only] = list.prompts as JsonObject[];
    expect(keys(only)).toEqual(fields);
    expectNoExtras(revision, 'Prompt', only as JsonObject);
    expect(keys(((only as JsonObject).arguments as unknown[])[0])).toEqual(argumentFields);
  });

  test.each([
    [R1, ['text', 'text', 'resource']],
    [R2, ['text', 'text', 'audio']],
    [R3, ['text', 'resource_link', 'audio']],
    [R4, ['text', 'resource_link', 'audio']],
    [R5, ['text', 'resource_link', 'audio']],
  ])('$version gets messages that it can read', (revision, types) => {
    const result = written(revision, 'prompts/get', {
      description: 'd',
      messages: [
        { role: 'user', content: { type: 'text', text: 'x', _meta: meta } },
        { role: 'assistant', content: { type: 'resource_link', uri: 'a:b', name: 'b' } },
        { role: 'user', content: { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' } },
      ],
    });
    expectOfficial(revision, 'GetPromptResult', result);
    expect((result.messages as { content: { type: string } }[]).map(({ content }) => content.type)).toEqual(
      types,
    );
  });
});

describe('capabilities', () => {
  const server = {
    experimental: { 'example.com/x': {} },
    extensions: { 'example.com/y': {} },
    logging: {},
    completions: {},
    prompts: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    tools: { listChanged: true },
    tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  };
  const client = {
    experimental: { 'example.com/x': {} },
    extensions: { 'example.com/y': {} },
    roots: { listChanged: true },
    sampling: { context: {}, tools: {} },
    elicitation: { form: {}, url: {} },
    tasks: { list: {}, cancel: {}, requests: { elicitation: { create: {} } } },
  };
  const serverInfo = {
    name: 's',
    version: '1',
    title: 'S',
    description: 'd',
    websiteUrl: 'https://example.com',
    icons,
  };

  test.each([
    [R1, [], ['name', 'version']],
    [R2, ['completions'], ['name', 'version']],
    [R3, ['completions'], ['name', 'title', 'version']],
    [R4, ['completions', 'tasks'], ['description', 'icons', 'name', 'title', 'version', 'websiteUrl']],
  ])(
    '$version is initialized with the capabilities and the identity that it knows',
    (revision, extra, info) => {
      const result = written(revision, 'initialize', {
        protocolVersion: revision.version,
        capabilities: server,
        serverInfo,
        instructions: 'i',
      });
      expectOfficial(revision, 'InitializeResult', result);
      const always = ['experimental', 'extensions', 'logging', 'prompts', 'resources', 'tools'];
      expect(keys(result.capabilities)).toEqual([...always, ...extra].sort());
      expect(keys(result.serverInfo)).toEqual(info);
      expectNoExtras(revision, 'Implementation', result.serverInfo as JsonObject);
    },
  );

  test('discovery leaves out the tasks that were core once', () => {
    const result = written(R5, 'server/discover', {
      supportedVersions: [R5.version],
      capabilities: server,
      instructions: 'i',
    });
    expectOfficial(R5, 'DiscoverResult', result);
    expect(result._meta).toEqual({ 'io.modelcontextprotocol/serverInfo': STAMP.serverInfo });
    expect(keys(result.capabilities)).toEqual(
      ['completions', 'experimental', 'extensions', 'logging', 'prompts', 'resources', 'tools'].sort(),
    );
  });

  test.each([
    [R1, { roots: { listChanged: true }, sampling: {} }],
    [R2, { roots: { listChanged: true }, sampling: {} }],
    [R3, { roots: { listChanged: true }, sampling: {}, elicitation: {} }],
    [
      R4,
      {
        roots: { listChanged: true },
        sampling: { context: {}, tools: {} },
        elicitation: { form: {}, url: {} },
        tasks: client.tasks,
      },
    ],
    [R5, { roots: {}, sampling: { context: {}, tools: {} }, elicitation: { form: {}, url: {} } }],
  ])('$version is told the client capabilities that it knows', (revision, expected) => {
    const encoded = encodeClientCapabilities(revision, client);
    expect(encoded).toEqual({
      experimental: client.experimental,
      extensions: client.extensions,
      ...expected,
    });
    expectOfficial(revision, 'ClientCapabilities', encoded);
  });
});
