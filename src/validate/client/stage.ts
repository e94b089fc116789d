/** The stage on which a client is judged: an HTTP server that writes down everything and answers as it is told. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { Revision } from '../../protocol/index.js';
import { parseJson } from '../wire/recorder.js';

/** One HTTP request of the client. */
export interface Heard {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly value: unknown;
  /** The message in it, when there is exactly one. */
  readonly message: JsonObject | undefined;
  /** Its id belonged to a request that was not answered yet. */
  readonly clash: boolean;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A message, or any text. */
  readonly body?: JsonObject | string;
  /** Answers as an event stream: each message an event, each text written as it is. */
  readonly events?: readonly (JsonObject | string)[];
  /** Cuts the connection after what was written. */
  readonly drop?: boolean;
  /** Leaves the stream open. */
  readonly open?: boolean;
}

export type Behaviour = (heard: Heard, stage: Stage) => Answer | undefined;

const EVENT_STREAM = 'text/event-stream';
const JSON_TYPE = 'application/json';

export class Stage {
  readonly revision: Revision;
  readonly heard: Heard[] = [];
  /** Requests that we sent to the client, by id. */
  readonly asked: Map<string, JsonObject> = new Map();
  readonly #behaviour: Behaviour;
  readonly #started = performance.now();
  readonly #streams = new Set<ServerResponse>();
  readonly #inFlight = new Set<string>();
  #server: Server | undefined;
  #ids = 0;
  #origin = '';

  constructor(revision: Revision, behaviour: Behaviour) {
    this.revision = revision;
    this.#behaviour = behaviour;
  }

  async open(port = 0): Promise<string> {
    const server = createServer((request, response) => {
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

  /** A request of ours, remembered so that its answer can be told. */
  ask(method: string, params: JsonObject = {}): JsonObject {
    this.#ids += 1;
    const id = `plumb-${this.#ids}`;
    const request = { jsonrpc: '2.0', id, method, params };
    this.asked.set(id, request);
    return request;
  }

  /** Writes to every stream that the client holds open. */
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
    const text = Buffer.concat(chunks).toString('utf8');
    const value = parseJson(text);
    const headers = Object.fromEntries(
      Object.entries(request.headers).flatMap(([name, content]) =>
        content === undefined ? [] : [[name, String(content)]],
      ),
    );
    const heard: Heard = {
      at: performance.now() - this.#started,
      method: request.method ?? '',
      path: request.url ?? '',
      headers,
      text,
      value,
      message: isRecord(value) ? value : undefined,
      clash: this.#occupy(value, response),
    };
    this.heard.push(heard);
    this.#answer(this.#behaviour(heard, this) ?? { status: 404 }, response);
  }

  #occupy(value: unknown, response: ServerResponse): boolean {
    if (!isRecord(value) || typeof value.method !== 'string' || !('id' in value)) return false;
    const key = JSON.stringify(value.id);
    const clash = this.#inFlight.has(key);
    this.#inFlight.add(key);
    response.on('close', () => this.#inFlight.delete(key));
    return clash;
  }

  #answer(answer: Answer, response: ServerResponse): void {
    const { events, body, open = false, drop = false } = answer;
    if (events !== undefined) {
      response.writeHead(answer.status ?? 200, {
        'content-type': EVENT_STREAM,
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
