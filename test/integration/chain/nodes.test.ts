/** Chains that share a store, as the nodes of a service do: here in one process, with the store in memory. */

import { createChain } from 'plumb-mcp/chain';
import { createServer } from 'plumb-mcp/server';
import { createMemoryStore } from 'plumb-mcp/store';
import { expect, test } from 'vitest';
import { cleanup } from '../../support/cleanup.js';
import { type Sender, SessionPeer, stateless } from '../../support/http-peer.js';
import { sendTo } from '../../support/http-target.js';
import { textOf } from '../../support/wire-peer.js';

const ELICITS = { capabilities: { elicitation: { form: {} } } };
interface Place extends Sender {
  close(): Promise<void>;
}

/** Two chains in front of a server of which each session has its own, which counts its connections. */
async function two(): Promise<{ places: [Place, Place]; connections: () => number }> {
  const store = createMemoryStore();
  let connections = 0;
  const source = {
    transport: () => {
      connections += 1;
      const mine = connections;
      const server = createServer({
        name: 's',
        version: '1',
        revisions: ['2025-11-25'],
        onError: () => undefined,
      });
      cleanup(() => server.close({ drain: 0 }));
      server.tool('which', {}, () => String(mine));
      server.tool('fail', {}, () => {
        throw new Error('secret');
      });
      server.tool('ask', {}, async (_, ctx) => {
        const form = { type: 'object', properties: { name: { type: 'string' } } } as const;
        const answer = await ctx.elicit('Who?', form);
        return `${answer.action} by ${mine}`;
      });
      return server.transport();
    },
  };
  const place = async (): Promise<Place> => {
    const requestState = { keys: [Buffer.alloc(32, 1).toString('base64url')] };
    const built = createChain({ onError: () => undefined, requestState }).to({
      s: { server: source, isolate: 'session' },
    });
    const { origin } = await built.http({ port: 0, store });
    const close = (): Promise<void> => built.close({ drain: 0 });
    cleanup(close);
    return { send: (call) => sendTo(origin, call), close };
  };
  cleanup(() => store.close());
  return { places: [await place(), await place()], connections: () => connections };
}

/** The session of a client, as it looks when the next request goes to the other place. */
function at(place: Sender, { opening, version }: SessionPeer): SessionPeer {
  return new SessionPeer(place, opening, version, {});
}

test('a session has one server, whichever node its requests come to', async () => {
  const { places, connections } = await two();
  const here = await SessionPeer.open(places[0], '2025-11-25', ELICITS);
  const there = at(places[1], here);
  const which = async (peer: SessionPeer): Promise<string> =>
    textOf(await (await peer.tool('which')).result());
  expect([await which(here), await which(there), await which(here)]).toEqual(['1', '1', '1']);
  expect(connections()).toBe(1);
  const failed = await (await there.tool('fail')).result();
  expect(failed.isError).toBe(true);
  expect((await (await there.request('constructor')).error()).code).toBe(-32601);
  await (await there.end()).text();
  expect((await here.tool('which')).status).toBe(404);
});

test('a session goes to the other node when its own closes', async () => {
  const { places } = await two();
  const here = await SessionPeer.open(places[0], '2025-11-25', ELICITS);
  const there = at(places[1], here);
  expect(textOf(await (await there.tool('which')).result())).toBe('1');
  await places[0].close();
  expect(textOf(await (await there.tool('which')).result())).toBe('2');
});

test('a parked call goes on where it waits, and is over when that node closes', async () => {
  const { places } = await two();
  const ask = async (place: Sender, more = {}) =>
    (await stateless(place, 'tools/call', { name: 'ask', arguments: {}, ...more }, ELICITS)).response();
  const first = await ask(places[0]);
  const [key = ''] = Object.keys(first.result?.inputRequests as object);
  const retry = {
    requestState: first.result?.requestState,
    inputResponses: { [key]: { action: 'decline' } },
  };
  expect(textOf((await ask(places[1], retry)).result ?? {})).toBe('decline by 1');
  const second = await ask(places[0]);
  await places[0].close();
  const late = await ask(places[1], { ...retry, requestState: second.result?.requestState });
  expect(late.error?.message).toContain('has stopped; start the call again without state');
});
