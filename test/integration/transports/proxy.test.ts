import { once } from 'node:events';
import { createServer as createHttp, request } from 'node:http';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { connect } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';

afterEach(() => vi.unstubAllEnvs());

async function served(): Promise<{ port: number }> {
  const server = createServer({ name: 'behind', version: '1.0.0' });
  server.tool('hello', { description: 'Says hello' }, () => 'hello');
  const handle = await server.http({ port: 0, allowedHosts: ['server.test'] });
  onTestFinished(() => handle.close({ drain: 0 }));
  return { port: Number(new URL(handle.url).port) };
}

/** A proxy that sends everything to one port, and writes down what it was asked for. */
async function proxied(port: number): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const proxy = createHttp((incoming, outgoing) => {
    seen.push(`${incoming.method} ${incoming.url} ${incoming.headers['proxy-authorization'] ?? ''}`);
    const { pathname } = new URL(incoming.url ?? '');
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    const onward = request({ port, path: pathname, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  proxy.on('connect', (incoming, socket) => {
    seen.push(`CONNECT ${incoming.url}`);
    const onward = connectTcp(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { url: `http://ada:secret@127.0.0.1:${(proxy.address() as AddressInfo).port}`, seen };
}

it('reaches an http server through the proxy of the environment, by its whole address', async () => {
  const { url, seen } = await proxied((await served()).port);
  vi.stubEnv('HTTP_PROXY', url);
  const client = await connect('http://server.test/mcp');
  onTestFinished(() => client.close());
  expect(await client.tools.call('hello')).toMatchObject({ content: [{ text: 'hello' }] });
  expect(seen[0]).toBe(`POST http://server.test/mcp Basic ${Buffer.from('ada:secret').toString('base64')}`);
});

it('opens a tunnel for an https server, and goes straight where NO_PROXY says so', async () => {
  const { url, seen } = await proxied((await served()).port);
  vi.stubEnv('HTTPS_PROXY', url);
  // The server behind the tunnel speaks no TLS: the tunnel is what counts.
  await expect(connect('https://server.test/mcp')).rejects.toThrow();
  expect(new Set(seen)).toEqual(new Set(['CONNECT server.test:443']));
  seen.length = 0;
  vi.stubEnv('NO_PROXY', 'server.test');
  await expect(connect('https://server.test/mcp')).rejects.toThrow();
  expect(seen).toEqual([]);
});

it('repeats a request after the pause that the server asks for, and gives up after three', async () => {
  const { port } = await served();
  let refusals = 2;
  let posts = 0;
  const gate = createHttp((incoming, outgoing) => {
    if (incoming.method === 'POST') posts += 1;
    if (incoming.method === 'POST' && refusals > 0) {
      refusals -= 1;
      incoming.resume();
      outgoing.writeHead(refusals === 1 ? 503 : 429, { 'retry-after': '0' }).end();
      return;
    }
    const headers = { ...incoming.headers, host: `127.0.0.1:${port}` };
    const onward = request({ port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  onTestFinished(() => {
    gate.closeAllConnections();
    gate.close();
  });
  const client = await connect(`http://127.0.0.1:${(gate.address() as AddressInfo).port}/mcp`);
  onTestFinished(() => client.close());
  refusals = 3;
  posts = 0;
  expect(await client.tools.call('hello')).toMatchObject({ content: [{ text: 'hello' }] });
  expect(posts).toBe(4);
  refusals = 100;
  await expect(client.tools.call('hello')).rejects.toThrow('HTTP 429');
});
