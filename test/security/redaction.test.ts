/** redact() takes secrets out of whatever leaves for the client, wherever they stand. */

import { createChain } from 'plumb-mcp/chain';
import { type Client, connect } from 'plumb-mcp/client';
import { redact } from 'plumb-mcp/middleware';
import { createServer, ProtocolError, ToolError } from 'plumb-mcp/server';
import { describe, expect, onTestFinished, test } from 'vitest';

const KEY = `ghp_${'a'.repeat(36)}`;
const TOKEN = `eyJ${'h'.repeat(20)}.${'p'.repeat(20)}.${'s'.repeat(20)}`;
const PEM = `-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----`;
const SECRETS = [KEY, TOKEN, PEM];
const ALL = SECRETS.join(' and ');

interface Seen {
  readonly client: Client;
  /** Everything that the client got. */
  readonly received: unknown[];
}

async function meet(place: 'server' | 'chain', way: 'memory' | 'http', revision: string): Promise<Seen> {
  const server = createServer({ name: 's', version: '1', exposeErrors: true, onError: () => undefined });
  server.tool(`tool_${KEY}`, { description: ALL }, () => ({ [KEY]: { deep: [ALL, { [TOKEN]: 1 }] } }));
  server.tool('protocol_error', {}, () => {
    throw new ProtocolError('internal_error', ALL, { data: { [KEY]: [ALL] } });
  });
  server.tool('tool_error', {}, () => {
    throw new ToolError(ALL);
  });
  server.tool('crash', {}, () => {
    throw new Error(ALL);
  });
  server.tool('ask', {}, async (_args, ctx) => {
    const answer = await ctx.elicit(ALL, {
      type: 'object',
      properties: { name: { type: 'string', description: ALL } },
    });
    return answer.action;
  });
  server.tool('sample', {}, async (_args, ctx) => {
    await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: ALL } }], maxTokens: 1 });
    return 'sampled';
  });
  server.tool('say', {}, (_args, ctx) => {
    ctx.log('error', { [KEY]: ALL }, ALL);
    ctx.progress(1, 2, ALL);
    ctx.notify('notifications/own', { text: ALL });
    return 'said';
  });
  server.resource('a://b', { name: 'b', description: ALL }, () => ALL);
  server.resource(
    'a://{id}',
    { name: 't', description: ALL, complete: { id: () => [KEY, TOKEN] } },
    () => ALL,
  );
  server.prompt('p', { description: ALL }, () => ALL);
  server.method('own/method', () => ({ text: ALL }));
  onTestFinished(() => server.close({ drain: 0 }));
  const front =
    place === 'server'
      ? server.use(redact())
      : createChain({ onError: () => undefined })
          .use(redact())
          .to(server);
  onTestFinished(() => front.close({ drain: 0 }));
  const received: unknown[] = [];
  const client = await connect(way === 'memory' ? front : (await front.http()).url, {
    revisions: [revision],
    cache: false,
    elicit: (question) => {
      received.push(question);
      return { action: 'accept', content: { name: 'x' } };
    },
    sample: (question) => {
      received.push(question);
      return { role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } };
    },
    onNotification: (notification) => {
      received.push(notification);
    },
    onLog: (message) => {
      received.push(message);
    },
  });
  onTestFinished(() => client.close());
  return { client, received };
}

const WAYS = (['server', 'chain'] as const).flatMap((place) =>
  (['memory', 'http'] as const).flatMap((way) =>
    ['2025-06-18', '2025-11-25', '2026-07-28'].map((revision) => [place, way, revision] as const),
  ),
);

describe.each(WAYS)('redact on a %s over %s in %s', (place, way, revision) => {
  test('leaves no secret in anything that the client gets', async () => {
    const { client, received } = await meet(place, way, revision);
    const keep = async (asked: Promise<unknown>): Promise<void> => {
      received.push(
        await asked.catch((error: Error) => ({ failed: error.message, data: Reflect.get(error, 'data') })),
      );
    };
    for (const method of [
      'tools/list',
      'prompts/list',
      'resources/list',
      'resources/templates/list',
      'own/method',
    ])
      await keep(client.request(method, {}));
    for (const name of [`tool_${KEY}`, 'protocol_error', 'tool_error', 'crash', 'ask', 'sample', 'nonsense'])
      await keep(client.tools.call(name));
    await keep(client.tools.call('say', {}, { onProgress: (progress) => void received.push(progress) }));
    await keep(client.resources.read('a://b'));
    await keep(client.resources.read(`a://missing/${KEY}`));
    await keep(client.prompts.get('p'));
    await keep(
      client.request('completion/complete', {
        ref: { type: 'ref/resource', uri: 'a://{id}' },
        argument: { name: 'id', value: '' },
      }),
    );
    const text = JSON.stringify(received);
    for (const secret of SECRETS) expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
    expect(text).not.toContain('MIIB');
    // It was all there: nothing was lost but the secrets.
    expect(text.split('[redacted]').length).toBeGreaterThan(30);
    expect(text).toContain('sampled');
    expect(text).toContain('accept');
  });
});

test('takes out what hides behind something else, and nothing that is harmless', async () => {
  const server = createServer({ name: 's', version: '1' });
  server.tool('say', { input: { type: 'object', properties: { text: { type: 'string' } } } }, (args) =>
    String(Reflect.get(args, 'text')),
  );
  onTestFinished(() => server.close({ drain: 0 }));
  const client = await connect(server.use(redact()));
  onTestFinished(() => client.close());
  const said = async (text: string): Promise<unknown> => {
    const { content } = await client.tools.call('say', { text });
    return Reflect.get(content[0] ?? {}, 'text');
  };
  expect(await said(`id-${TOKEN}`)).toBe('id-[redacted]');
  expect(await said(`first.second.${TOKEN}.rest`)).toBe('first.second.[redacted].rest');
  expect(await said(`${PEM}${PEM} -----BEGIN RSA PRIVATE KEY-----`)).toBe(
    '[redacted][redacted] -----BEGIN RSA PRIVATE KEY-----',
  );
  expect(await said(`-----BEGIN CERTIFICATE-----x-----END CERTIFICATE-----${PEM}`)).toBe(
    '-----BEGIN CERTIFICATE-----x-----END CERTIFICATE-----[redacted]',
  );
  for (const harmless of ['eyJ.a.b', 'www.example.com', 'sk-short', '1.2.3', 'a-----BEGIN -----'])
    expect(await said(harmless)).toBe(harmless);
});
