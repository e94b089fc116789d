/** `ctx.session` and `ctx.user` over every transport, for our client and for those of the official SDKs. */

import { fileURLToPath } from 'node:url';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, test } from 'vitest';
import { connect, type Target, textOf } from '../../../src/client/index.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import type { HttpHandle } from '../../../src/server/index.js';
import { cleanup } from '../../support/cleanup.js';
import { createStdioPair } from '../../support/stdio-pair.js';
import { createCounter } from './fixtures/counter.mjs';

const KEY = 'plumb-mcp/session';
const FIXTURE = fileURLToPath(new URL('./fixtures/counter.mjs', import.meta.url));
const STDIO = { command: process.execPath, args: [FIXTURE, '--stdio'] };

async function listening(): Promise<HttpHandle> {
  const server = createCounter({ onError: () => {} });
  cleanup(() => server.close({ drain: 0 }));
  return server.http({ legacySse: true });
}

const TARGETS: Readonly<Record<string, () => Promise<Target>>> = {
  memory: async () => createCounter(),
  pipes: () => createStdioPair(createCounter()),
  'a process': async () => STDIO,
  HTTP: async () => ({ url: (await listening()).url }),
  'the old SSE': async () => ({ url: `${(await listening()).origin}/sse` }),
};

const CELLS = Object.keys(TARGETS).flatMap((transport) =>
  REVISIONS.filter(({ lifecycle }) => transport !== 'the old SSE' || lifecycle === 'handshake').map(
    ({ version }) => ({ transport, version }),
  ),
);

test.each(CELLS)(
  'a client of $version over $transport finds what it kept',
  async ({ transport, version }) => {
    const client = await connect(await (TARGETS[transport]?.() ?? Promise.reject()), {
      revisions: [version],
    });
    cleanup(() => client.close());
    const counts: string[] = [];
    for (let call = 0; call < 3; call += 1) counts.push(textOf(await client.tools.call('count')));
    expect(counts).toEqual(['1', '2', '3']);
    expect(textOf(await client.tools.call('look'))).toBe('{"count":3}');
  },
);

/** What the official clients call a result. */
interface OfficialResult {
  readonly content?: unknown;
  readonly _meta?: Record<string, unknown> | undefined;
}

function said(result: OfficialResult): string {
  const [first] = Array.isArray(result.content) ? result.content : [];
  return String((first as { text?: unknown } | undefined)?.text);
}

describe('the official clients', () => {
  const v1 = {
    stdio: async () => new StdioV1(STDIO),
    http: async () => new HttpV1(new URL((await listening()).url)),
    sse: async () => new SseV1(new URL(`${(await listening()).origin}/sse`)),
  };
  const v2 = {
    stdio: async () => new StdioV2(STDIO),
    http: async () => new HttpV2(new URL((await listening()).url)),
  };

  test.each(Object.keys(v1) as (keyof typeof v1)[])('v1 has its session over %s', async (name) => {
    const client = new ClientV1({ name: 'v1', version: '1' });
    await client.connect(await v1[name]());
    cleanup(() => client.close());
    const call = async () => said(await client.callTool({ name: 'count', arguments: {} }));
    expect([await call(), await call()]).toEqual(['1', '2']);
  });

  test.each(Object.keys(v2) as (keyof typeof v2)[])(
    'v2 has its session in the older era over %s',
    async (name) => {
      const client = new ClientV2({ name: 'v2', version: '2' }, { versionNegotiation: { mode: 'legacy' } });
      await client.connect(await v2[name]());
      cleanup(() => client.close());
      const call = async () => said(await client.callTool({ name: 'count', arguments: {} }));
      expect([await call(), await call()]).toEqual(['1', '2']);
    },
  );

  test.each(Object.keys(v2) as (keyof typeof v2)[])(
    'v2 finds its bucket over %s with the handle of the result, and a fresh one without',
    async (name) => {
      const client = new ClientV2({ name: 'v2', version: '2' }, { versionNegotiation: { mode: 'auto' } });
      await client.connect(await v2[name]());
      cleanup(() => client.close());
      const first: OfficialResult = await client.callTool({ name: 'count', arguments: {} });
      const handle = first._meta?.[KEY];
      expect(handle).toMatch(/^[\w-]{43}$/);
      const again = await client.callTool({ name: 'count', arguments: {}, _meta: { [KEY]: handle } });
      expect(said(again)).toBe('2');
      expect(said(await client.callTool({ name: 'count', arguments: {} }))).toBe('1');
    },
  );
});
