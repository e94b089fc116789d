/**
 * What is said over one connection, in both directions: finds the request that an answer is for, and the call that a
 * message belongs to. A message with several calls to choose from is its own group rather than a guess.
 */

import { type Batch, type Decoded, decodeText, decodeValue } from '../../jsonrpc/decode.js';
import { isRecord, isRequestId, type JsonObject, type RequestId } from '../../jsonrpc/message.js';
import { subjectOf } from '../../middleware/subject.js';
import { META_PROTOCOL_VERSION, META_SUBSCRIPTION_ID } from '../../protocol/model/meta.js';
import { findRevision } from '../../protocol/revisions/index.js';
import type { ConnectionEvent, EraName, Hop, MessageKind, MessageSource, TransportName } from '../api.js';
import type { StoredExchange, StoredMessage } from '../timeline/stored.js';
import { keptField } from '../timeline/weight.js';
import { type Direction, OPPOSITE, OpenRequests } from './open-requests.js';
import type { Recording } from './recording.js';
import { callScope } from './scope.js';

/** Where the messages of a conversation come from. */
export interface ConversationOrigin {
  readonly server: string;
  readonly source: MessageSource;
  readonly hop: Hop;
  readonly upstream?: string | undefined;
  readonly connection: number;
  readonly transport: TransportName;
  readonly run?: string | undefined;
}

export interface HeardMessage {
  readonly at?: number;
  readonly exchange?: StoredExchange | undefined;
  readonly streamed?: boolean;
  /** The request on whose own stream it came. */
  readonly about?: RequestId | undefined;
  /** The call of this process that it is part of. */
  readonly within?: number | undefined;
}

const METHOD_NOT_FOUND = -32_601;
/** Messages of a batch that are recorded one by one; the batch as a whole has all of them. */
const MAX_BATCH = 100;

export class RecordedConversation {
  readonly #recording: Recording;
  #origin: ConversationOrigin;
  readonly #open = new OpenRequests();
  #revision: string | undefined;

  constructor(recording: Recording, origin: ConversationOrigin) {
    this.#recording = recording;
    this.#origin = origin;
  }

