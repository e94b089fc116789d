/** The clients of the official SDKs, v1 and v2, against our demo server with the conformance fixtures: stdio, Streamable HTTP, and the old SSE. */

import { fileURLToPath } from 'node:url';
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
  SSEClientTransport as SseV2,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createFixtureServer } from '../../../conformance/fixture-server.mjs';
import { HANDSHAKE_REVISIONS, REVISIONS } from '../../../src/protocol/revisions/index.js';
import type { HttpHandle } from '../../../src/server/http/service.js';
import type { Server } from '../../../src/server/server.js';

const SERVE = fileURLToPath(new URL('../../../conformance/serve.mjs', import.meta.url));
const STDIO = { command: process.execPath, args: [SERVE, '--stdio'] };
const CHANGES = [
  { name: 'test_trigger_tool_change', arguments: {} },
  { name: 'write_note', arguments: { text: 'noted' } },
];
const NEWEST = REVISIONS.at(-1)?.version ?? '';

let server: Server;
let handle: HttpHandle;

beforeAll(async () => {
  server = createFixtureServer();
  handle = await server.http({ legacySse: true });
});
afterAll(() => server.close({ drain: 0 }));

const TRANSPORTS_V1 = {
  stdio: () => new StdioV1(STDIO),
  http: () => new HttpV1(new URL(handle.url)),
  sse: () => new SseV1(new URL(`${handle.origin}/sse`)),
};

describe.each(Object.keys(TRANSPORTS_V1) as (keyof typeof TRANSPORTS_V1)[])(
  'the client of SDK v1 over %s',
  (name) => {
    async function open(): Promise<ClientV1> {
      const capabilities = { sampling: {}, elicitation: {}, roots: { listChanged: true } };
      const client = new ClientV1({ name: 'v1', version: '1' }, { capabilities });
      client.setRequestHandler(ElicitRequestSchema, () => ({
        action: 'accept',
        content: { username: 'ada', email: 'a@b.c' },
      }));
      client.setRequestHandler(CreateMessageRequestSchema, () => ({
        role: 'assistant',
        content: { type: 'text', text: 'sampled' },
        model: 'v1-model',
      }));
      client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///v1' }] }));
      await client.connect(TRANSPORTS_V1[name]());
      onTestFinished(() => client.close());
      return client;
    }

    test('lists, calls, reads and prompts', async () => {
      const client = await open();
      expect(client.getServerVersion()).toMatchObject({ name: 'plumb-demo' });
      expect((await client.listTools()).tools.length).toBeGreaterThan(20);
      expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
        structuredContent: { sum: 3 },
      });
      expect((await client.readResource({ uri: 'test://static-text' })).contents).toHaveLength(1);
      expect((await client.getPrompt({ name: 'test_simple_prompt' })).messages).toHaveLength(1);
      await client.ping();
      await client.setLoggingLevel('warning');
    });

    test('answers questions', async () => {
      const client = await open();
      const elicited = await client.callTool({ name: 'test_elicitation', arguments: { message: 'Who?' } });
      expect(JSON.stringify(elicited.content)).toContain('ada');
      const sampled = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'Say' } });
      expect(JSON.stringify(sampled.content)).toContain('sampled');
    });

    test('sees progress, and cancels', async () => {
      const client = await open();
      const seen: number[] = [];
      await client.callTool({ name: 'test_tool_with_progress', arguments: {} }, undefined, {
        onprogress: ({ progress }) => seen.push(progress),
      });
      expect(seen.length).toBeGreaterThanOrEqual(3);
    });

    test('hears of changed lists and resources', async () => {
      const client = await open();
      const changed = new Promise<void>((resolve) =>
        client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()),
      );
      const updated = new Promise<string>((resolve) =>
        client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri)),
      );
      await client.subscribeResource({ uri: 'demo://note' });
      // Over HTTP these travel on a stream that the client opens in its own time.
      const poke = setInterval(() => {
        for (const call of CHANGES) client.callTool(call).catch(() => undefined);
      }, 50);
      onTestFinished(() => clearInterval(poke));
      await changed;
      expect(await updated).toBe('demo://note');
    });
  },
);

describe('the client of SDK v2', () => {
  const transports = {
    stdio: () => new StdioV2(STDIO),
    http: () => new HttpV2(new URL(handle.url)),
  };

  test.each(Object.keys(transports) as (keyof typeof transports)[])(
    'finds the newest revision over %s',
    async (name) => {
      const client = new ClientV2({ name: 'v2', version: '2' }, { versionNegotiation: { mode: 'auto' } });
      await client.connect(transports[name]());
      onTestFinished(() => client.close());
      expect(client.getNegotiatedProtocolVersion()).toBe(NEWEST);
      expect((await client.listTools()).tools.length).toBeGreaterThan(20);
      expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
        structuredContent: { sum: 3 },
      });
      expect((await client.readResource({ uri: 'test://static-text' })).contents).toHaveLength(1);
      expect((await client.getPrompt({ name: 'test_simple_prompt' })).messages).toHaveLength(1);
    },
  );

  test.each(Object.keys(transports) as (keyof typeof transports)[])(
    'answers questions in both eras over %s',
    async (name) => {
      for (const mode of ['auto', 'legacy'] as const) {
        const client = new ClientV2(
          { name: 'v2', version: '2' },
          { versionNegotiation: { mode }, capabilities: { elicitation: {} } },
        );
        client.setRequestHandler('elicitation/create', () => ({
          action: 'accept' as const,
          content: { username: 'ada', email: 'a@b.c' },
        }));
        await client.connect(transports[name]());
        const result = await client.callTool({ name: 'test_elicitation', arguments: { message: 'Who?' } });
        expect(JSON.stringify(result.content)).toContain('ada');
        await client.close();
      }
    },
  );

  test('speaks the handshake too, also over the old SSE', async () => {
    for (const transport of [new HttpV2(new URL(handle.url)), new SseV2(new URL(`${handle.origin}/sse`))]) {
      const client = new ClientV2({ name: 'v2', version: '2' }, { versionNegotiation: { mode: 'legacy' } });
      await client.connect(transport);
      expect(client.getNegotiatedProtocolVersion()).toBe(HANDSHAKE_REVISIONS.at(-1)?.version);
      expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
        structuredContent: { sum: 3 },
      });
      await client.close();
    }
  });
});
