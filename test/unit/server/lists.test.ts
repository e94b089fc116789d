import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import { createServer, type Server } from '../../../src/server/index.js';
import { openRevision, type RevisionPeer, VERSIONS } from '../../support/wire-peer.js';

const LISTS = [
  ['tools/list', 'tools'],
  ['prompts/list', 'prompts'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
] as const;

function stocked(count: number, pageSize: number): Server {
  const server = createServer({ name: 's', version: '1', pageSize });
  for (let index = 0; index < count; index += 1) {
    server.tool(`t${index}`, {}, () => '');
    server.prompt(`p${index}`, {}, () => '');
    server.resource(`test:r${index}`, { name: `r${index}` }, () => '');
    server.resource(`test:u${index}/{x}`, { name: `u${index}` }, () => '');
  }
  return server;
}

async function walk(
  peer: RevisionPeer,
  method: string,
  field: string,
): Promise<{ pages: JsonObject[]; names: string[] }> {
  const pages: JsonObject[] = [];
  for (let cursor: unknown; ; ) {
    const page = await peer.call(method, cursor === undefined ? {} : { cursor });
    pages.push(page);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return {
    pages,
    names: pages.flatMap((page) => (page[field] as { name: string }[]).map(({ name }) => name)),
  };
}

describe.each(VERSIONS)('lists in %s', (version) => {
  test.each(LISTS)('%s is paged, complete and in the order of registration', async (method, field) => {
    const peer = await openRevision(stocked(7, 3), version);
    const { pages, names } = await walk(peer, method, field);
    expect(pages.map((page) => (page[field] as unknown[]).length)).toEqual([3, 3, 1]);
    expect(names.map((name) => name.slice(1))).toEqual(['0', '1', '2', '3', '4', '5', '6']);
    if (version === '2026-07-28') {
      for (const page of pages) expect(page).toMatchObject({ ttlMs: 60_000, cacheScope: 'private' });
    }
  });

  test.each(LISTS)('%s is the same for every connection, and after calls', async (method, field) => {
    const server = stocked(4, 2);
    const [one, two] = [await openRevision(server, version), await openRevision(server, version)];
    const before = await walk(one, method, field);
    await one.tool('t1');
    expect((await walk(two, method, field)).pages).toEqual(before.pages);
    expect((await walk(one, method, field)).pages).toEqual(before.pages);
  });

  test.each(LISTS)('%s refuses a cursor that it did not hand out', async (method) => {
    const peer = await openRevision(stocked(4, 2), version);
    for (const cursor of ['junk', '', 7, null, { a: 1 }]) {
      expect((await peer.refusal(method, { cursor })).code).toBe(-32602);
    }
  });

  test('a cursor of one list is no cursor of another', async () => {
    const peer = await openRevision(stocked(4, 2), version);
    const { nextCursor } = await peer.call('tools/list');
    for (const method of ['prompts/list', 'resources/list', 'resources/templates/list']) {
      expect((await peer.refusal(method, { cursor: nextCursor })).code).toBe(-32602);
    }
  });

  test('a removal between two pages loses and repeats nothing', async () => {
    const server = createServer({ name: 's', version: '1', pageSize: 2 });
    const registrations = ['a', 'b', 'c', 'd', 'e'].map((name) => server.tool(name, {}, () => ''));
    const peer = await openRevision(server, version);
    const first = await peer.call('tools/list');
    registrations[1]?.remove();
    server.tool('f', {}, () => '');
    const second = await peer.call('tools/list', { cursor: first.nextCursor });
    const third = await peer.call('tools/list', { cursor: second.nextCursor });
    const names = [first, second, third].map((page) =>
      (page.tools as { name: string }[]).map(({ name }) => name),
    );
    expect(names).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
    ]);
  });

  test('the list that is answered is the one of this moment', async () => {
    const server = stocked(1, 100);
    const peer = await openRevision(server, version);
    const tools = async () =>
      ((await peer.call('tools/list')).tools as { name: string }[]).map(({ name }) => name);
    expect(await tools()).toEqual(['t0']);
    const extra = server.tool('extra', {}, () => 'x');
    expect(await tools()).toEqual(['t0', 'extra']);
    expect(extra.remove()).toBe(true);
    expect(extra.remove()).toBe(false);
    expect(await tools()).toEqual(['t0']);
    expect((await peer.refusal('tools/call', { name: 'extra' })).code).toBe(-32602);
  });

  test.each([
    ['tools/list', 'tools'],
    ['tools/call', 'tools'],
    ['prompts/list', 'prompts'],
    ['prompts/get', 'prompts'],
    ['resources/list', 'resources'],
    ['resources/read', 'resources'],
    ['resources/templates/list', 'resources'],
    ['completion/complete', 'completions'],
  ])('%s does not exist on a server that declares no %s', async (method, capability) => {
    const peer = await openRevision(createServer({ name: 's', version: '1' }), version);
    expect(peer.opening.result?.capabilities).not.toHaveProperty(capability);
    expect((await peer.refusal(method, { name: 'x', uri: 'a:b' })).code).toBe(-32601);
  });

  test('a declared capability without anything in it is an empty list', async () => {
    const server = createServer({
      name: 's',
      version: '1',
      capabilities: { tools: {}, prompts: {}, resources: {} },
    });
    const peer = await openRevision(server, version);
    for (const [method, field] of LISTS) expect((await peer.call(method))[field]).toEqual([]);
  });

  test('a list whose last entry was removed is empty: a capability once declared is kept', async () => {
    const server = createServer({ name: 's', version: '1' });
    const [tool, prompt, resource] = [
      server.tool('t', {}, () => ''),
      server.prompt('p', {}, () => ''),
      server.resource('test:r', {}, () => ''),
    ];
    const peer = await openRevision(server, version);
    for (const registration of [tool, prompt, resource]) registration.remove();
    for (const [method, field] of LISTS) expect((await peer.call(method))[field]).toEqual([]);
    const later = await openRevision(server, version);
    expect(later.opening.result?.capabilities).toMatchObject({ tools: {}, prompts: {}, resources: {} });
  });
});

describe('an old registration', () => {
  test('cannot remove what took its place', async () => {
    const server = createServer({ name: 's', version: '1' });
    const first = server.tool('t', {}, () => 'first');
    first.remove();
    server.tool('t', {}, () => 'second');
    expect(first.remove()).toBe(false);
    const peer = await openRevision(server, '2025-11-25');
    expect((await peer.tool('t')).content).toEqual([{ type: 'text', text: 'second' }]);

    const old = server.method('x/y', () => ({ from: 'first' }));
    old.remove();
    server.method('x/y', () => ({ from: 'second' }));
    expect(old.remove()).toBe(false);
    expect(await peer.call('x/y')).toEqual({ from: 'second' });
  });
});