  get #isRecorded(): boolean {
    return this.#recording.timeline.recording || this.#origin.source === 'import';
  }

  /**
   * Whether it says how a server is doing. The validator provokes failures, what was imported happened elsewhere, and
   * a subscription is not slow because it lasts.
   */
  #counts({ method }: StoredMessage): boolean {
    const { source } = this.#origin;
    return (source === 'inspector' || source === 'chain') && method !== 'subscriptions/listen';
  }

  /** Records a text; several messages where it is a batch. Undefined while nothing is recorded. */
  hear(
    direction: Direction,
    text: string,
    heard: HeardMessage = {},
    decoded?: Decoded | Batch,
  ): StoredMessage | undefined {
    if (!this.#isRecorded) return undefined;
    const message = decoded ?? decodeText(text);
    if (message.kind !== 'batch') return this.#one(direction, text, message, heard);
    const whole = this.#add(direction, text, heard, { kind: 'batch', failed: false });
    for (const item of message.items.slice(0, MAX_BATCH)) {
      this.#one(direction, JSON.stringify(item), decodeValue(item), heard, whole.group);
    }
    return whole;
  }

  /** An HTTP exchange that carries no message of its own. */
  http(
    direction: Direction,
    text: string,
    exchange: StoredExchange,
    group?: number,
  ): StoredMessage | undefined {
    if (!this.#isRecorded) return undefined;
    const failed = (exchange.status ?? 0) >= 400 || exchange.failure !== undefined;
    return this.#add(direction, text, { exchange }, { kind: 'http', failed, method: exchange.method }, group);
  }

  /** Its answer is no longer expected; one that arrives all the same is still its answer. */
  abandon(seq: number, how: 'cancelled' | 'lost'): void {
    const request = this.#open.withSeq(seq);
    if (request !== undefined) this.#abandon(request, how);
  }

  #abandon(request: StoredMessage, how: 'cancelled' | 'lost'): void {
    if (!this.#open.abandon(request)) return;
    this.#recording.timeline.ended(request, how);
    if (!this.#counts(request)) return;
    if (how === 'lost') this.#recording.figures.lost(request, this.#recording.now());
    else this.#recording.figures.cancelled(request);
  }

  /** Something happened to the connection, between its messages. */
  event(event: ConnectionEvent, text: string, failed: boolean): StoredMessage | undefined {
    if (!this.#isRecorded) return undefined;
    return this.#add('to-client', text, {}, { kind: 'event', event, failed });
  }

  /** From now on it is known as another connection. */
  moved(origin: ConversationOrigin): void {
    this.#origin = origin;
  }

  /** The connection is gone, and with it whatever was still awaited. */
  end(): void {
    for (const request of this.#open.all()) this.#abandon(request, 'lost');
    this.#open.clear();
  }

  #one(
    direction: Direction,
    text: string,
    decoded: Decoded,
    heard: HeardMessage,
    batch?: number,
  ): StoredMessage {
    switch (decoded.kind) {
      case 'request':
        return this.#request(direction, text, decoded.message, heard, batch);
      case 'notification':
        return this.#notification(direction, text, decoded.message, heard, batch);
      case 'result': {
        const { id, result } = decoded.message;
        const failed = result.isError === true;
        const asksForInput = result.resultType === 'input_required';
        return this.#answer(direction, text, id, heard, { kind: 'result', failed, asksForInput, result });
      }
      case 'error': {
        const { id, error } = decoded;
        const about = { kind: 'error' as const, failed: true, rpcCode: error.code };
        return this.#answer(direction, text, id ?? null, heard, about);
      }
      case 'malformed':
        return this.#add(direction, text, heard, { kind: 'malformed', failed: true }, batch);
    }
  }

  #request(
    direction: Direction,
    text: string,
    { id, method: named, params = {} }: { id: RequestId; method: string; params?: JsonObject },
    heard: HeardMessage,
    batch: number | undefined,
  ): StoredMessage {
    const method = keptField(named);
    const claimed =
      revisionIn(params) ?? (method === 'initialize' ? stringIn(params, 'protocolVersion') : undefined);
    const continued =
      direction === 'to-server'
        ? this.#recording.rounds.continues(this.#origin.server, method, params)
        : undefined;
    const around = direction === 'to-server' ? callScope() : undefined;
    const scope = around?.includes(method) === true ? around : undefined;
    const subject = keptField(subjectOf({ method, params }));
    const message = this.#add(
      direction,
      text,
      heard,
      {
        kind: 'request',
        failed: false,
        status: 'pending',
        method,
        ...(subject === undefined ? {} : { subject }),
        rpcId: keptField(id),
        ...(continued === undefined ? {} : { round: continued.round }),
      },
      continued?.group ?? heard.within ?? scope?.group ?? batch ?? this.#groupOf(direction, heard),
      claimed,
    );
    scope?.joined(message.group);
    if (claimed !== undefined && method !== 'initialize') this.#revision = claimed;
    const asked = isRecord(params._meta) ? params._meta.progressToken : undefined;
    const token = isRequestId(asked) ? keptField(asked) : undefined;
    this.#open.add(message, id, token);
    if (this.#counts(message)) this.#recording.figures.asked(message);
    this.#recording.timeline.indexed(message, () => this.#dropped(message, token));
    return message;
  }

  /** A call that lasts longer than the timeline remembers: its answer will stand for itself. */
  #dropped(request: StoredMessage, token: RequestId | undefined): void {
    const isAwaited = this.#open.dropped(request, token) && !this.#open.isAbandoned(request);
    if (isAwaited && this.#counts(request)) this.#recording.figures.forgotten(request);
  }

  #notification(
    direction: Direction,
    text: string,
    { method: named, params = {} }: { method: string; params?: JsonObject },
    heard: HeardMessage,
    batch: number | undefined,
  ): StoredMessage {
    const method = keptField(named);
    const group = this.#relatedGroup(direction, method, params) ?? batch ?? this.#groupOf(direction, heard);
    const uri = stringIn(params, 'uri');
    return this.#add(
      direction,
      text,
      heard,
      { kind: 'notification', failed: false, method, ...(uri === undefined ? {} : { subject: uri }) },
      group,
      revisionIn(params),
    );
  }

  #answer(
    direction: Direction,
    text: string,
    id: RequestId | null,
    heard: HeardMessage,
    about: {
      readonly kind: 'result' | 'error';
      readonly failed: boolean;
      readonly rpcCode?: number;
      readonly asksForInput?: boolean;
      readonly result?: JsonObject;
    },
  ): StoredMessage {
    const asked = OPPOSITE[direction];
    const answeredId = id ?? heard.about;
    const request = answeredId === undefined ? this.#open.only(asked) : this.#open.find(asked, answeredId);
    const { result, asksForInput, ...rest } = about;
    if (request?.method === 'initialize' && result !== undefined) {
      this.#revision = stringIn(result, 'protocolVersion') ?? this.#revision;
    }
    // How a client finds out which era a server is of; a server of the other one is right to refuse it.
    const isProbe = request?.method === 'server/discover' && rest.rpcCode === METHOD_NOT_FOUND;
    const message = this.#add(
      direction,
      text,
      heard,
      {
        ...rest,
        ...(isProbe ? { failed: false } : {}),
        rpcId: keptField(id),
        ...(asksForInput === true ? { asksForInput } : {}),
        ...(request?.method === undefined ? {} : { method: request.method }),
        ...(request?.subject === undefined ? {} : { subject: request.subject }),
        ...(request?.round === undefined ? {} : { round: request.round }),
      },
      request?.group,
      request?.revision ?? this.#revision,
    );
    if (request === undefined) return message;
    this.#open.answered(request);
    this.#recording.timeline.pair(request, message);
    if (this.#counts(request) && !this.#open.isAbandoned(request)) {
      this.#recording.figures.answered(request, message);
    }
    if (asksForInput === true && result !== undefined) {
      if (request.round === undefined) {
        request.round = 1;
        message.round = 1;
      }
      this.#recording.rounds.asked(this.#origin.server, request, result);
    }
    return message;
  }

  #add(
    direction: Direction,
    text: string,
    { at, exchange, streamed = false }: HeardMessage,
    about: { readonly kind: MessageKind; readonly failed: boolean } & Partial<
      Pick<
        StoredMessage,
        'event' | 'status' | 'method' | 'subject' | 'rpcId' | 'rpcCode' | 'round' | 'asksForInput'
      >
    >,
    group?: number,
    revision: string | undefined = this.#revision,
  ): StoredMessage {
    const { server, source, hop, upstream, connection, transport, run } = this.#origin;
    const era = eraOf(revision);
    return this.#recording.timeline.add({
      at: at ?? this.#recording.now(),
      server,
      source,
      hop,
      direction,
      connection,
      transport,
      text,
      streamed,
      ...about,
      ...(group === undefined ? {} : { group }),
      ...(upstream === undefined ? {} : { upstream }),
      ...(run === undefined ? {} : { run }),
      ...(exchange === undefined ? {} : { exchange }),
      ...(revision === undefined ? {} : { revision }),
      ...(era === undefined ? {} : { era }),
    });
  }

  /** The call that a notification names itself. */
  #relatedGroup(direction: Direction, method: string, params: JsonObject): number | undefined {
    if (method === 'notifications/progress' && isRequestId(params.progressToken)) {
      return this.#open.withToken(OPPOSITE[direction], params.progressToken)?.group;
    }
    if (method === 'notifications/cancelled' && isRequestId(params.requestId)) {
      const cancelled = this.#open.find(direction, params.requestId);
      if (cancelled !== undefined) this.#abandon(cancelled, 'cancelled');
      return cancelled?.group;
    }
    const subscription = isRecord(params._meta) ? params._meta[META_SUBSCRIPTION_ID] : undefined;
    return isRequestId(subscription) ? this.#open.find('to-server', subscription)?.group : undefined;
  }

  /** The call on whose stream it came, or the only one that runs. */
  #groupOf(direction: Direction, { about }: HeardMessage): number | undefined {
    if (direction === 'to-server') return undefined;
    if (about !== undefined) return this.#open.find('to-server', about)?.group;
    // Over HTTP whatever belongs to a call comes on its stream.
    return this.#origin.transport === 'http' ? undefined : this.#open.onlyCall()?.group;
  }
}

function revisionIn(params: JsonObject): string | undefined {
  return isRecord(params._meta) ? stringIn(params._meta, META_PROTOCOL_VERSION) : undefined;
}

function stringIn(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' ? keptField(value) : undefined;
}

function eraOf(revision: string | undefined): EraName | undefined {
  return revision === undefined ? undefined : findRevision(revision)?.lifecycle;
}
