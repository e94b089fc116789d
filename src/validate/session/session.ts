/**
 * One conversation in one revision, over any raw connection. It knows how to be a correct client, and every part of
 * that can be left out or replaced, because most checks consist of doing one thing wrong.
 */

import { isRecord, type JsonObject, type RequestId } from '../../jsonrpc/message.js';
import {
  encodeHeaderValue,
  METHOD_HEADER,
  NAME_HEADER,
  nameOf,
  VERSION_HEADER,
} from '../../protocol/mirrored-headers.js';
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_PROTOCOL_VERSION,
} from '../../protocol/model/meta.js';
import type { Revision } from '../../protocol/revisions/revision.js';
import type { Delivery, WireConnection } from '../wire/connection.js';
import type { RecordedEntry } from '../wire/recorder.js';
import { answerTo, CLIENT_INFO, fullCapabilities } from './identity.js';
import { isAnswer, replyFrom, type WireReply } from './reply.js';

export interface RequestOptions {
  readonly id?: RequestId;
  readonly timeoutMs?: number;
  /** Over HTTP; undefined leaves a header out that would be sent otherwise. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Merged into `_meta`; undefined takes a key out. */
  readonly meta?: JsonObject;
  /** Leaves the envelope of the stateless era out altogether. */
  readonly bare?: boolean;
  readonly hostile?: boolean;
}

export interface ValidatorSessionOptions {
  readonly revision: Revision;
  readonly connection: WireConnection;
  readonly timeoutMs: number;
  readonly capabilities?: JsonObject;
  readonly clientInfo?: JsonObject;
  /** `numbers` counts ids from 0. Default: texts that are unique in the run. */
  readonly ids?: 'numbers' | 'texts';
  /** Answers a request of the server; undefined refuses it, `null` stays silent. */
  readonly answer?: (method: string, params: JsonObject) => JsonObject | undefined | null;
}

/** A request that the server sent us. */
export interface Asked {
  readonly method: string;
  readonly params: JsonObject;
  readonly entry: RecordedEntry;
}

let sessions = 0;

export class ValidatorSession {
  readonly revision: Revision;
  readonly connection: WireConnection;
  readonly capabilities: JsonObject;
  readonly clientInfo: JsonObject;
  readonly asked: Asked[] = [];
  /** Every message received, in order. */
  readonly inbox: RecordedEntry[] = [];
  /** Headers that repeat arguments of a tool, by its name; known once its schema is. */
  parameterHeaders: (tool: string, args: JsonObject) => Record<string, string> = () => ({});
  readonly #answer: NonNullable<ValidatorSessionOptions['answer']>;
  readonly timeoutMs: number;
  readonly #stop: () => void;
  /** Over HTTP: the first answer on each stream. */
  readonly #answers = new Map<number, RecordedEntry>();
  readonly #prefix: string;
  readonly #numbers: boolean;
  #next = 0;
  #settled = true;

  constructor(options: ValidatorSessionOptions) {
    this.revision = options.revision;
    this.connection = options.connection;
    this.capabilities = options.capabilities ?? fullCapabilities(options.revision);
    this.clientInfo = options.clientInfo ?? CLIENT_INFO;
    this.#answer = options.answer ?? answerTo;
    this.timeoutMs = options.timeoutMs;
    this.#numbers = options.ids === 'numbers';
    sessions += 1;
    this.#prefix = `s${sessions}`;
    this.#stop = this.connection.listen((entry) => this.#arrived(entry));
  }

  /** Everything that was asked here was answered, and nothing was taken back: another check may go on. */
  get settled(): boolean {
    return this.#settled;
  }

  /** Hears and answers nothing from now on; the connection stays. */
  detach(): void {
    this.#stop();
  }

  get stateless(): boolean {
    return this.revision.lifecycle === 'stateless';
  }

  nextId(): RequestId {
    this.#next += 1;
    return this.#numbers ? this.#next - 1 : `${this.#prefix}-${this.#next}`;
  }

