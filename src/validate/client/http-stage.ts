/** The stage over HTTP. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../jsonrpc/message.js';
import { createHttpServer } from '../../transports/http/server/node-server.js';
import { JSON_TYPE, SSE_TYPE } from '../wire/http-connection.js';
import { Stage, type StageAnswer } from './stage.js';

export class HttpStage extends Stage {
  readonly kind = 'http';
  readonly #streams = new Set<ServerResponse>();
  #server: Server | undefined;
  #origin = '';

  async open(port = 0): Promise<string> {
    const server = createHttpServer({}, (request, response) => {
      void this.#serve(request, response).catch(() => response.destroy());
    });
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    const address: AddressInfo | string | null = server.address();
    if (typeof address === 'object' && address !== null) this.#origin = `http://127.0.0.1:${address.port}`;
    return `${this.#origin}/mcp`;
  }

  /** Stays known after the end: judges compare with it. */
  get origin(): string {
    return this.#origin;
  }

  push(message: JsonObject): void {
    for (const stream of this.#streams) stream.write(eventText(message));
  }

  async close(): Promise<void> {
    for (const stream of this.#streams) stream.destroy();
    this.#server?.closeAllConnections();
    await new Promise((resolve) =>
      this.#server === undefined ? resolve(undefined) : this.#server.close(resolve),
    );
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = Object.fromEntries(
      Object.entries(request.headers).flatMap(([name, content]) =>
        content === undefined ? [] : [[name, String(content)]],
      ),
    );
    const { answered, heard } = this.hear({
      method: request.method ?? '',
      path: request.url ?? '',
      headers,
      text: Buffer.concat(chunks).toString('utf8'),
    });
    response.on('close', answered);
    const answer = this.behaviour(heard, this) ?? { status: 404 };
    if (answer.status === 401 || answer.status === 403) this.turnedAway.add(heard);
    this.#answer(answer, response);
  }

  #answer(answer: StageAnswer, response: ServerResponse): void {
    const { events, body, open = false, drop = false } = answer;
    if (events !== undefined) {
      response.writeHead(answer.status ?? 200, {
        'content-type': SSE_TYPE,
        'cache-control': 'no-cache',
        ...answer.headers,
      });
      response.flushHeaders();
      for (const event of events) response.write(typeof event === 'string' ? event : eventText(event));
      if (drop) setTimeout(() => response.destroy(), 20);
      else if (!open) response.end();
      else {
        this.#streams.add(response);
        response.on('close', () => this.#streams.delete(response));
      }
      return;
    }
    const status = answer.status ?? 200;
    if (body === undefined) response.writeHead(status, { ...answer.headers }).end();
    else {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'content-type': JSON_TYPE, ...answer.headers }).end(text);
    }
  }
}

function eventText(message: JsonObject): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}
