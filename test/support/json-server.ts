/** A REST service on a port of its own, for what the examples and adapters call. */

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { cleanup } from './cleanup.js';

interface JsonAnswer {
  readonly status?: number;
  readonly body: unknown;
}

/** Closed after the test. */
export async function serveJson(
  answer: (url: URL, request: IncomingMessage, body: string) => JsonAnswer,
): Promise<{ readonly origin: string }> {
  const server = createServer(async (request, response) => {
    const { status = 200, body } = answer(
      new URL(request.url ?? '/', 'http://127.0.0.1'),
      request,
      await text(request),
    );
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
