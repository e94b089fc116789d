/** What a server keeps between calls: `ctx.session` and `ctx.user`. */

import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { connect, textOf } from '../../../src/client/index.js';
import { isRecord, type JsonObject } from '../../../src/jsonrpc/message.js';
import type { CallToolResult } from '../../../src/protocol/model/tools.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { createServer, type Server, type ServerOptions } from '../../../src/server/index.js';
import { createMemoryStore } from '../../../src/store/memory.js';

const KEY = 'plumb-mcp/session';
const VERSIONS = REVISIONS.map(({ version }) => version);
const STATELESS = REVISIONS.filter(({ lifecycle }) => lifecycle === 'stateless').map(
  ({ version }) => version,
);
/** Revisions in which a server can ask the user. */
const ASKING = REVISIONS.filter(({ elicitation }) => elicitation !== 'none').map(({ version }) => version);
const NEWEST = STATELESS.at(-1) as string;

function counting(options: Partial<ServerOptions> = {}): Server {
  const server = createServer({ name: 's', version: '1', onError: () => {}, ...options });
  server.tool('count', {}, (_args, ctx) =>
    ctx.session.update('count', (count) => (typeof count === 'number' ? count + 1 : 1)).then(String),
  );
  server.tool('look', {}, async (_args, ctx) => JSON.stringify(await ctx.session.entries()));
  server.tool('fill', { input: z.object({ key: z.string(), value: z.unknown() }) }, ({ key, value }, ctx) =>
    ctx.session.set(key, value),
  );
  server.tool('forget', { input: z.object({ key: z.string() }) }, ({ key }, ctx) => ctx.session.delete(key));
  server.tool('clear', {}, (_args, ctx) => ctx.session.clear());
  server.tool('user', {}, (_args, ctx) =>
    ctx.user.update('count', (count) => (typeof count === 'number' ? count + 1 : 1)).then(String),
  );
  return server;
}

/** As a gate that knows who is calling would. */
function withPrincipal(server: Server): Server {
  server.use('tools/call', (call, next) => {
    const principal = call.params._meta?.as;
    return typeof principal === 'string' ? next({ ...call, caller: { ...call.caller, principal } }) : next();
  });
  return server;
}

function handleOf(result: CallToolResult): string | undefined {
  const handle = result._meta?.[KEY];
  return typeof handle === 'string' ? handle : undefined;
}

/** A call as a client makes it that keeps nothing itself. */
async function once(server: Server, name: string, meta: JsonObject = {}, args = {}): Promise<CallToolResult> {
  const client = await connect(server, { revisions: [NEWEST] });
  const result = await client.tools.call(name, args, { meta });
  await client.close();
  return result;
}

