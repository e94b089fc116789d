/** Attacks on gateways, tried on the chain. */

import { createChain } from 'plumb-mcp/chain';
import { connect } from 'plumb-mcp/client';
import { authorize, hide, metrics } from 'plumb-mcp/middleware';
import { createServer, type Server } from 'plumb-mcp/server';
import { describe, expect, test } from 'vitest';
import { cleanup } from '../support/cleanup.js';

/** A server behind HTTP that remembers the headers and params it got. */
async function listening(): Promise<{ url: string; server: Server; ran: string[] }> {
  const server = createServer({ name: 's', version: '1' });
  const ran: string[] = [];
  for (const name of ['open', 'delete_all']) {
    server.tool(name, {}, () => {
      ran.push(name);
      return 'done';
    });
  }
  const { url } = await server.http();
  cleanup(() => server.close({ drain: 0 }));
  return { url, server, ran };
}

describe('a hidden or forbidden tool', () => {
  test.each(['2025-11-25', '2026-07-28'])(
    'called by name is denied, and never runs (%s)',
    async (revision) => {
      const { url, ran } = await listening();
      const built = createChain({ onError: () => undefined })
        .use(
          { tools: hide('delete_*') },
          authorize(({ name }) => name !== 'forbidden'),
        )
        .to({ s: { url, prefix: '', exclude: 'secret_*' } });
      cleanup(() => built.close({ drain: 0 }));
      const client = await connect(built, { revisions: [revision] });
      cleanup(() => client.close());
      expect((await client.tools.list()).map(({ name }) => name)).toEqual(['open']);
      for (const name of ['delete_all', 'forbidden', 'secret_tool', 's__delete_all']) {
        await expect(client.tools.call(name)).rejects.toMatchObject({ rpcCode: -32602 });
        await expect(client.request('tools/call', { name })).rejects.toMatchObject({ rpcCode: -32602 });
      }
      expect(ran).toEqual([]);
    },
  );
});

describe("the client's request to the chain", () => {
  test.each(['2025-11-25', '2026-07-28'])('keeps its headers and token to itself (%s)', async (revision) => {
    const { url } = await listening();
    const sent: Headers[] = [];
    const spy: typeof fetch = (input, init) => {
      sent.push(new Headers(init?.headers));
      return fetch(input, init);
    };
    const built = createChain({ onError: () => undefined }).to({
      s: { url, fetch: spy, headers: { 'x-own': 'yes' } },
    });
    cleanup(() => built.close({ drain: 0 }));
    const front = await built.http();
    const client = await connect(front.url, {
      revisions: [revision],
      headers: {
        authorization: 'Bearer of-the-client',
        cookie: 'session=1',
        'x-forwarded-user': 'admin',
        'x-plumb-principal': 'admin',
      },
    });
    cleanup(() => client.close());
    expect(await client.tools.call('open')).toMatchObject({ content: [{ text: 'done' }] });
    expect(sent.length).toBeGreaterThan(0);
    for (const headers of sent) {
      for (const name of ['authorization', 'cookie', 'x-forwarded-user', 'x-plumb-principal'])
        expect(headers.get(name)).toBeNull();
      expect(headers.get('x-own')).toBe('yes');
    }
  });

  test('does not decide who it is by a header', async () => {
    const { url } = await listening();
    const principals: unknown[] = [];
    const built = createChain({ onError: () => undefined })
      .use((call, next) => {
        principals.push(call.caller.principal);
        return next();
      })
      .to(url);
    cleanup(() => built.close({ drain: 0 }));
    const front = await built.http();
    const client = await connect(front.url, { headers: { 'x-plumb-principal': 'admin', 'x-user': 'admin' } });
    cleanup(() => client.close());
    await client.tools.call('open');
    expect(new Set(principals)).toEqual(new Set([undefined]));
  });
});

test('two clients with the same ids at the same time get their own answers', async () => {
  const server = createServer({ name: 's', version: '1', revisions: ['2025-11-25'] });
  server.tool('who', { input: { type: 'object', properties: { me: { type: 'string' } } } }, async (args) => {
    await new Promise((resolve) => setImmediate(resolve));
    return JSON.stringify(args);
  });
  cleanup(() => server.close({ drain: 0 }));
  const built = createChain({ onError: () => undefined }).to(server);
  cleanup(() => built.close({ drain: 0 }));
  const front = await built.http();
  const clients = await Promise.all(
    ['2024-11-05', '2025-11-25', '2026-07-28'].map((revision) =>
      connect(front.url, { revisions: [revision] }),
    ),
  );
  for (const client of clients) cleanup(() => client.close());
  const rounds = Array.from({ length: 20 }, (_, index) => index);
  await Promise.all(
    clients.flatMap((client, number) =>
      rounds.map(async (round) => {
        const me = `${number}.${round}`;
        const answer = await client.tools.call('who', { me });
        expect(answer.content).toEqual([{ type: 'text', text: JSON.stringify({ me }) }]);
      }),
    ),
  );
});

test('the metrics page is behind the same checks as the endpoint', async () => {
  const { url } = await listening();
  const counted = metrics();
  const built = createChain({ onError: () => undefined })
    .use(counted)
    .to(url);
  cleanup(() => built.close({ drain: 0 }));
  const front = await built.http({ pages: { '/metrics': () => counted.text() } });
  const client = await connect(front.url);
  cleanup(() => client.close());
  await client.tools.call('open');
  const page = await fetch(`${front.origin}/metrics`);
  expect(await page.text()).toContain('name="open",outcome="ok"');
  const foreign = await fetch(`${front.origin}/metrics`, { headers: { origin: 'https://evil.example' } });
  expect(foreign.status).toBe(403);
});
