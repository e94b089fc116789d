/** Bodies in chunks of one byte cost what they are long, on both sides, and not what their chunks would cost. */

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpTransport } from '../../src/transports/http/client/transport.js';
import { createFixture } from '../support/http-server.js';
import { startsWith } from '../support/http-target.js';
import { RawSocket } from '../support/raw-socket.js';
import { recorder } from '../support/recorded-messages.js';

const BYTES = 1024 * 1024;
const MEGABYTE = 1024 * 1024;
/** "Twice its size", and what the measurement itself and the tests around it need. */
const ALLOWED = 2 * BYTES + 3 * MEGABYTE;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function used(): number {
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** One-byte chunks, as many as fit into one write. */
function tinyChunks(bytes: number): string {
  return '1\r\nx\r\n'.repeat(bytes);
}

describe('an upload', () => {
  const start = startsWith('node');

  it('in chunks of one byte is kept within twice its size', async () => {
    const target = await start(createFixture().server);
    const socket = await RawSocket.open(target.origin);
    onTestFinished(() => socket.destroy());
    await socket.head(
      'POST /mcp HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      'Transfer-Encoding: chunked',
    );
    const piece = tinyChunks(0x4000);
    await socket.write(piece);
    const before = used();
    for (let sent = 0x4000; sent < BYTES; sent += 0x4000) await socket.write(piece);
    // Everything has arrived when the server says so: it answers to the end of the body, and so nothing is said yet.
    await settled();
    expect(used() - before).toBeLessThan(ALLOWED);
    await socket.write('0\r\n\r\n');
    await socket.until('HTTP/1.1 400');
  });
});

/** Lets what is in the buffers of the operating system arrive. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 200; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A server that answers in chunks of one byte, and waits before the last. */
async function tinyServer(
  type: string,
  beginning: string,
  ending: string,
): Promise<{ url: string; sent: Promise<void>; finish(): void }> {
  let finish = (): void => {};
  let onSent = (): void => {};
  const sent = new Promise<void>((resolve) => {
    onSent = resolve;
  });
  const answer = async (response: ServerResponse): Promise<void> => {
    response.writeHead(200, { 'content-type': type });
    response.flushHeaders();
    response.write(beginning);
    const { socket } = response;
    // Chunks are written by hand, many of them in one write: Node would need a write for each.
    const piece = tinyChunks(0x4000);
    for (let bytes = 0; bytes < BYTES; bytes += 0x4000) {
      await new Promise((resolve) => socket?.write(piece, resolve));
    }
    finish = () => response.end(ending);
    onSent();
  };
  const server: Server = createServer((request, response) => {
    request.resume().on('end', () => void answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, sent, finish: () => finish() };
}

describe.each([
  ['node:http', {}],
  ['fetch', { fetch: (url: URL, init: RequestInit) => fetch(url, init) }],
] as const)('an answer over %s', (_name, runtime) => {
  it.each([
    ['a body', 'application/json', '{"jsonrpc":"2.0","id":1,"result":{"text":"', '"}}'],
    ['an event', 'text/event-stream', 'data: {"jsonrpc":"2.0","id":1,"result":{"text":"', '"}}\n\n'],
  ])(
    'that is %s in chunks of one byte is kept within twice its size',
    async (_kind, type, beginning, ending) => {
      const server = await tinyServer(type, beginning, ending);
      const transport = createHttpTransport({ url: server.url, ...runtime });
      const got = recorder();
      await transport.start(got);
      onTestFinished(() => transport.close());
      const before = used();
      const sending = transport.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
      await server.sent;
      await settled();
      expect(used() - before).toBeLessThan(ALLOWED);
      server.finish();
      await sending;
      expect(got.texts[0]).toHaveLength(
        `${beginning}${ending}`.replace('data: ', '').trimEnd().length + BYTES,
      );
    },
  );
});
