/**
 * Revisions without a handshake: every request carries who asks and in which revision, the server asks by ending a
 * call with questions, and changes come on listen streams.
 */

import type { ErrorObject, JsonObject, Notification, Request, RequestId } from '../../../jsonrpc/message.js';
import { isRecord, isRequestId } from '../../../jsonrpc/message.js';
import { UNSUPPORTED_VERSION } from '../../../protocol/errors.js';
import { parseImplementation } from '../../../protocol/implementation.js';
import type { Implementation } from '../../../protocol/model/base.js';
import type { LogLevel } from '../../../protocol/model/logging.js';
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_PROTOCOL_VERSION,
  META_SERVER_INFO,
  META_SUBSCRIPTION_ID,
  type RequestMeta,
} from '../../../protocol/model/meta.js';
import type { Revision } from '../../../protocol/revisions/index.js';
import { readable } from '../../../protocol/revisions/vocabulary.js';
import { invalidResult } from '../../errors.js';
import { type InputRequired, parseInputRequired } from '../../input/input-rounds.js';
import type { CallOptions, Sender, Settings } from '../../options.js';
import type { SendReply } from '../batch-reply.js';
import { capabilitiesFor } from '../capabilities.js';
import type { ConnectionOwner, Requester } from '../connection.js';
import type { Link } from '../link.js';
import { chooseStateless, namedVersions } from '../versions.js';
import { RequestEnvelope } from './envelope.js';
import type { ClientEra, ClientSession } from './era.js';
import { ListenFeed } from './listen-feed.js';

/** Notifications that travel on listen streams. */
const CHANGES: ReadonlySet<string> = new Set([
  'notifications/tools/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/prompts/list_changed',
]);

/** What every request of a stateless revision carries. */
export function statelessEnvelope(
  revision: Revision,
  settings: Settings,
  logLevel: LogLevel | undefined,
): RequestEnvelope {
  return new RequestEnvelope({
    [META_PROTOCOL_VERSION]: revision.version,
    [META_CLIENT_CAPABILITIES]: capabilitiesFor(revision, settings.capabilities),
    [META_CLIENT_INFO]: readable(revision, 'implementation', settings.info),
    ...(logLevel === undefined ? {} : { [META_LOG_LEVEL]: logLevel }),
  });
}

export class StatelessEra implements ClientEra {
  readonly feed: ListenFeed;
  readonly #requester: Requester;
  readonly #owner: ConnectionOwner;
  #session: ClientSession;
  #envelope: RequestEnvelope;

  constructor(session: ClientSession, requester: Requester, owner: ConnectionOwner, link: Link) {
    this.#session = session;
    this.#requester = requester;
    this.#owner = owner;
    this.#envelope = statelessEnvelope(session.revision, owner.settings, owner.logLevel);
    this.feed = new ListenFeed(link, this, owner);
  }

  get session(): ClientSession {
    return this.#session;
  }

  encode(
    id: RequestId,
    method: string,
    params: JsonObject,
    meta: RequestMeta | undefined,
    progressToken: RequestId | undefined,
    sender?: Sender,
  ): string {
    const own = sender === undefined ? undefined : this.#senderMeta(sender);
    return this.#envelope.write(id, method, params, meta, progressToken, own);
  }

  /** Every request has its envelope in them. */
  splice(): undefined {
    return undefined;
  }

  judge(method: string, result: JsonObject, raw: boolean): InputRequired | undefined {
    if (this.#session.server === undefined) this.#meet(result);
    const { resultType } = result;
    if (resultType === undefined || resultType === 'complete') return undefined;
    if (resultType === 'input_required') {
      if (this.#session.revision.askableMethods.has(method)) return parseInputRequired(method, result);
      if (!raw) throw invalidResult(method, 'this method may not ask for input');
    }
    if (raw) return undefined;
    throw invalidResult(method, `its resultType ${JSON.stringify(resultType)} is unknown`);
  }

  /** The server names the versions it does speak: go on with one that we share, even the one just refused. */
  amend(error: ErrorObject): boolean {
    if (error.code !== UNSUPPORTED_VERSION) return false;
    const revision = chooseStateless(namedVersions(error.data), this.#owner.settings.revisions);
    if (revision === undefined) return false;
    if (revision !== this.#session.revision) {
      this.#session = { ...this.#session, revision };
      this.#envelope = statelessEnvelope(revision, this.#owner.settings, this.#owner.logLevel);
    }
    return true;
  }

  request(request: Request, reply: SendReply): void {
    this.#owner.fault({
      kind: 'unexpected_message',
      message: `The server sent the request ${request.method}; in this revision servers ask through results, so it is ignored`,
    });
    reply(undefined);
  }

  notified(notification: Notification): boolean {
    const { method, params = {} } = notification;
    if (method === 'notifications/cancelled') {
      if (isRequestId(params.requestId)) this.feed.cancelled(params.requestId);
      return true;
    }
    const meta = params._meta;
    const id = isRecord(meta) ? meta[META_SUBSCRIPTION_ID] : undefined;
    if (method === 'notifications/subscriptions/acknowledged') {
      if (isRequestId(id)) this.feed.acknowledged(id, params.notifications);
      return true;
    }
    if (!CHANGES.has(method)) return true;
    if (isRequestId(id)) return this.feed.admits(id);
    const message = `${method} came without a subscription id; it is accepted`;
    this.#owner.fault({ kind: 'deviation', message });
    return true;
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    this.#envelope = statelessEnvelope(this.#session.revision, this.#owner.settings, level);
  }

  /** There is no ping; every server can be discovered, though. */
  ping(options: CallOptions): Promise<void> {
    return this.#requester.request({ method: 'server/discover', params: {}, options, read: () => {} });
  }

  end(): void {
    this.feed.end();
  }

  #senderMeta({ info, capabilities }: Sender): JsonObject {
    const { revision } = this.#session;
    const meta: JsonObject = { [META_CLIENT_CAPABILITIES]: capabilitiesFor(revision, capabilities) };
    if (info !== undefined) meta[META_CLIENT_INFO] = readable(revision, 'implementation', info);
    return meta;
  }

  #meet(result: JsonObject): void {
    const server: Implementation | undefined = isRecord(result._meta)
      ? parseImplementation(result._meta[META_SERVER_INFO])
      : undefined;
    if (server !== undefined) this.#session = { ...this.#session, server };
  }
}
