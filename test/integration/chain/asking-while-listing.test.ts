/** Servers that ask something while they list, in front of clients that can and clients that cannot be asked then. */

import { fileURLToPath } from 'node:url';
import { type Chain, createChain } from 'plumb-mcp/chain';
import { type Client, connect } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';
import { describe, expect, test } from 'vitest';
import { HANDSHAKE_REVISIONS, REVISIONS } from '../../../src/protocol/revisions/index.js';
import { cleanup } from '../../support/cleanup.js';
import { Steps } from '../../support/steps.js';

const ASKING = {
  command: process.execPath,
  args: [fileURLToPath(new URL('./fixtures/asks-while-listing.mjs', import.meta.url))],
};
const STATELESS = REVISIONS.filter((revision) => !HANDSHAKE_REVISIONS.includes(revision));
const ROOT = { uri: 'file:///project' };
/** Far below the time for which a question waits for a client that is on its way. */
const AT_ONCE = { timeout: 5000 };

function gateway(): Chain {
  const plain = createServer({ name: 'plain', version: '1' });
  plain.tool('run', {}, () => 'ran');
  const built = createChain({ onError: () => undefined }).to({ asking: ASKING, other: ASKING, plain });
  cleanup(
    () => plain.close({ drain: 0 }),
    () => built.close({ drain: 0 }),
  );
  return built;
}

async function described(built: Chain, version: string): Promise<(string | undefined)[]> {
  const client = await connect(built, { revisions: [version], roots: [ROOT], ...AT_ONCE });
  cleanup(() => client.close());
  const tools = await client.tools.list();
  expect(tools.map(({ name }) => name)).toEqual(['asking__where', 'other__where', 'plain__run']);
  return tools.slice(0, 2).map(({ description }) => description);
}

describe.each(HANDSHAKE_REVISIONS.map(({ version }) => version))('a client of %s', (version) => {
  test('answers every server that asks while it lists', async () => {
    expect(await described(gateway(), version)).toEqual([ROOT.uri, ROOT.uri]);
  });

  test('is the one that is asked, though others are connected', async () => {
    const built = gateway();
    const other = await connect(built, { revisions: [version], roots: [{ uri: 'file:///other' }] });
    cleanup(() => other.close());
    expect(await described(built, version)).toEqual([ROOT.uri, ROOT.uri]);
  });
});

describe.each(STATELESS.map(({ version }) => version))('a client of %s', (version) => {
  test('gets the list at once: the question is refused, and the server goes on', async () => {
    expect(await described(gateway(), version)).toEqual(['refused: -32601', 'refused: -32601']);
  });

  test('does not keep a client of the other era from being asked', async () => {
    const built = gateway();
    await described(built, version);
    const handshake = HANDSHAKE_REVISIONS.at(-1)?.version ?? '';
    expect(await described(built, handshake)).toEqual([ROOT.uri, ROOT.uri]);
  });
});

test('a question during a call goes to the client of that call while another client lists', async () => {
  const steps = new Steps();
  const server = createServer({ name: 'slow', version: '1', revisions: ['2025-11-25'] });
  server.tool('places', {}, async (_args, ctx) => {
    await steps.until('listing');
    return (await ctx.roots()).map(({ uri }) => uri).join(' ');
  });
  server.use(async (call, next) => {
    if (call.method === 'tools/list') {
      steps.reach('listing');
      await steps.opened('list', call.signal);
    }
    return next();
  });
  const built = createChain({ onError: () => undefined }).to(server);
  cleanup(
    () => server.close({ drain: 0 }),
    () => built.close({ drain: 0 }),
  );
  const open = async (roots: { uri: string }[]): Promise<Client> => {
    const client = await connect(built, { revisions: ['2025-11-25'], roots });
    cleanup(() => client.close());
    return client;
  };
  const [caller, lister] = [await open([ROOT]), await open([{ uri: 'file:///other' }])];
  const calling = caller.tools.call('places', {});
  const listing = lister.tools.list();
  expect((await calling).content).toEqual([{ type: 'text', text: ROOT.uri }]);
  steps.open('list');
  expect(await listing).toHaveLength(1);
});
