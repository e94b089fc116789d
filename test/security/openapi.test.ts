/** Tools of an OpenAPI document reach their own path at their own server, and nothing else. */

import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createChain, createOpenApiServer } from 'plumb-mcp/chain';
import { type Client, connect } from 'plumb-mcp/client';
import { describe, expect, onTestFinished, test } from 'vitest';

interface Api {
  readonly port: number;
  readonly origin: string;
  readonly requests: IncomingMessage[];
}

async function listen(answer?: Iterable<string>): Promise<Api> {
  const requests: IncomingMessage[] = [];
  const server = createHttpServer((request, response) => {
    requests.push(request);
    if (answer === undefined) response.end('{"ok":true}');
    else Readable.from(answer).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, origin: `http://127.0.0.1:${port}`, requests };
}

function documentOf(...paths: readonly string[]) {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  return {
    openapi: '3.1.0',
    info: { title: 'api', version: '1' },
    paths: Object.fromEntries(
      paths.map((path, index) => [path, { parameters: [id], get: { operationId: `get${index}` } }]),
    ),
  };
}

async function meet(
  baseUrl: string,
  document: ReturnType<typeof documentOf>,
  way: 'memory' | 'http',
  limits: { maxBytes?: number } = {},
): Promise<Client> {
  const server = createOpenApiServer(document, {
    baseUrl,
    headers: { authorization: 'Bearer s3cret' },
    ...limits,
  });
  onTestFinished(() => server.close({ drain: 0 }));
  const front = createChain({ onError: () => undefined }).to({ api: { server, prefix: '' } });
  onTestFinished(() => front.close({ drain: 0 }));
  const client = await connect(way === 'memory' ? front : (await front.http()).url);
  onTestFinished(() => client.close());
  return client;
}

const WALKS: readonly string[] = [
  '..',
  '.',
  '',
  '../admin',
  '..%2fadmin',
  '%2e%2e',
  '%2E%2e/admin',
  '.%2e',
  '%252e%252e',
  '%25252e%25252e',
  '..\\admin',
  '..%5cadmin',
  'a/../../admin',
  '..;/admin',
  '..;x',
  '/admin',
  '//evil.example',
  'a//b',
  '\\\\evil.example',
  'a\u0000',
  'a%00',
  'a\r\nx: y',
  '/',
  '\ud800',
];

describe.each(['memory', 'http'] as const)('over %s', (way) => {
  test.each(['/users/{id}', '/users/{id}/name'])(
    'an argument in %s does not leave its path',
    async (path) => {
      const api = await listen();
      const client = await meet(`${api.origin}/v1`, documentOf(path), way);
      for (const id of WALKS) {
        const answer = await client.tools.call('get0', { id });
        expect(answer.isError, JSON.stringify(id)).toBe(true);
      }
      expect(api.requests.map(({ url }) => url)).toEqual([]);
      for (const id of ['7', 'a b', 'a;b', 'a/b', '...', '{id}', '$&', 'é', '100%'])
        expect(await client.tools.call('get0', { id }), id).toMatchObject({ isError: false });
      for (const { url } of api.requests) {
        const { pathname } = new URL(String(url), api.origin);
        expect(pathname).toBe(url);
        expect(pathname.startsWith('/v1/users/')).toBe(true);
      }
    },
  );
});

test.each([
  ':8443/users',
  '@evil.example/users',
  '.evil.example/users',
  'users',
  '//evil.example/x',
  '/a/../b',
  '/a\\b',
  '/%2e%2e/b',
  '/a?b',
  '',
])('a document with the path %j is refused before anything is sent', async (path) => {
  expect(() => createOpenApiServer(documentOf(path), { baseUrl: 'https://api.example' })).toThrow(
    /OpenAPI document must/,
  );
});

test('credentials go to the port of the base URL alone', async () => {
  const [api, other] = [await listen(), await listen()];
  expect(() => createOpenApiServer(documentOf(`:${other.port}/x`), { baseUrl: 'http://127.0.0.1' })).toThrow(
    'begin with "/"',
  );
  const client = await meet(api.origin, documentOf('/x/{id}'), 'memory');
  await client.tools.call('get0', { id: '1' });
  expect(api.requests[0]?.headers.authorization).toBe('Bearer s3cret');
  expect(other.requests).toEqual([]);
});

test('arguments do not replace credentials or framing headers', async () => {
  const api = await listen();
  const names = ['Authorization', 'Cookie', 'Host', 'Content-Length', 'X-Own'];
  const document = {
    paths: {
      '/x': { get: { operationId: 'get', parameters: names.map((name) => ({ name, in: 'header' })) } },
    },
  };
  const server = createOpenApiServer(document, { baseUrl: api.origin });
  onTestFinished(() => server.close({ drain: 0 }));
  const client = await connect(server);
  onTestFinished(() => client.close());
  await client.tools.call('get', Object.fromEntries(names.map((name) => [name, '7'])));
  const { headers } = api.requests[0] ?? {};
  expect(headers).toMatchObject({ 'x-own': '7', host: `127.0.0.1:${api.port}` });
  expect(headers).not.toHaveProperty('authorization');
  expect(headers).not.toHaveProperty('cookie');
});

test('an answer without end is read up to the limit, and its connection closed', async () => {
  const chunk = 'x'.repeat(64 * 1024);
  let sent = 0;
  function* endless() {
    for (;;) {
      sent += 1;
      yield chunk;
    }
  }
  const api = await listen(endless());
  const client = await meet(api.origin, documentOf('/x/{id}'), 'memory', { maxBytes: 100_000 });
  const answer = await client.tools.call('get0', { id: '1' });
  expect(JSON.stringify(answer.content)).toHaveLength(100_000 + '[{"type":"text","text":""}]'.length);
  await expect.poll(() => api.requests[0]?.socket.destroyed).toBe(true);
  expect(sent * chunk.length).toBeLessThan(50 * 1024 * 1024);
});

test('references that multiply, or lead back to themselves, are cut off', async () => {
  const schemas: Record<string, unknown> = {
    tree: { type: 'object', properties: { left: ref('tree'), right: ref('tree') } },
  };
  for (let level = 0; level < 30; level += 1)
    schemas[`l${level}`] = {
      type: 'object',
      properties: { a: ref(`l${level + 1}`), b: ref(`l${level + 1}`) },
    };
  const document = {
    components: { schemas },
    paths: {
      '/bomb': { post: { operationId: 'bomb', requestBody: body('l0') } },
      '/tree': { post: { operationId: 'tree', requestBody: body('tree') } },
    },
  };
  const server = createOpenApiServer(document, { baseUrl: 'https://api.example' });
  onTestFinished(() => server.close({ drain: 0 }));
  const client = await connect(server);
  onTestFinished(() => client.close());
  const tools = await client.tools.list();
  expect(tools.map(({ name }) => name)).toEqual(['bomb', 'tree']);
  expect(JSON.stringify(tools).length).toBeLessThan(2_000_000);
  expect(tools[1]?.inputSchema).toMatchObject({
    properties: { body: { properties: { left: {}, right: {} } } },
  });
});

function ref(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}

function body(name: string) {
  return { content: { 'application/json': { schema: ref(name) } } };
}
