/** A server, and the transport to it, that misbehave in every way there is, as they are told at the moment. */

import type { Message } from '../../../src/jsonrpc/message.js';
import { TransportError } from '../../../src/transports/errors.js';
import { createMemoryPair } from '../../../src/transports/memory.js';
import type { Receiver, Transport } from '../../../src/transports/transport.js';
import { EVERYTHING, STATELESS } from '../../support/scripted-server.js';

export const MANNERS = [
  'good',
  // It cannot be opened, or not for long.
  'refuses to start',
  'never starts',
  'dies at once',
  'dies when it is spoken to',
  // It answers nothing, or nothing of use.
  'deaf',
  'no MCP',
  'truncates',
  // It answers too much, too late, or somebody else.
  'answers twice',
  'answers late',
  'answers another',
  'answers nobody',
  // The transport does not take what it is given.
  'has no room',
  'forgets the session',
] as const;
export type Manner = (typeof MANNERS)[number];

/** When a late answer comes: later than any call of the walk waits. */
const LATE_MS = 2_500;

interface WireRequest {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

export class Misbehaving {
  manner: Manner = 'good';
  /** Our end of the newest connection. */
  current: Transport | undefined;
  /** Connections that the client has not closed. */
  readonly open = new Set<Transport>();
  /** How often each tool was called, as far as the server is concerned. */
  readonly executed = new Map<string, number>();
  readonly #era: 'handshake' | 'stateless';

  constructor(era: 'handshake' | 'stateless') {
    this.#era = era;
  }

  transport(): Transport {
    if (this.manner === 'refuses to start') throw new Error('no such command');
    const [theirs, ours] = createMemoryPair();
    this.current = ours;
    this.open.add(theirs);
    void ours.start({
      message: (_decoded, text) => this.#receive(ours, JSON.parse(text)),
      fault: () => {},
      closed: () => this.open.delete(theirs),
    });
    if (this.manner === 'dies at once') void ours.close();
    return new Unreliable(theirs, this);
  }

  #receive(end: Transport, request: WireRequest): void {
    const { id, method, params } = request;
    if (this.manner === 'deaf' || id === undefined || method === undefined) return;
    if (this.manner === 'dies when it is spoken to') void end.close();
    else if (this.manner === 'truncates') void end.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"resu`);
    else {
      const result = this.manner === 'no MCP' ? undefined : this.#result(method, params?.name ?? '');
      const answer = result === undefined ? { error: { code: -32601, message: 'no' } } : { result };
      this.#answer(end, id, method, answer);
    }
  }

  #answer(end: Transport, id: number | string, method: string, answer: object): void {
    const write = (value: object): void => void end.send(JSON.stringify({ jsonrpc: '2.0', ...value }));
    // Agreeing is no call: there a late or foreign answer is nothing but silence.
    const manner = method === 'tools/call' ? this.manner : 'good';
    if (manner === 'answers nobody') write({ error: { code: -32600, message: 'what?' } });
    else if (manner === 'answers another') write({ id: Number(id) + 1_000, ...answer });
    else if (manner === 'answers late') setTimeout(() => write({ id, ...answer }), LATE_MS);
    else write({ id, ...answer });
    if (manner === 'answers twice') write({ id, ...answer });
  }

  #result(method: string, name: string): object | undefined {
    if (method === 'tools/call') {
      this.executed.set(name, (this.executed.get(name) ?? 0) + 1);
      return { resultType: 'complete', content: [{ type: 'text', text: name }] };
    }
    if (method === 'ping') return {};
    if (this.#era === 'handshake') {
      const agreed = { protocolVersion: '2025-11-25', capabilities: EVERYTHING, serverInfo: {} };
      return method === 'initialize' ? agreed : undefined;
    }
    const found = { resultType: 'complete', supportedVersions: [STATELESS], capabilities: EVERYTHING };
    return method === 'server/discover' ? { ...found, ttlMs: 0, cacheScope: 'public' } : undefined;
  }
}

class Unreliable implements Transport {
  readonly label = 'unreliable';
  readonly #inner: Transport;
  readonly #server: Misbehaving;

  constructor(inner: Transport, server: Misbehaving) {
    this.#inner = inner;
    this.#server = server;
  }

  start(receiver: Receiver): Promise<void> {
    return this.#server.manner === 'never starts' ? new Promise(() => {}) : this.#inner.start(receiver);
  }

  send(message: Message | string): void | Promise<void> {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    if (text.includes('tools/call')) {
      const { manner } = this.#server;
      if (manner === 'has no room') return Promise.reject(new TransportError('queue_full', 'full'));
      if (manner === 'forgets the session') return Promise.reject(new TransportError('session_lost', 'who?'));
    }
    return this.#inner.send(message);
  }

  async close(): Promise<void> {
    await this.#inner.close();
    this.#server.open.delete(this.#inner);
  }
}
