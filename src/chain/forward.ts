/** One request on its way upstream: in whose name it is made, and what of it comes back while it runs. */

import type { Sender } from '../client/options.js';
import type { Relay } from '../client/relay.js';
import { declaredSettings } from '../extensions/negotiation.js';
import { tasksExtension } from '../extensions/tasks/definition.js';
import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { scanParams } from '../jsonrpc/scan.js';
import { Cancellation } from '../protocol/cancellation.js';
import type { LogLevel } from '../protocol/model/logging.js';
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_PROTOCOL_VERSION,
} from '../protocol/model/meta.js';
import type { ProgressParams } from '../protocol/model/notifications.js';
import type { Answer } from '../protocol/revisions/result-text.js';
import { passesUnchanged } from '../protocol/revisions/results.js';
import type { CallContext } from '../server/context.js';
import { isLogLevel } from '../server/peer.js';
import { type Asker, foreignAsk } from './asker.js';
import type { Instance, OwnedRequest } from './instance.js';
import { passedCapabilities } from './served.js';

/** Keys of the envelope: they describe one hop, and the next one writes its own. */
const ENVELOPE = [
  META_PROTOCOL_VERSION,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  'progressToken',
];

/** How many questions were put during a call: several servers may work for it, and each question has a key. */
const questionsPut = new WeakMap<CallContext, number>();

/** A downstream call as the upstream server's questions and notifications find it. */
export class ContextAsker implements Asker {
  readonly #ctx: CallContext;
  readonly yields: boolean;

  constructor(ctx: CallContext, yields = false) {
    this.#ctx = ctx;
    this.yields = yields;
  }

  get principal(): string | undefined {
    return this.#ctx.peer.principal;
  }

  get session(): unknown {
    return sessionKey(this.#ctx) ?? this;
  }

  async ask(method: string, params: JsonObject): Promise<JsonObject> {
    const count = (questionsPut.get(this.#ctx) ?? 0) + 1;
    questionsPut.set(this.#ctx, count);
    const key = `q${count}`;
    const { [key]: answer } = await this.#ctx.ask({ [key]: foreignAsk(method, params) });
    return answer ?? {};
  }

  notify(method: string, params: JsonObject): void {
    // Progress goes by its token, see `relayed`.
    if (method === 'notifications/progress') return;
    if (method !== 'notifications/message') this.#ctx.notify(method, params);
    else if (isLogLevel(params.level)) {
      this.#ctx.log(params.level, params.data, typeof params.logger === 'string' ? params.logger : undefined);
    }
  }
}

/** What all calls of a downstream session have in common; undefined for a client without one. */
export function sessionKey({ peer }: CallContext): unknown {
  if (peer.sessionId !== undefined) return peer.sessionId;
  return peer.revision.lifecycle === 'handshake' ? peer : undefined;
}

export interface Relayed {
  readonly method: string;
  readonly params: JsonObject;
  readonly owner: Asker | undefined;
  /** What ends it. */
  readonly until: AbortSignal | Cancellation;
}

/** The request as it goes out: the client's own `_meta`, without what described the way here. */
export function relayed(
  ctx: CallContext,
  { method, params, owner, until }: Relayed,
  relay: Relay,
): OwnedRequest {
  const { peer } = ctx;
  const { _meta } = params;
  const wantsProgress = isRecord(_meta) && _meta.progressToken !== undefined;
  const teller = owner?.progress === undefined ? ctx : { progress: owner.progress.bind(owner) };
  const perRequest = relay.revision.logLevel === 'request';
  const level = perRequest && relay.client.capabilities.logging !== undefined ? peer.logLevel : undefined;
  const onProgress = ({ progress, total, message }: ProgressParams): void =>
    teller.progress(progress, total, message);
  const cancellation = until instanceof Cancellation ? until : undefined;
  const isUnchanged = _meta === undefined && level === undefined;
  return {
    method,
    params: isUnchanged ? params : withMeta(params, level),
    // No middleware has read or changed these, so they are cut out of the text and not encoded again.
    paramsText: isUnchanged && params === ctx.params ? paramsTextOf(ctx) : undefined,
    // In other revisions the server got this once, when it was connected.
    sender: relay.revision.lifecycle === 'stateless' ? senderOf(ctx, relay) : undefined,
    owner,
    logs: !perRequest && peer.revision.logLevel === 'request' && peer.logLevel !== undefined,
    cancellation,
    options: {
      ...(until instanceof Cancellation ? undefined : { signal: until }),
      ...(wantsProgress ? { onProgress } : undefined),
    },
  };
}

/**
 * Hands the client's own call on, and its answer back: as text, where no middleware looks at it and both sides write it
 * the same way. For a call that has one request upstream and whose outcome is what this returns.
 */
export function forward(
  instance: Instance,
  ctx: CallContext,
  request: Relayed,
  relay: Relay,
): Promise<Answer> {
  const outgoing = relayed(ctx, request, relay);
  return ctx.takesText && passesUnchanged(relay.revision, ctx.peer.revision)
    ? instance.pass(outgoing)
    : instance.request(outgoing);
}

function paramsTextOf({ text, takesText }: CallContext): string | undefined {
  return text !== undefined && takesText ? scanParams(text) : undefined;
}

function withMeta({ _meta, ...rest }: JsonObject, level: LogLevel | undefined): JsonObject {
  const meta: JsonObject = isRecord(_meta) ? { ..._meta } : {};
  for (const key of ENVELOPE) delete meta[key];
  if (level !== undefined) meta[META_LOG_LEVEL] = level;
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

function senderOf({ peer, askBy }: CallContext, { client }: Relay): Sender {
  const passed = passedCapabilities(peer.capabilities);
  const { id } = tasksExtension;
  // A task can be followed here, where its questions can be put to the client while it runs, or by the client itself.
  const knowsTasks = askBy === 'server_request' || declaredSettings(peer.capabilities, id) !== undefined;
  const follows = knowsTasks && declaredSettings(client.capabilities, id) !== undefined;
  const capabilities = follows ? { ...passed, extensions: { ...passed.extensions, [id]: {} } } : passed;
  return { info: peer.clientInfo, capabilities };
}
