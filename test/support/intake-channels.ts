/** One client for every way into a server: it sends a message and returns what answers it, in the same form. */

import { PassThrough } from 'node:stream';
import { createServer, type Server, type ServerOptions } from '../../src/server/index.js';
import { createStdioServerTransport } from '../../src/transports/stdio/server.js';
import { initializeMessage, post, withHeaders } from './http-peer.js';
import { type HttpTarget, openTarget } from './http-target.js';
import { type WireMessage, WirePeer } from './wire-peer.js';

export const CHANNELS = ['memory', 'stdio', 'http', 'fetch'] as const;
export type ChannelName = (typeof CHANNELS)[number];

/** What answers a message: nothing, one message, or a batch. */
export interface Answered {
  readonly answers: readonly WireMessage[];
  readonly isBatch: boolean;
  /** Over HTTP. */
  readonly status?: number;
}

export interface IntakeClient {
  /** Opens a session in this revision. */
  open(version: string): Promise<void>;
  /** Sends a message and waits for `count` answers to it, and for everything else that the server has to say to it. */
  exchange(message: unknown, count: number): Promise<Answered>;
  /** Sends a request that is answered later. */
  start(message: object): void;
  close(): Promise<void>;
}

/** A server whose tool `wait` runs until it is cancelled or the server is closed. */
export class WaitingServer {
  readonly server: Server;
  readonly cancelled: (string | number)[] = [];
  readonly #started: { readonly count: number; readonly resolve: () => void }[] = [];
  readonly #release: (() => void)[] = [];
  #running = 0;

  constructor(options: Partial<ServerOptions> = {}) {
    this.server = createServer({ name: 'intake', version: '1', onError: () => {}, ...options });
    this.server.tool('now', {}, () => 'now');
    this.server.tool('later', {}, async () => 'later');
    const input = { type: 'object', properties: { call: { type: ['string', 'number'] } } } as const;
    this.server.tool('wait', { input }, async ({ call }, ctx) => {
      ctx.signal.addEventListener('abort', () => this.cancelled.push(call as string | number));
      this.#running += 1;
      for (const { count, resolve } of this.#started) if (this.#running >= count) resolve();
      await new Promise<void>((resolve) => this.#release.push(resolve));
      return 'waited';
    });
    this.server.method('x/own', () => ({ own: true }));
  }

  /** Resolves when this many calls of `wait` have begun. */
  begun(count: number): Promise<void> {
    if (this.#running >= count) return Promise.resolve();
    return new Promise((resolve) => this.#started.push({ count, resolve }));
  }

  async close(): Promise<void> {
    for (const release of this.#release) release();
    await this.server.close({ drain: 0 });
  }
}

export async function connectIntake(server: Server, channel: ChannelName): Promise<IntakeClient> {
  if (channel === 'memory') return new StreamClient(await WirePeer.connect(server));
  if (channel === 'stdio') return new StreamClient(await overPipes(server));
  return new HttpClient(await openTarget(server, channel === 'http' ? 'node' : 'fetch'));
}

function overPipes(server: Server): Promise<WirePeer> {
  const toServer = new PassThrough();
  const toClient = new PassThrough();
  const ends = { ours: { input: toServer, output: toClient }, theirs: { input: toClient, output: toServer } };
  return WirePeer.join(
    server,
    createStdioServerTransport({ ...ends.ours, protectStdout: false }),
    createStdioServerTransport({ ...ends.theirs, protectStdout: false }),
  );
}

class StreamClient implements IntakeClient {
  readonly #wire: WirePeer;

  constructor(wire: WirePeer) {
    this.#wire = wire;
  }

  async open(version: string): Promise<void> {
    this.#wire.send(initializeMessage(version, {}, 'opening'));
    await this.#wire.answerTo('opening');
    this.#wire.notify('notifications/initialized');
    await this.#wire.quiet();
  }

  async exchange(message: unknown, count: number): Promise<Answered> {
    const before = this.#wire.texts.length;
    this.#wire.send(message);
    for (let left = count; left > 0; left--) await this.#wire.next(isAnswer);
    await this.#wire.quiet();
    const texts = this.#wire.texts.slice(before).map((text): unknown => JSON.parse(text));
    const values = texts.filter((value) => !isQuiet(value));
    return { answers: values.flat() as WireMessage[], isBatch: values.some(Array.isArray) };
  }

  start(message: object): void {
    this.#wire.send(message);
  }

  close(): Promise<void> {
    return this.#wire.close();
  }
}

function isAnswer({ id, method }: WireMessage): boolean {
  return method === undefined && !String(id).startsWith('quiet-');
}

function isQuiet(value: unknown): boolean {
  return !Array.isArray(value) && String((value as WireMessage).id).startsWith('quiet-');
}

class HttpClient implements IntakeClient {
  readonly #target: HttpTarget;
  #session: Readonly<Record<string, string>> = {};
  readonly #started: Promise<unknown>[] = [];

  constructor(target: HttpTarget) {
    this.#target = target;
  }

  async open(version: string): Promise<void> {
    const opening = await post(this.#target, initializeMessage(version));
    await opening.result();
    const id = opening.header('mcp-session-id') ?? '';
    // The revisions before it have no version header.
    const header = version >= '2025-06-18' ? { 'mcp-protocol-version': version } : {};
    this.#session = { 'mcp-session-id': id, ...header };
    await (await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' })).text();
  }

  async exchange(message: unknown): Promise<Answered> {
    const answer = await this.#post(message);
    const text = await answer.text();
    const { status } = answer;
    if (text === '') return { answers: [], isBatch: false, status };
    return { answers: await answer.messages(), isBatch: text.startsWith('['), status };
  }

  start(message: object): void {
    this.#started.push(this.#post(message));
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#started);
  }

  #post(message: unknown) {
    return post(this.#target, message, withHeaders(this.#session, repeatedHeaders(message)));
  }
}

/** The headers that repeat the body of a stateless message. */
function repeatedHeaders(message: unknown): Record<string, string> {
  if (typeof message !== 'object' || message === null) return {};
  const { method, params } = message as { method?: string; params?: { name?: string; _meta?: object } };
  const meta = params?._meta as Record<string, unknown> | undefined;
  const version = meta?.['io.modelcontextprotocol/protocolVersion'];
  if (typeof version !== 'string') return {};
  return {
    'mcp-protocol-version': version,
    'mcp-method': String(method),
    ...(typeof params?.name === 'string' ? { 'mcp-name': params.name } : {}),
  };
}
