/** Which of several servers a URI goes to: the one that listed it, then one with a template for it, then by priority. */

import { createChain } from 'plumb-mcp/chain';
import { type Client, connect } from 'plumb-mcp/client';
import { createServer, type Server } from 'plumb-mcp/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';

interface Behind {
  readonly server: Server;
  /** The URIs of reads and subscriptions that came here. */
  readonly reached: string[];
}

/** Reads whatever it is asked for, as servers do that make their resources up. */
function serverWith(name: string, uris: readonly string[], templates: readonly string[]): Behind {
  const server = createServer({ name, version: '1', revisions: ['2025-11-25'] });
  const reached: string[] = [];
  for (const uri of uris) server.resource(uri, { name: `${uri} of ${name}` }, () => 'never read');
  for (const template of templates) {
    const complete = { id: () => [`completed by ${name}`] };
    server.resource(template, { name: `${template} of ${name}`, complete }, () => 'never read');
  }
  server.use((call, next) => {
    const { uri } = call.params;
    if (typeof uri !== 'string') return next();
    reached.push(`${call.method} ${uri}`);
    if (call.method !== 'resources/read') return next();
    return { contents: [{ uri, text: `${uri} read by ${name}` }] };
  });
  onTestFinished(() => server.close({ drain: 0 }));
  return { server, reached };
}

async function meet(revision: string): Promise<{ client: Client; first: Behind; second: Behind }> {
  const first = serverWith('first', ['both://same', 'first://fixed'], ['wide://{id}', 'first://item/{id}']);
  const second = serverWith('second', ['both://same', 'wide://listed'], ['second://item/{id}']);
  // The order in the map is not the order of priority.
  const built = createChain({ onError: () => undefined }).to({
    second: { server: second.server },
    first: { server: first.server, priority: 1 },
  });
  const client = await connect(built, { revisions: [revision] });
  onTestFinished(async () => {
    await client.close();
    await built.close({ drain: 0 });
  });
  return { client, first, second };
}

const OWNERS: readonly [string, string][] = [
  ['both://same', 'first'],
  ['first://fixed', 'first'],
  ['wide://listed', 'second'],
  ['wide://other', 'first'],
  ['first://item/7', 'first'],
  ['second://item/7', 'second'],
  ['made-up://anything', 'first'],
];

describe.each(REVISIONS.map(({ version }) => version))('for a client of %s', (revision) => {
  test.each([
    ['before anything was listed', []],
    ['after a list', ['resources/list', 'resources/templates/list']],
    [
      'after several lists',
      ['resources/list', 'resources/templates/list', 'resources/list', 'resources/list'],
    ],
  ])('a URI is read from its owner %s', async (_when, lists) => {
    const { client } = await meet(revision);
    for (const method of lists) await client.request(method, {});
    for (const [uri, owner] of OWNERS) {
      expect((await client.resources.read(uri)).contents).toMatchObject([
        { text: `${uri} read by ${owner}` },
      ]);
    }
  });

  test('a URI that two servers list is shown once, as the one that answers for it has it', async () => {
    const { client } = await meet(revision);
    const shown = (await client.resources.list()).filter(({ uri }) => uri === 'both://same');
    expect(shown.map(({ name }) => name)).toEqual(['both://same of first']);
  });

  test('arguments of a template are completed by its owner', async () => {
    const { client } = await meet(revision);
    const argument = { name: 'id', value: '' };
    for (const [uri, owner] of [
      ['second://item/{id}', 'second'],
      ['wide://{id}', 'first'],
    ]) {
      const ref = { type: 'ref/resource', uri };
      expect(await client.request('completion/complete', { ref, argument })).toMatchObject({
        completion: { values: [`completed by ${owner}`] },
      });
    }
  });
});

test('a URI is subscribed to at its owner, and nowhere else', async () => {
  const { client, first, second } = await meet('2025-11-25');
  for (const uri of ['both://same', 'wide://listed']) await client.resources.subscribe(uri, () => undefined);
  expect(first.reached).toEqual(['resources/subscribe both://same']);
  expect(second.reached).toEqual(['resources/subscribe wide://listed']);
});
