/** A client of both eras that calls tools over HTTP, one after the other, and notes how long each answer took. */
import { Agent, request as send } from 'node:http';

const STATELESS = '2026-07-28';
const HANDSHAKE = '2025-11-25';
const PREFIX = 'io.modelcontextprotocol/';
const TOOL = 'good__echo';

export class GoodClient {
  /** Milliseconds of each call that was answered correctly. @type {number[]} */
  times = [];
  /** @type {string[]} */
  failures = [];
  #url;
  #agent;
  #session = '';
  #id = 0;

  /**
   * @param {string} origin
   * @param {number} index
   */
  constructor(origin, index) {
    this.#url = new URL('/mcp', origin);
    // Another address than that of the attackers.
    this.#agent = new Agent({ keepAlive: true, maxSockets: 2 });
    this.#id = index * 1_000_000;
  }

  async open() {
    const { headers } = await this.#post(
      {
        jsonrpc: '2.0',
        id: 0,
        method: 'initialize',
        params: { protocolVersion: HANDSHAKE, capabilities: {}, clientInfo: { name: 'good', version: '1' } },
      },
      {},
    );
    this.#session = String(headers['mcp-session-id'] ?? '');
  }

  /** One call in its session, or without one. */
  async next() {
    this.#id += 1;
    const message = `call ${this.#id}`;
    const params = { name: TOOL, arguments: { message } };
    const started = performance.now();
    try {
      const { status, text } = await (this.#id % 2 === 0 ? this.#inSession(params) : this.#alone(params));
      if (status !== 200 || !text.includes(message)) throw new Error(`${status} ${text.slice(0, 200)}`);
      this.times.push(performance.now() - started);
    } catch (error) {
      this.failures.push(error instanceof Error ? error.message : String(error));
    }
  }

  close() {
    this.#agent.destroy();
  }

  /** @param {object} params */
  #inSession(params) {
    const headers = { 'mcp-session-id': this.#session, 'mcp-protocol-version': HANDSHAKE };
    return this.#post({ jsonrpc: '2.0', id: this.#id, method: 'tools/call', params }, headers);
  }

  /** @param {object} params */
  #alone(params) {
    const _meta = { [`${PREFIX}protocolVersion`]: STATELESS, [`${PREFIX}clientCapabilities`]: {} };
    const headers = { 'mcp-protocol-version': STATELESS, 'mcp-method': 'tools/call', 'mcp-name': TOOL };
    return this.#post(
      { jsonrpc: '2.0', id: this.#id, method: 'tools/call', params: { ...params, _meta } },
      headers,
    );
  }

  /**
   * @param {object} body
   * @param {Record<string, string>} headers
   * @returns {Promise<{ status: number, headers: import('node:http').IncomingHttpHeaders, text: string }>}
   */
  #post(body, headers) {
    const all = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', agent: this.#agent, localAddress: '127.0.0.2', headers: all };
      const outgoing = send(this.#url, options, (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }),
        );
        incoming.on('error', reject);
      });
      outgoing.setTimeout(30_000, () => outgoing.destroy(new Error('no answer within 30 s')));
      outgoing.on('error', reject);
      outgoing.end(JSON.stringify(body));
    });
  }
}