describe('ctx.session', () => {
  test.each(VERSIONS)('keeps values between the calls of a client of %s', async (version) => {
    const server = counting();
    const client = await connect(server, { revisions: [version] });
    expect(textOf(await client.tools.call('look'))).toBe('{}');
    expect(textOf(await client.tools.call('count'))).toBe('1');
    expect(textOf(await client.tools.call('count'))).toBe('2');
    expect(textOf(await client.tools.call('look'))).toBe('{"count":2}');
    const other = await connect(server, { revisions: [version] });
    expect(textOf(await other.tools.call('count'))).toBe('1');
    expect(textOf(await client.tools.call('count'))).toBe('3');
    await client.tools.call('clear');
    expect(textOf(await client.tools.call('count'))).toBe('1');
    await Promise.all([client.close(), other.close()]);
  });

  test.each(VERSIONS)('loses no update of calls of %s that run at the same time', async (version) => {
    const client = await connect(counting(), { revisions: [version] });
    await client.tools.call('count');
    const counts = await Promise.all(Array.from({ length: 100 }, () => client.tools.call('count')));
    expect(counts.map((result) => Number(textOf(result))).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 2),
    );
    await client.close();
  });

  test.each(ASKING)('is the same bucket after a question, in %s', async (version) => {
    const server = createServer({ name: 's', version: '1' });
    server.tool('ask', {}, async (_args, ctx) => {
      await ctx.once('count', () => ctx.session.update('runs', (runs) => Number(runs ?? 0) + 1));
      await ctx.elicit('Sure?', z.object({ sure: z.boolean() }));
      return JSON.stringify(await ctx.session.entries());
    });
    const client = await connect(server, {
      revisions: [version],
      elicit: () => ({ action: 'accept', content: { sure: true } }),
    });
    expect(textOf(await client.tools.call('ask'))).toBe('{"runs":1}');
    await client.close();
  });

  test('comes back with the sealed state of a call, whatever the client sends back itself', async () => {
    const server = createServer({ name: 's', version: '1' });
    server.tool('ask', {}, async (_args, ctx) => {
      await ctx.session.set('begun', true);
      await ctx.elicit('Sure?', z.object({ sure: z.boolean() }));
      return JSON.stringify(await ctx.session.entries());
    });
    const client = await connect(server, {
      revisions: [NEWEST],
      elicit: () => ({ action: 'accept', content: { sure: true } }),
    });
    // What the caller gives in `_meta` counts more than what the client kept.
    const result = await client.tools.call('ask', {}, { meta: { [KEY]: 'x'.repeat(43) } });
    expect(textOf(result)).toBe('{"begun":true}');
    await client.close();
  });

  test('gives a client without a session a handle with the result of each call that used it', async () => {
    const server = counting();
    expect(handleOf(await once(server, 'look'))).toBeUndefined();
    const handle = handleOf(await once(server, 'count'));
    expect(handle).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const second = await once(server, 'count', { [KEY]: handle });
    expect(textOf(second)).toBe('2');
    expect(handleOf(second)).toBe(handle);
    expect(textOf(await once(server, 'count'))).toBe('1');
  });

  test('gives failed results the handle too', async () => {
    const server = counting();
    server.tool('fail', {}, async (_args, ctx) => {
      await ctx.session.set('failed', true);
      throw new Error('for the log alone');
    });
    const result = await once(server, 'fail');
    expect(result.isError).toBe(true);
    expect(textOf(await once(server, 'look', { [KEY]: handleOf(result) }))).toBe('{"failed":true}');
  });

  test('gives sessions of older revisions no handle', async () => {
    for (const version of VERSIONS.filter((each) => !STATELESS.includes(each))) {
      const client = await connect(counting(), { revisions: [version] });
      expect((await client.tools.call('count'))._meta).toBeUndefined();
      await client.close();
    }
  });

  test('of one principal cannot be reached by another with its handle', async () => {
    const server = withPrincipal(counting());
    const handle = handleOf(await once(server, 'count', { as: 'ada' }));
    const stolen = await once(server, 'count', { as: 'eve', [KEY]: handle });
    expect(textOf(stolen)).toBe('1');
    expect(handleOf(stolen)).not.toBe(handle);
    expect(textOf(await once(server, 'count', { [KEY]: handle }))).toBe('1');
    expect(textOf(await once(server, 'count', { as: 'ada', [KEY]: handle }))).toBe('2');
  });

  test('of another principal in the same session is another one', async () => {
    const server = withPrincipal(counting());
    const client = await connect(server, { revisions: [VERSIONS[0] as string] });
    const as = (principal: string) =>
      client.tools.call('count', {}, { meta: { as: principal } }).then(textOf);
    expect([await as('ada'), await as('eve'), await as('ada')]).toEqual(['1', '1', '2']);
    await client.close();
  });

  test('is a fresh one for a handle that was changed, made up or is none at all', async () => {
    const server = counting();
    const handle = handleOf(await once(server, 'count')) ?? '';
    const changed = `${handle.slice(0, -1)}${handle.endsWith('A') ? 'B' : 'A'}`;
    for (const given of [changed, 'A'.repeat(43), '', `${handle} `, 7, { handle }, handle.repeat(1000)]) {
      const result = await once(server, 'count', { [KEY]: given });
      expect(textOf(result)).toBe('1');
      // A client cannot choose its handle: somebody else may know it.
      expect(handleOf(result)).not.toBe(given);
    }
    expect(textOf(await once(server, 'count', { [KEY]: handle }))).toBe('2');
  });

  test('expires when it is not used, and stays while it is', async () => {
    let now = 0;
    const server = counting({ session: { ttl: '10m', now: () => now } });
    const handle = handleOf(await once(server, 'count'));
    for (let round = 0; round < 5; round += 1) {
      now += 8 * 60_000;
      expect(textOf(await once(server, 'look', { [KEY]: handle }))).toBe('{"count":1}');
    }
    now += 11 * 60_000;
    const late = await once(server, 'count', { [KEY]: handle });
    expect(textOf(late)).toBe('1');
    expect(handleOf(late)).not.toBe(handle);
  });

  test('ends with the session', async () => {
    const store = createMemoryStore();
    const server = counting({ http: { store }, session: { max: 10, maxPerPeer: 10 } });
    const client = await connect(server, { revisions: [VERSIONS[0] as string] });
    await client.tools.call('count');
    const kept = await store.values.get('buckets:session:0');
    const [listed] = [...(kept ?? '').matchAll(/bucket:[\w-]{43}/g)].map(([key]) => key);
    expect(await store.values.get(listed ?? '')).toContain('count');
    await client.close();
    await expect.poll(() => store.values.get(listed ?? '')).toBeUndefined();
  });

  test('holds so many keys, and so many bytes', async () => {
    const errors: unknown[] = [];
    const server = counting({
      session: { maxEntries: 2, maxBytes: '100b' },
      onError: (error) => errors.push(error),
    });
    const client = await connect(server);
    const fill = (key: string, value: unknown) => client.tools.call('fill', { key, value });
    await fill('a', 1);
    await fill('__proto__', { polluted: true });
    expect((await fill('c', 1)).isError).toBe(true);
    expect((await fill('a', 'ä'.repeat(50))).isError).toBe(true);
    expect(errors.map(String)).toEqual([
      'McpError: ctx.session keeps at most 2 keys; delete some, or raise session.maxEntries',
      expect.stringMatching(
        /^McpError: ctx\.session keeps at most 100 bytes, and this makes 1\d\d; keep less/,
      ),
    ]);
    expect(textOf(await client.tools.call('look'))).toBe('{"a":1,"__proto__":{"polluted":true}}');
    await client.tools.call('forget', { key: 'a' });
    expect((await fill('c', 1)).isError).not.toBe(true);
    expect(({} as JsonObject).polluted).toBeUndefined();
    await client.close();
  });

  test('makes room by giving up buckets that no call came back to', async () => {
    const server = counting({ session: { max: 3, maxPerPeer: 3 } });
    const loyal = handleOf(await once(server, 'count'));
    expect(textOf(await once(server, 'count', { [KEY]: loyal }))).toBe('2');
    const others: (string | undefined)[] = [];
    for (let index = 0; index < 10; index += 1) others.push(handleOf(await once(server, 'count')));
    expect(textOf(await once(server, 'count', { [KEY]: loyal }))).toBe('3');
    expect(textOf(await once(server, 'look', { [KEY]: others[0] }))).toBe('{}');
    expect(textOf(await once(server, 'look', { [KEY]: others[9] }))).toBe('{"count":1}');
  });

  test('refuses values that are not JSON, and functions of update that return promises', async () => {
    const errors: unknown[] = [];
    const server = counting({ onError: (error) => errors.push(error) });
    server.tool('wrong', {}, (_args, ctx) => ctx.session.set('n', 1n));
    server.tool('late', {}, (_args, ctx) => ctx.session.update('n', async () => 1));
    server.tool('unnamed', {}, (_args, ctx) => ctx.session.get(''));
    const client = await connect(server);
    for (const name of ['wrong', 'late', 'unnamed']) await client.tools.call(name);
    expect(errors.map(String)).toEqual([
      'TypeError: ctx.session: the value of "n" cannot be written as JSON',
      'TypeError: ctx.session: update("n") needs a function that returns the value, and not a promise',
      'TypeError: ctx.session: a key is a text of 1 to 256 characters',
    ]);
    await client.close();
  });

  test('checks and types values by the schemas of the options', async () => {
    const errors: unknown[] = [];
    const server = createServer({
      name: 's',
      version: '1',
      onError: (error) => errors.push(error),
      session: { values: { cart: z.array(z.string()), visits: z.number() } },
      user: { values: { theme: { type: 'string', enum: ['dark', 'light'] } } },
    });
    server.tool('typed', {}, async (_args, ctx) => {
      const cart = await ctx.session.get('cart');
      expectTypeOf(cart).toEqualTypeOf<string[] | undefined>();
      expectTypeOf(await ctx.session.entries()).toEqualTypeOf<Partial<{ cart: string[]; visits: number }>>();
      const visits = await ctx.session.update('visits', (count = 0) => count + 1);
      expectTypeOf(visits).toEqualTypeOf<number | undefined>();
      expectTypeOf(await ctx.user.get('theme')).toEqualTypeOf<'dark' | 'light' | undefined>();
      await ctx.session.set('cart', [...(cart ?? []), 'tea']);
      await ctx.user.set('theme', 'dark');
      return JSON.stringify([await ctx.session.entries(), await ctx.user.entries()]);
    });
    server.tool('wrong', {}, (_args, ctx) =>
      // @ts-expect-error a list of strings is wanted
      ctx.session.set('cart', [1]),
    );
    server.tool('unknown', {}, (_args, ctx) =>
      // @ts-expect-error there is no such key
      ctx.session.get('kart'),
    );
    const client = await connect(server);
    expect(textOf(await client.tools.call('typed'))).toBe('[{"visits":1,"cart":["tea"]},{"theme":"dark"}]');
    await client.tools.call('wrong');
    await client.tools.call('unknown');
    expect(errors.map(String)).toEqual([
      expect.stringMatching(/^TypeError: ctx\.session: the value of "cart" is not valid: 0: .*string/),
      'TypeError: ctx.session has no "kart"; the option session.values has cart, visits',
    ]);
    await client.close();
  });

  test('is part of resources, prompts and methods of your own', async () => {
    const server = counting();
    server.resource('count://session', { cache: { ttl: '1m', scope: 'public' } }, async (_request, ctx) => {
      await ctx.session.set('read', true);
      return 'read';
    });
    server.prompt('remember', {}, async (_args, ctx) => {
      await ctx.session.set('prompted', true);
      return 'done';
    });
    server.method('acme/look', async (_params, ctx) => ({ kept: await ctx.session.entries() }));
    const client = await connect(server, { revisions: [NEWEST] });
    const read = await client.resources.read('count://session');
    // No shared cache may hand the handle to others.
    expect(read).toMatchObject({ cacheScope: 'private', _meta: { [KEY]: expect.any(String) } });
    await client.prompts.get('remember');
    const looked = await client.request('acme/look', {});
    expect(isRecord(looked) && looked.kept).toEqual({ read: true, prompted: true });
    await client.close();
  });
});

describe('ctx.user', () => {
  test.each(VERSIONS)('is one bucket for all sessions of a principal of %s', async (version) => {
    const server = withPrincipal(counting());
    const count = async (principal: string): Promise<string> => {
      const client = await connect(server, { revisions: [version] });
      const result = await client.tools.call('user', {}, { meta: { as: principal } });
      await client.close();
      return textOf(result);
    };
    expect([await count('ada'), await count('eve'), await count('ada')]).toEqual(['1', '1', '2']);
  });

  test('of a local client is that of the user of this machine', async () => {
    const server = counting();
    expect([textOf(await once(server, 'user')), textOf(await once(server, 'user'))]).toEqual(['1', '2']);
  });

  test('is refused where nobody knows who is calling', async () => {
    const errors: unknown[] = [];
    const server = counting({ onError: (error) => errors.push(error) });
    const client = await connect({
      url: 'http://localhost/mcp',
      fetch: (input: URL | string | Request, init?: RequestInit) => server.fetch(new Request(input, init)),
    });
    expect((await client.tools.call('user')).isError).toBe(true);
    expect(String(errors[0])).toContain('ctx.user needs to know who is calling');
    await client.close();
    await server.close();
  });
});
