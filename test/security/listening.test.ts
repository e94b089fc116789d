/** A listen stream and a subscription report nothing that the caller may not read. */

import { createChain } from 'plumb-mcp/chain';
import { connect } from 'plumb-mcp/client';
import { authorize, hide, type Layer } from 'plumb-mcp/middleware';
import { createServer, type Server } from 'plumb-mcp/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EventParser, messageOf } from '../support/sse-events.js';
import type { WireMessage } from '../support/wire-peer.js';

const SECRET = ['file:///secret/a', 'FILE:///public/../secret/a', 'file:///%73ecret/a', 'file:///secret/a#x'];

interface Place {
  readonly layers: readonly Layer[];
  readonly rules: { readonly exclude?: string };
  readonly isServer?: boolean;
}
const PLACES: readonly (readonly [string, Place])[] = [
  ['hide on a chain', { layers: [{ resources: hide('file:///secret/*') }], rules: {} }],
  ['hide on a server', { layers: [{ resources: hide('file:///secret/*') }], rules: {}, isServer: true }],
  [
    'authorize on a chain',
    { layers: [authorize(({ name }) => !name.startsWith('file:///secret/'))], rules: {} },
  ],
  [
    'authorize on a server',
    { layers: [authorize(({ name }) => !name.startsWith('file:///secret/'))], rules: {}, isServer: true },
  ],
  ['exclude on a chain', { layers: [], rules: { exclude: 'file:///secret/*' } }],
];

function createFiles(): Server {
  const server = createServer({ name: 's', version: '1', onError: () => undefined });
  for (const uri of ['file:///public/a', 'file:///secret/a']) server.resource(uri, { name: uri }, () => uri);
  onTestFinished(() => server.close({ drain: 0 }));
  return server;
}

async function serve(server: Server, { layers, rules, isServer }: Place): Promise<string> {
  const front =
    isServer === true
      ? server.use(...layers)
      : createChain({ onError: () => undefined })
          .use(...layers)
          .to({ s: { server, ...rules } });
  onTestFinished(() => front.close({ drain: 0 }));
  return (await front.http()).url;
}

async function listen(url: string, uris: readonly string[]): Promise<AsyncGenerator<WireMessage>> {
  const version = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const response = await fetch(url, {
    method: 'POST',
    signal: abort.signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { _meta, notifications: { resourceSubscriptions: uris } },
    }),
  });
  return messages(response);
}

async function* messages(response: Response): AsyncGenerator<WireMessage> {
  const parser = new EventParser();
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    for (const event of parser.push(decoder.decode(chunk, { stream: true }))) {
      const message = messageOf(event);
      if (message !== undefined) yield message;
    }
  }
}

describe.each(PLACES)('%s', (_name, place) => {
  test('opens no stream for what is closed, and reports no change of it', async () => {
    const server = createFiles();
    const url = await serve(server, place);
    const stream = await listen(url, [...SECRET, 'file:///public/a']);
    const { value: acknowledgement } = await stream.next();
    expect(acknowledgement).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { resourceSubscriptions: ['file:///public/a'] } },
    });
    server.resourceUpdated('file:///secret/a');
    server.resourceUpdated('file:///public/a');
    const { value: update } = await stream.next();
    expect(update).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'file:///public/a' },
    });
  });

  test('lets no session subscribe to it', async () => {
    const server = createFiles();
    const client = await connect(await serve(server, place), { revisions: ['2025-11-25'] });
    onTestFinished(() => client.close());
    for (const uri of SECRET)
      await expect(client.request('resources/subscribe', { uri }), uri).rejects.toThrow();
  });
});

test('a change below a subscribed resource is not reported where it is closed', async () => {
  const server = createServer({ name: 's', version: '1' });
  onTestFinished(() => server.close({ drain: 0 }));
  server.resource('file:///', { name: 'root' }, () => 'root');
  server.tool('change', {}, (_args, ctx) => {
    ctx.notify('notifications/resources/updated', { uri: 'file:///secret/a' });
    ctx.notify('notifications/resources/updated', { uri: 'file:///public/a' });
    return 'changed';
  });
  const updates: string[] = [];
  const client = await connect(server.use({ resources: hide('file:///secret/*') }), {
    revisions: ['2025-11-25'],
    onNotification: ({ params }) => {
      updates.push(String(params.uri));
    },
  });
  onTestFinished(() => client.close());
  await client.tools.call('change');
  expect(updates).toEqual(['file:///public/a']);
});
