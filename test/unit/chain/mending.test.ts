/** Servers whose lists break the protocol, in front of clients that throw away a list with one bad entry. */

import {
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListToolsResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { createChain } from 'plumb-mcp/chain';
import { connect } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';
import { createMemoryPair, type Transport } from 'plumb-mcp/transports';
import { describe, expect, onTestFinished, test } from 'vitest';
import { decodeText } from '../../../src/jsonrpc/decode.js';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';

/** A server that answers each method with the text that it is given. */
function wireServer(version: string, results: Readonly<Record<string, string>>): { transport(): Transport } {
  const transport = (): Transport => {
    const [ours, theirs] = createMemoryPair();
    const answer = (text: string): void => {
      const decoded = decodeText(text);
      if (decoded.kind !== 'request') return;
      const { id, method } = decoded.message;
      const introduction = {
        protocolVersion: version,
        capabilities: { tools: {}, prompts: {}, resources: {} },
        serverInfo: { name: 'wire', version: '1' },
      };
      const result = method === 'initialize' ? JSON.stringify(introduction) : (results[method] ?? '{}');
      void ours.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
    };
    void ours.start({
      message: (_decoded, text) => answer(text),
      fault: () => undefined,
      closed: () => undefined,
    });
    return theirs;
  };
  return { transport };
}

const SPOKEN = '2025-11-25';
const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const GOOD = { name: 'good', description: 'fine', inputSchema: SCHEMA };
const ANY = { type: 'object' };

/** What is wrong, the entry, and what becomes of it; nothing where it is left out. */
const BAD_TOOLS: readonly [string, unknown, JsonObject?][] = [
  ['a string', 'bad'],
  ['null', null],
  ['a list', [GOOD]],
  ['a tool without a name', { inputSchema: SCHEMA }],
  ['a tool with a number for a name', { name: 7, inputSchema: SCHEMA }],
  ['a schema that is a string', { name: 'bad', inputSchema: 'any' }],
  ['a schema of a string', { name: 'bad', inputSchema: { type: 'string' } }],
  ['a tool without a schema', { name: 'bad' }, { inputSchema: ANY }],
  ['a schema that is null', { name: 'bad', inputSchema: null }, { inputSchema: ANY }],
  [
    'a schema without type',
    { name: 'bad', inputSchema: { properties: { a: {} }, required: ['a'] } },
    { inputSchema: { type: 'object', properties: { a: {} }, required: ['a'] } },
  ],
  [
    'properties that are true, false and a number',
    { name: 'bad', inputSchema: { type: 'object', properties: { yes: true, no: false, what: 3 } } },
    { inputSchema: { type: 'object', properties: { yes: {}, no: { not: {} } } } },
  ],
  [
    'required that is null',
    { name: 'bad', inputSchema: { type: 'object', required: null } },
    { inputSchema: ANY },
  ],
  [
    'null for whatever it has not',
    {
      name: 'bad',
      inputSchema: ANY,
      title: null,
      description: null,
      annotations: null,
      icons: null,
      _meta: null,
    },
    { inputSchema: ANY },
  ],
  [
    'an output schema without type, and a hint that is a word',
    {
      name: 'bad',
      inputSchema: ANY,
      outputSchema: { properties: {} },
      annotations: { readOnlyHint: 'yes', title: 'Bad' },
    },
    { inputSchema: ANY, outputSchema: { type: 'object', properties: {} }, annotations: { title: 'Bad' } },
  ],
  [
    'an output schema of a string',
    { name: 'bad', inputSchema: ANY, outputSchema: { type: 'string' } },
    { inputSchema: ANY },
  ],
];

async function listThrough(
  results: Readonly<Record<string, string>>,
  method: string,
  { version = SPOKEN, alone = false, errors = [] as string[], rounds = 1 } = {},
): Promise<JsonObject> {
  const behind = wireServer(SPOKEN, results);
  const other = createServer({ name: 'other', version: '1' });
  other.tool('run', {}, () => 'ran');
  other.prompt('greet', {}, () => 'hi');
  other.resource('other://data', { name: 'data' }, () => 'data');
  other.resource('other://{id}', { name: 'item' }, () => 'item');
  const report = (error: unknown): unknown => errors.push(error instanceof Error ? error.message : '');
  const built = createChain({ onError: report }).to(alone ? behind : { behind, other });
  const client = await connect(built, { revisions: [version] });
  onTestFinished(async () => {
    await client.close();
    await built.close({ drain: 0 });
    await other.close({ drain: 0 });
  });
  let result: JsonObject = {};
  for (let round = 0; round < rounds; round += 1) result = await client.request(method, {});
  return result;
}

describe.each([
  ['among several', false],
  ['alone', true],
])('a server %s', (_where, alone) => {
  const prefix = alone ? '' : 'behind__';

  test.each(BAD_TOOLS)('that lists %s does not spoil the list', async (_what, bad, mended) => {
    const results = { 'tools/list': JSON.stringify({ tools: [GOOD, bad, { ...GOOD, name: 'last' }] }) };
    const expected = ['good', ...(mended === undefined ? [] : ['bad']), 'last'].map((name) => prefix + name);
    for (const { version } of REVISIONS) {
      const errors: string[] = [];
      const list = await listThrough(results, 'tools/list', { version, alone, errors, rounds: 3 });
      const { tools } = ListToolsResultSchema.parse(list);
      expect(tools.map(({ name }) => name)).toEqual(alone ? expected : [...expected, 'other__run']);
      if (mended !== undefined && version === SPOKEN)
        expect(tools[1]).toEqual({ name: `${prefix}bad`, ...mended });
      // Once, however often it is listed.
      const reports = errors.filter((message) =>
        message.includes('"behind" violates the protocol in tools/list'),
      );
      expect(alone ? errors : reports).toHaveLength(1);
    }
  });

  test.each([
    ['a list that is null', '{"tools":null}'],
    ['no list', '{}'],
    ['an object for a list', '{"tools":{"a":1}}'],
    ['a cursor that is null', '{"tools":[],"nextCursor":null}'],
  ])('that answers with %s has no tools, and the others have theirs', async (_what, answer) => {
    const list = await listThrough({ 'tools/list': answer }, 'tools/list', { alone });
    expect(ListToolsResultSchema.parse(list).tools.map(({ name }) => name)).toEqual(
      alone ? [] : ['other__run'],
    );
  });

  test('that lists bad prompts, resources and templates does not spoil those lists', async () => {
    const results = {
      'prompts/list': JSON.stringify({
        prompts: [7, { name: 'p', arguments: [{ name: 'a', required: 'yes' }, 'b'], description: null }],
      }),
      'resources/list': JSON.stringify({
        resources: [
          { name: 'nowhere' },
          { uri: 'r://nameless', size: 'big', annotations: { priority: 9, lastModified: 'today' } },
        ],
      }),
      'resources/templates/list': JSON.stringify({
        resourceTemplates: [{ name: 'no template' }, { uriTemplate: 'r://{id}', mimeType: null }],
      }),
    };
    const prompts = ListPromptsResultSchema.parse(await listThrough(results, 'prompts/list', { alone }));
    expect(prompts.prompts[0]).toEqual({ name: `${prefix}p`, arguments: [{ name: 'a' }] });
    expect(prompts.prompts).toHaveLength(alone ? 1 : 2);
    const listed = ListResourcesResultSchema.parse(await listThrough(results, 'resources/list', { alone }));
    expect(listed.resources[0]).toEqual({ uri: 'r://nameless', name: 'r://nameless', annotations: {} });
    expect(listed.resources).toHaveLength(alone ? 1 : 2);
    const templates = ListResourceTemplatesResultSchema.parse(
      await listThrough(results, 'resources/templates/list', { alone }),
    );
    expect(templates.resourceTemplates[0]).toEqual({ uriTemplate: 'r://{id}', name: 'r://{id}' });
    expect(templates.resourceTemplates).toHaveLength(alone ? 1 : 2);
  });
});

test('a valid list of a server alone passes as it was written', async () => {
  const text =
    '{ "tools":[{"name":"a","inputSchema":{"type":"object","maxProperties":12345678901234567890}}] }';
  const built = createChain({ onError: () => undefined }).to(wireServer(SPOKEN, { 'tools/list': text }));
  const transport = built.transport();
  const heard: string[] = [];
  await transport.start({
    message: (_decoded, received) => heard.push(received),
    fault: () => undefined,
    closed: () => undefined,
  });
  onTestFinished(() => built.close({ drain: 0 }));
  const params = { protocolVersion: SPOKEN, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  await transport.send(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
  await expect.poll(() => heard).toHaveLength(1);
  await transport.send('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  await expect.poll(() => heard[1]).toBe(`{"jsonrpc":"2.0","id":1,"result":${text}}`);
});
