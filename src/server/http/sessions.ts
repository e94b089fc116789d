/** Handshake sessions over HTTP: written down in the store, taken up again for each request. */

import { isRecord } from '../../jsonrpc/message.js';
import type { Awaitable } from '../../protocol/awaitable.js';
import { parseImplementation } from '../../protocol/implementation.js';
import { findRevision } from '../../protocol/revisions/index.js';
import type { SessionRecord, Store } from '../../store/store.js';
import { isLogLevel } from '../peer.js';
import { Session } from '../session.js';

export class HttpSessions {
  readonly #store: Store;
  /** A store in memory returns the same record each time; then its session need not be built again. */
  readonly #built = new WeakMap<SessionRecord, Session>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** False when there are too many. */
  async create(session: Session): Promise<boolean> {
    const record = toRecord(session);
    this.#built.set(record, session);
    return session.sessionId !== undefined && (await this.#store.sessions.create(session.sessionId, record));
  }

  /**
   * The session, if it is alive and belongs to this principal. Someone else's session is as unknown as none:
   * a session id is no credential.
   */
  load(id: string, principal: string | undefined): Awaitable<Session | undefined> {
    const record = this.#store.sessions.get(id);
    if (record instanceof Promise) return record.then((found) => this.#open(id, found, principal));
    return this.#open(id, record, principal);
  }

  /**
   * Writes down what a call changed. Where there is no room for that, the session is again as it was written down
   * before, and the error says why.
   */
  async save(session: Session): Promise<void> {
    const { sessionId } = session;
    const change = session.takeChange();
    if (sessionId === undefined || change === undefined) return;
    try {
      const record = await this.#store.sessions.update(sessionId, change);
      if (record !== undefined) this.#built.set(record, session);
    } catch (error) {
      const before = await this.#store.sessions.peek(sessionId);
      if (before !== undefined) applyRecord(session, before);
      throw error;
    }
  }

  end(id: string): Awaitable<boolean> {
    return this.#store.sessions.delete(id);
  }

  #open(id: string, record: SessionRecord | undefined, principal: string | undefined): Session | undefined {
    if (record === undefined || record.principal !== principal) return undefined;
    let session = this.#built.get(record);
    if (session === undefined) {
      session = fromRecord(id, record);
      if (session !== undefined) this.#built.set(record, session);
    }
    return session;
  }
}

function toRecord(session: Session): SessionRecord {
  return {
    version: session.revision.version,
    clientInfo: session.clientInfo === undefined ? undefined : { ...session.clientInfo },
    capabilities: { ...session.capabilities },
    principal: session.principal,
    logLevel: session.logLevel,
    ready: session.ready,
    subscriptions: [...session.subscriptions],
    account: session.account,
  };
}

function fromRecord(id: string, record: SessionRecord): Session | undefined {
  const revision = findRevision(record.version);
  if (revision === undefined) return undefined;
  const session = new Session({
    revision,
    clientInfo: parseImplementation(record.clientInfo),
    capabilities: isRecord(record.capabilities) ? record.capabilities : {},
    principal: record.principal,
    sessionId: id,
    account: record.account,
  });
  applyRecord(session, record);
  return session;
}

/** Brings what can change in a session to what is written down. */
export function applyRecord(session: Session, record: SessionRecord): void {
  const { logLevel, ready, subscriptions } = record;
  session.adopt({ logLevel: isLogLevel(logLevel) ? logLevel : undefined, ready, subscriptions });
}
