import { describe, expect, it } from 'vitest';
import type { ClientFault } from '../../../src/client/events.js';
import { type Client, type ConnectOptions, connect } from '../../../src/client/index.js';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import {
  handshakeServer,
  type ScriptedServer,
  statelessServer,
  turn,
} from '../../support/scripted-server.js';

const OUTPUT = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'array', items: { type: 'number' } } },
  required: ['city'],
};

async function open(
  outputSchema: JsonObject,
  result: JsonObject,
  options: ConnectOptions = {},
  server: ScriptedServer = statelessServer(),
): Promise<{ client: Client; server: ScriptedServer; faults: ClientFault[] }> {
  const faults: ClientFault[] = [];
  server
    .on('tools/list', () => ({
      tools: [{ name: 'forecast', inputSchema: { type: 'object' }, outputSchema }],
    }))
    .on('tools/call', () => result);
  const client = await connect(server, { ...options, onFault: (fault) => faults.push(fault) });
  return { client, server, faults };
}

describe('structured results', () => {
  it('are checked against the output schema once a list has told it', async () => {
    const { client } = await open(OUTPUT, { structuredContent: { city: 'Rome', days: [1, 'x'] } });
    await expect(client.tools.call('forecast')).resolves.toBeDefined();
    await client.tools.list();
    const broken = { code: 'invalid_result', message: expect.stringContaining('days.1: must be number') };
    await expect(client.tools.call('forecast')).rejects.toMatchObject(broken);
    await expect(client.tools.call('forecast')).rejects.toMatchObject(broken);
    await expect(client.tools.call('other')).resolves.toBeDefined();
  });

  it('pass when they are as promised', async () => {
    const { client } = await open(OUTPUT, { structuredContent: { city: 'Rome' } });
    await client.tools.list();
    for (const _ of [1, 2]) {
      expect(await client.tools.call('forecast')).toMatchObject({ structuredContent: { city: 'Rome' } });
    }
  });

  it('are owed by a tool with an output schema', async () => {
    const { client } = await open(OUTPUT, { content: [] });
    await client.tools.list();
    await expect(client.tools.call('forecast')).rejects.toThrow(/structuredContent is missing/);
  });

  it('are not owed by a tool that failed', async () => {
    const { client } = await open(OUTPUT, { content: [], isError: true });
    await client.tools.list();
    await expect(client.tools.call('forecast')).resolves.toMatchObject({ isError: true });
  });

  it('may be any JSON value, null included', async () => {
    const { client } = await open({ type: 'null' }, { structuredContent: null });
    await client.tools.list();
    expect(await client.tools.call('forecast')).toHaveProperty('structuredContent', null);
  });

  it('go unchecked after the list has changed, where told so, and in revisions without them', async () => {
    const wrong = { structuredContent: {} };
    const changed = await open(OUTPUT, wrong);
    await changed.client.tools.list();
    changed.server.notify('notifications/tools/list_changed');
    await turn();
    await changed.client.tools.call('forecast');
    const off = await open(OUTPUT, wrong, { validateOutput: false });
    await off.client.tools.list();
    await off.client.tools.call('forecast');
    const old = await open(OUTPUT, wrong, {}, handshakeServer('2025-03-26'));
    await old.client.tools.list();
    await old.client.tools.call('forecast');
  });

  it.each([
    ['a dialect nobody knows', { $schema: 'https://example.com/schema' }],
    ['a remote reference', { $ref: 'https://example.com/schema.json' }],
  ])('go unchecked, with a clear fault, when the schema has %s', async (_case, schema) => {
    const { client, faults } = await open(schema, { content: [] });
    await client.tools.list();
    for (const _ of [1, 2]) await client.tools.call('forecast');
    expect(faults).toMatchObject([{ kind: 'deviation', message: expect.stringContaining('forecast') }]);
  });
});

describe('tool results of servers in the field', () => {
  it.each([
    ['nothing at all', {}, { content: [], isError: false }],
    ['text for content', { content: 'hi' }, { content: [{ type: 'text', text: 'hi' }], isError: false }],
    [
      'a flat resource',
      {
        content: [
          { type: 'resource', uri: 'a:b', mimeType: 'x/y', text: 'hi', annotations: { priority: 1 } },
        ],
      },
      {
        content: [
          {
            type: 'resource',
            resource: { uri: 'a:b', mimeType: 'x/y', text: 'hi' },
            annotations: { priority: 1 },
          },
        ],
        isError: false,
      },
    ],
    [
      'a nested resource',
      { content: [{ type: 'resource', resource: { uri: 'a:b', blob: '' } }], isError: true, extra: 1 },
      { content: [{ type: 'resource', resource: { uri: 'a:b', blob: '' } }], isError: true, extra: 1 },
    ],
    [
      'content of a type to come',
      { content: [{ type: 'smell' }] },
      { content: [{ type: 'smell' }], isError: false },
    ],
  ])('are read with %s', async (_case, sent, expected) => {
    const server = handshakeServer().on('tools/call', () => sent);
    expect(await (await connect(server)).tools.call('x')).toEqual(expected);
  });

  it('are invalid when content holds what is no block', async () => {
    const server = handshakeServer().on('tools/call', () => ({ content: ['text'] }));
    await expect((await connect(server)).tools.call('x')).rejects.toMatchObject({ code: 'invalid_result' });
  });
});
