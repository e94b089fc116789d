/** A client of the first HTTP transport: a GET stream, and POSTs to the address that it names. */

import type { JsonObject, RequestId } from '../../src/jsonrpc/message.js';
import type { HttpAnswer } from './http-answer.js';
import { type HeaderChanges, initializeMessage, type Sender, withHeaders } from './http-peer.js';
import type { WireMessage } from './wire-peer.js';

export class LegacyPeer {
  readonly stream: HttpAnswer;
  /** Where messages go. */
  readonly endpoint: string;
  readonly #target: Sender;
  readonly #headers: HeaderChanges;
  #nextId = 1;

  constructor(target: Sender, stream: HttpAnswer, endpoint: string, headers: HeaderChanges) {
    this.#target = target;
    this.stream = stream;
    this.endpoint = endpoint;
    this.#headers = headers;
  }

  static async open(target: Sender, headers: HeaderChanges = {}, path = '/sse'): Promise<LegacyPeer> {
    const accept = { accept: 'text/event-stream' };
    const stream = await target.send({ method: 'GET', path, headers: withHeaders(accept, headers) });
    if (stream.status !== 200) throw new Error(`The stream was refused with ${stream.status}`);
    const first = await stream.event();
    if (first.event !== 'endpoint') throw new Error(`The first event is ${first.event}`);
    return new LegacyPeer(target, stream, first.data ?? '', headers);
  }

  async initialize(version = '2024-11-05', capabilities: JsonObject = {}): Promise<WireMessage> {
    await this.post(initializeMessage(version, { capabilities }, 'init'));
    const answer = await this.answerTo('init');
    await this.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return answer;
  }

  post(body: unknown, changes: HeaderChanges = {}): Promise<HttpAnswer> {
    return this.#target.send({
      path: this.endpoint,
      headers: withHeaders({ 'content-type': 'application/json' }, { ...this.#headers, ...changes }),
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  async request(
    method: string,
    params: JsonObject = {},
    id: RequestId = this.#nextId++,
  ): Promise<WireMessage> {
    await this.post({ jsonrpc: '2.0', id, method, params });
    return this.answerTo(id);
  }

  async answerTo(id: RequestId): Promise<WireMessage> {
    for (;;) {
      const message = await this.stream.message();
      if (message.method === undefined && message.id === id) return message;
    }
  }
}
