/** Patterns of a server's schemas, and texts of any length, hold up neither clients nor servers nor the command. */

import { fileURLToPath } from 'node:url';
import { createChain, createOpenApiServer } from 'plumb-mcp/chain';
import { connect } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { plumb } from '../integration/cli/plumb.js';

const HOSTILE = fileURLToPath(new URL('./fixtures/hostile-server.mjs', import.meta.url));
const SLOW = ['--', process.execPath, HOSTILE, 'slow'];
const TEXT = `${'a'.repeat(50_000)}!`;
const INPUT = {
  type: 'object',
  properties: { text: { type: 'string', pattern: '^(a+)+$' } },
  propertyNames: { pattern: '^(t|e|x|[a-z])+$' },
} as const;

test('a client checks a result against a catastrophic pattern and goes on', async () => {
  const client = await connect({ command: process.execPath, args: [HOSTILE, 'slow'] });
  onTestFinished(() => client.close());
  await client.tools.list();
  await expect(client.tools.call('tool')).rejects.toThrow('must match pattern');
  await client.ping();
});

describe.each(['memory', 'http'] as const)('over %s', (way) => {
  test('a server with a catastrophic pattern answers, and then answers the next', async () => {
    const server = createServer({ name: 's', version: '1' });
    server.tool('plain', { input: { type: 'object', properties: INPUT.properties } }, () => 'ran');
    server.tool('other', { input: INPUT }, () => 'ran');
    onTestFinished(() => server.close({ drain: 0 }));
    const client = await connect(way === 'memory' ? server : (await server.http()).url);
    onTestFinished(() => client.close());
    for (const name of ['plain', 'other']) {
      const answer = await client.tools.call(name, { text: TEXT }).catch((error: Error) => error);
      expect(JSON.stringify(answer instanceof Error ? answer.message : answer)).toContain(
        'must match pattern',
      );
      expect(await client.tools.call(name, { text: 'aaa' })).toMatchObject({ content: [{ text: 'ran' }] });
    }
  });

  test('so does a server whose schemas come from an OpenAPI document', async () => {
    const parameters = [{ name: 'text', in: 'query', schema: INPUT.properties.text }];
    const document = { paths: { '/x': { get: { operationId: 'get', parameters } } } };
    const server = createOpenApiServer(document, {
      baseUrl: 'https://api.example',
      fetch: async () => new Response('ok'),
    });
    onTestFinished(() => server.close({ drain: 0 }));
    const front = createChain({ onError: () => undefined }).to(server);
    onTestFinished(() => front.close({ drain: 0 }));
    const client = await connect(way === 'memory' ? front : (await front.http()).url);
    onTestFinished(() => client.close());
    const answer = await client.tools.call('get', { text: TEXT }).catch((error: Error) => error);
    expect(JSON.stringify(answer instanceof Error ? answer.message : answer)).toContain('must match pattern');
    expect(await client.tools.call('get', { text: 'aaa' })).toMatchObject({ content: [{ text: 'ok' }] });
  });
});

test.each([
  [['call', 'tool'], 1],
  [['list'], 0],
  [['list', '--json'], 0],
  [['read', 'a://b'], 0],
  [['prompt', 'prompt'], 0],
] as const)(
  'plumb %j of a hostile server ends',
  async (words, code) => {
    const ended = await plumb([...words, ...SLOW]);
    expect(ended.code, ended.stderr.slice(0, 500)).toBe(code);
  },
  60_000,
);
