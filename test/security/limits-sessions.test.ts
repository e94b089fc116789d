/** One client cannot take all sessions: each principal and each address has a share, and idle sessions give way. */

import { describe, expect, it } from 'vitest';
import { createChain } from '../../src/chain/index.js';
import { createServer, type ServerOptions } from '../../src/server/index.js';
import { createMemoryStore } from '../../src/store/index.js';
import type { MemoryStoreOptions } from '../../src/store/memory.js';
import { initializeMessage, post, SessionPeer } from '../support/http-peer.js';
import { createFixture } from '../support/http-server.js';
import {
  describeMatrix,
  type HttpCall,
  type HttpTarget,
  type Start,
  sendTo,
  startsWith,
} from '../support/http-target.js';

const authenticate: NonNullable<NonNullable<ServerOptions['http']>['authenticate']> = (request) => ({
  principal: request.header('x-user') ?? 'nobody',
});

interface Scene {
  readonly target: HttpTarget;
  /** The status of an attempt to open one. */
  open(user: string): Promise<number>;
  session(user: string): Promise<SessionPeer>;
  pass(milliseconds: number): void;
}

async function scene(start: Start, options: MemoryStoreOptions): Promise<Scene> {
  let now = 1_000_000;
  const store = createMemoryStore({ ...options, now: () => now });
  const target = await start(createFixture({ http: { store, authenticate } }).server);
  return {
    target,
    open: async (user) => (await post(target, initializeMessage('2025-11-25'), { 'x-user': user })).status,
    session: (user) => SessionPeer.open(target, '2025-11-25', { headers: { 'x-user': user } }),
    pass: (milliseconds) => {
      now += milliseconds;
    },
  };
}

describeMatrix('sessions of one principal', (start) => {
  it('take no more than a share, so that others get theirs', async () => {
    const { open } = await scene(start, { maxSessions: 80 });
    const statuses = [];
    for (let opened = 0; opened < 30; opened += 1) statuses.push(await open('greedy'));
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 503)).toHaveLength(10);
    expect(await open('modest')).toBe(200);
  });

  it('give way to new ones of the same principal when they have been idle, the oldest first', async () => {
    const { open, session, pass } = await scene(start, { maxSessions: 80, maxSessionsPerPeer: 3 });
    const oldest = await session('ann');
    pass(10_000);
    const used = await session('ann');
    const other = await session('bob');
    await session('ann');
    expect(await open('ann')).toBe(503);
    pass(70_000);
    expect((await used.request('ping')).status).toBe(200);
    expect(await open('ann')).toBe(200);
    expect((await oldest.request('ping')).status).toBe(404);
    expect((await used.request('ping')).status).toBe(200);
    // What ann does is paid for by ann.
    expect((await other.request('ping')).status).toBe(200);
  });

  it('count no more once they have ended', async () => {
    const { open, session } = await scene(start, { maxSessions: 80, maxSessionsPerPeer: 2 });
    const first = await session('ann');
    await session('ann');
    expect(await open('ann')).toBe(503);
    await first.end();
    expect(await open('ann')).toBe(200);
  });

  it('give way to those of others when all places are taken', async () => {
    const { open, session, pass } = await scene(start, { maxSessions: 4, maxSessionsPerPeer: 4 });
    const [first, second] = [await session('ann'), await session('ann')];
    pass(30_000);
    await session('bob');
    await session('bob');
    expect(await open('carl')).toBe(503);
    pass(31_000);
    expect((await second?.request('ping'))?.status).toBe(200);
    expect(await open('carl')).toBe(200);
    expect((await first?.request('ping'))?.status).toBe(404);
    expect((await second?.request('ping'))?.status).toBe(200);
  });
});

describe('sessions without a principal', () => {
  const start = startsWith('node');

  it('take no more than the share of their address', async () => {
    const store = createMemoryStore({ maxSessions: 80 });
    const address = (request: { header(name: string): string | undefined }) => request.header('x-real-ip');
    const { server } = createFixture({ http: { store, clientAddress: address } });
    const target = await start(server);
    const open = async (from: string) =>
      (await post(target, initializeMessage('2025-11-25'), { 'x-real-ip': from })).status;
    const statuses = [];
    for (let opened = 0; opened < 25; opened += 1) statuses.push(await open('192.0.2.1'));
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(await open('192.0.2.2')).toBe(200);
  });

  it('take no more than the share of the address that they connect from', async () => {
    const store = createMemoryStore({ maxSessions: 80 });
    const target = await start(createFixture({ http: { store } }).server);
    const statuses = [];
    for (let opened = 0; opened < 25; opened += 1)
      statuses.push((await post(target, initializeMessage('2025-11-25'))).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  });
});

describe('connections of the old HTTP+SSE', () => {
  const start = startsWith('node');

  it('take no more than the share of their principal', async () => {
    const { server } = createFixture({ http: { authenticate } });
    const target = await start(server, { legacySse: { maxConnections: 20, maxConnectionsPerPeer: 3 } });
    const open = (user: string) =>
      target.send({ method: 'GET', path: '/sse', headers: { accept: 'text/event-stream', 'x-user': user } });
    const streams = [];
    for (let opened = 0; opened < 5; opened += 1) streams.push(await open('greedy'));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 503, 503]);
    streams.push(await open('modest'));
    expect(streams.at(-1)?.status).toBe(200);
    for (const stream of streams) stream.drop();
  });
});

describe('a session that gives way', () => {
  it('takes along what a chain held for it upstream', async () => {
    let now = 1_000_000;
    const watched = createServer({ name: 'watched', version: '1', revisions: ['2025-11-25'] });
    watched.resource('test://{id}', {}, () => 'text');
    const heard: string[] = [];
    watched.use({ method: ['resources/subscribe', 'resources/unsubscribe'] }, (call, next) => {
      heard.push(`${call.method} ${call.params.uri}`);
      return next(call);
    });
    const store = createMemoryStore({ maxSessions: 1, now: () => now });
    const proxy = createChain({ http: { store } }).to(watched);
    const handle = await proxy.http();
    const target = { send: (call: HttpCall) => sendTo(handle.origin, call) };
    const first = await SessionPeer.open(target, '2025-11-25');
    await (await first.request('resources/subscribe', { uri: 'test://1' })).result();
    now += 61_000;
    await SessionPeer.open(target, '2025-11-25');
    await expect
      .poll(() => heard)
      .toEqual(['resources/subscribe test://1', 'resources/unsubscribe test://1']);
    await proxy.close({ drain: 0 });
  });
});