  async request(method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<WireReply> {
    const id = options.id ?? this.nextId();
    const complete = this.complete(params, options);
    const text = JSON.stringify({ jsonrpc: '2.0', id, method, params: complete });
    const headers = { ...this.headersFor(method, complete), ...options.headers };
    return this.exchange(text, (value) => sameId(value.id, id), { ...options, headers });
  }

  /** Sends any text; the answer is the first response that `mine` accepts (any response by default). */
  async exchange(
    text: string,
    mine: (message: JsonObject) => boolean = () => true,
    options: RequestOptions = {},
  ): Promise<WireReply> {
    const started = performance.now();
    const timeoutMs = options.timeoutMs ?? this.timeoutMs;
    let delivery: Delivery | undefined;
    let found: RecordedEntry | undefined;
    let wake = (): void => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    // Over HTTP the answer to a POST belongs to it whatever its id says; elsewhere only the id identifies it.
    const stop = this.connection.listen((entry) => {
      if (entry.kind === 'end' && this.connection.ended) wake();
      if (found !== undefined || !isAnswer(entry.value) || !isRecord(entry.value)) return;
      const onStream = this.connection.kind === 'http' && delivery?.stream === entry.stream;
      if (!onStream && !mine(entry.value)) return;
      found = entry;
      wake();
    });
    const timer = setTimeout(() => wake(), timeoutMs);
    let silence = `(nothing within ${timeoutMs} ms)`;
    try {
      const { headers = {}, hostile = false } = options;
      delivery = await this.connection.send(text, { headers, hostile, timeoutMs });
      if (delivery !== undefined && this.connection.kind === 'http') void delivery.ended.then(() => wake());
      found ??= this.#early(delivery);
      if (found === undefined && !this.connection.ended) await woken;
    } catch (error) {
      silence = `(${error instanceof Error ? error.message : error})`;
    } finally {
      clearTimeout(timer);
      stop();
    }
    if (this.connection.ended) silence = `(${this.connection.epitaph})`;
    if (found === undefined) this.#settled = false;
    return replyFrom(text, found, delivery, performance.now() - started, silence);
  }

  /** Over HTTP: resolves with the delivery, so that statuses of notifications can be judged. */
  notify(
    method: string,
    params: JsonObject = {},
    options: RequestOptions = {},
  ): Promise<Delivery | undefined> {
    const complete = this.stateless && options.bare !== true ? this.complete(params, options) : params;
    if (method === 'notifications/cancelled') this.#settled = false;
    const text = JSON.stringify({ jsonrpc: '2.0', method, params: complete });
    const headers = { ...this.headersFor(method, complete), ...options.headers };
    return this.connection.send(text, { headers, hostile: options.hostile ?? false });
  }

  /** Params as a correct client sends them, with the changes that the options ask for. */
  complete(params: JsonObject, options: RequestOptions = {}): JsonObject {
    if (options.bare === true) return params;
    const meta: JsonObject = this.stateless
      ? {
          [META_PROTOCOL_VERSION]: this.revision.version,
          [META_CLIENT_CAPABILITIES]: this.capabilities,
          [META_CLIENT_INFO]: this.clientInfo,
          ...(isRecord(params._meta) ? params._meta : {}),
          ...options.meta,
        }
      : { ...(isRecord(params._meta) ? params._meta : {}), ...options.meta };
    for (const [key, value] of Object.entries(meta)) if (value === undefined) delete meta[key];
    return Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
  }

  headersFor(method: string, params: JsonObject): Record<string, string> {
    if (this.connection.kind !== 'http' || !this.stateless) return {};
    const meta = isRecord(params._meta) ? params._meta : {};
    const version = meta[META_PROTOCOL_VERSION];
    const name = nameOf(method, params);
    const args = isRecord(params.arguments) ? params.arguments : {};
    return {
      ...(typeof version === 'string' ? { [VERSION_HEADER]: version } : {}),
      [METHOD_HEADER]: method,
      ...(name === undefined ? {} : { [NAME_HEADER]: encodeHeaderValue(name) }),
      ...(method === 'tools/call' && name !== undefined ? this.parameterHeaders(name, args) : {}),
    };
  }

  /** Waits, and returns what arrived meanwhile. */
  async quiet(milliseconds: number): Promise<readonly RecordedEntry[]> {
    const before = this.inbox.length;
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    return this.inbox.slice(before);
  }

  /** The first message (already here or still to come) that fits, or undefined when time is up. */
  async waitFor(
    fits: (message: JsonObject) => boolean,
    timeoutMs: number,
  ): Promise<RecordedEntry | undefined> {
    const here = this.inbox.find((entry) => isRecord(entry.value) && fits(entry.value));
    if (here !== undefined) return here;
    return new Promise((resolve) => {
      const done = (entry: RecordedEntry | undefined): void => {
        clearTimeout(timer);
        stop();
        resolve(entry);
      };
      const timer = setTimeout(() => done(undefined), timeoutMs);
      const stop = this.connection.listen((entry) => {
        if (isRecord(entry.value) && fits(entry.value)) done(entry);
        else if (entry.kind === 'end' && this.connection.ended) done(undefined);
      });
    });
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /** A body can be complete before the status reached us. */
  #early(delivery: Delivery | undefined): RecordedEntry | undefined {
    if (delivery === undefined || this.connection.kind !== 'http') return undefined;
    return this.#answers.get(delivery.stream);
  }

  #arrived(entry: RecordedEntry): void {
    if (entry.kind === 'end') return;
    this.inbox.push(entry);
    if (entry.stream !== undefined && isAnswer(entry.value) && !this.#answers.has(entry.stream))
      this.#answers.set(entry.stream, entry);
    // A request that a resumed stream brings again was answered when it came first.
    if (entry.replayed === true) return;
    const message = entry.value;
    if (!isRecord(message) || typeof message.method !== 'string' || !('id' in message)) return;
    const params = isRecord(message.params) ? message.params : {};
    this.asked.push({ method: message.method, params, entry });
    const answer = this.#answer(message.method, params);
    if (answer === null) return;
    const body =
      answer === undefined
        ? { error: { code: -32601, message: `${message.method} is not supported` } }
        : { result: answer };
    this.connection.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body })).catch(() => {});
  }
}

/** A response whose id changed its type is still recognised: that is a finding, not a silence. */
function sameId(given: unknown, id: RequestId): boolean {
  return given === id || (given !== null && given !== undefined && String(given) === String(id));
}
