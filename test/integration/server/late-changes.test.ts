/** Changes that a node tells its sessions of while its store is away for a moment: none is passed over. */

import { expect, it } from 'vitest';
import { createMemoryStore, type Store } from '../../../src/store/index.js';
import { SessionPeer } from '../../support/http-peer.js';
import { createFixture, type Fixture } from '../../support/http-server.js';
import { startsWith } from '../../support/http-target.js';

const start = startsWith('fetch');

interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

function createGate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** A node over the store, and sessions with it. */
async function node(store: Store): Promise<Fixture & { open(): Promise<SessionPeer> }> {
  const fixture = createFixture({ http: { store } });
  const target = await start(fixture.server);
  return { ...fixture, open: () => SessionPeer.open(target, '2025-11-25', {}) };
}

it('tells on the newer of two streams, although the claim of the older one is sent again after it', async () => {
  const store = createMemoryStore();
  const { claim } = store.events;
  const [older, newer, again] = [createGate(), createGate(), createGate()];
  let streams = 0;
  store.events.claim = async (session, stream, initial, seen, isWanted = () => true) => {
    const heard = await claim.call(store.events, session, stream, initial, seen);
    if (!stream.startsWith('g')) return heard;
    streams += 1;
    if (streams === 1) {
      // It was executed, and the answer is lost with the connection.
      older.open();
      await newer.opened;
      const repeated = isWanted() ? claim.call(store.events, session, stream, initial, seen) : undefined;
      again.open();
      return repeated;
    }
    newer.open();
    return heard;
  };
  const { server, open } = await node(store);
  const peer = await open();
  await peer.stream();
  await older.opened;
  const stream = await peer.stream();
  await again.opened;
  server.log('error', 'heard');
  expect((await stream.message('notifications/message')).params?.data).toBe('heard');
});

it('tells nothing after a change that could not be told, before its client has come back for that one', async () => {
  const store = createMemoryStore();
  const { appendChange } = store.events;
  const [held, refused] = [createGate(), createGate()];
  let unlucky: string | undefined;
  store.events.appendChange = async (session, ...args) => {
    if (session === unlucky) {
      unlucky = undefined;
      held.open();
      await refused.opened;
      throw new Error('The store is away');
    }
    return appendChange.call(store.events, session, ...args);
  };
  const { server, open } = await node(store);
  const [peer, other] = [await open(), await open()];
  const [stream, witness] = [await peer.stream(), await other.stream()];
  const { id } = await stream.event();
  unlucky = peer.id;
  server.log('error', 'first');
  await held.opened;
  server.log('error', 'second');
  // By now the node has the second one for both of them.
  await witness.message('notifications/message');
  await witness.message('notifications/message');
  refused.open();
  await stream.ending;
  const rest = await peer.stream(id);
  const data = [await rest.message(), await rest.message()].map(({ params }) => params?.data);
  expect(data).toEqual(['first', 'second']);
});

it('tells a client that has come back for its stream while the stream was still being opened', async () => {
  const store = createMemoryStore();
  const { newest } = store.changes;
  const [asked, answered] = [createGate(), createGate()];
  let isSlow = false;
  store.changes.newest = async () => {
    if (isSlow) {
      isSlow = false;
      asked.open();
      await answered.opened;
    }
    return newest.call(store.changes);
  };
  const { server, open } = await node(store);
  const peer = await open();
  isSlow = true;
  const stream = await peer.stream();
  const { id } = await stream.event();
  await asked.opened;
  stream.drop();
  const rest = await peer.stream(id);
  await rest.event();
  await peer.request('ping');
  answered.open();
  server.log('error', 'heard');
  expect((await rest.message('notifications/message')).params?.data).toBe('heard');
});
