/** Fan-out of changes (lists, resources) to whoever listens, in both eras. */

import type { JsonObject } from '../jsonrpc/message.js';
import type { LogLevel } from '../protocol/model/logging.js';
import type { Session } from './session.js';

export type ListKind = 'tools' | 'prompts' | 'resources';

export interface Listener {
  /** The handshake client behind it, where there is one. */
  readonly session?: Session;
  /** Puts a question to that client outside of its calls. */
  ask?(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  wantsList(kind: ListKind): boolean;
  wantsResource(uri: string): boolean;
  /** Whether log messages that belong to no call are delivered. */
  wantsLog(level: LogLevel): boolean;
  deliver(method: string, params: JsonObject): void;
}

export interface SessionListener extends Listener {
  readonly session: Session;
}

function isSessionListener(listener: Listener): listener is SessionListener {
  return listener.session !== undefined;
}

function everybody(): boolean {
  return true;
}

export class Hub {
  readonly #listeners = new Set<Listener>();
  readonly #changed = new Set<ListKind>();
  readonly #waiters = new Set<() => void>();

  get size(): number {
    return this.#listeners.size;
  }

  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    for (const waiter of [...this.#waiters]) waiter();
    return () => this.#listeners.delete(listener);
  }

  /** Tells of a changed list, once for all changes of the same tick. */
  listChanged(kind: ListKind): void {
    if (this.#listeners.size === 0) return;
    if (this.#changed.size === 0) queueMicrotask(() => this.#flush());
    this.#changed.add(kind);
  }

  /** `subscribed` is what a client has to be subscribed to; `concerns` leaves out those with another server behind. */
  resourceUpdated(
    uri: string,
    subscribed: string = uri,
    concerns: (session: Session | undefined) => boolean = everybody,
  ): void {
    for (const listener of this.#listeners) {
      if (listener.wantsResource(subscribed) && concerns(listener.session))
        listener.deliver('notifications/resources/updated', { uri });
    }
  }

  log(level: LogLevel, params: JsonObject): void {
    for (const listener of this.#listeners) {
      if (listener.wantsLog(level)) listener.deliver('notifications/message', params);
    }
  }

  /** The handshake clients that can be told something at this moment. */
  sessions(): SessionListener[] {
    return [...this.#listeners].filter(isSessionListener);
  }

  /** The way to a session, as soon as there is one. */
  reach(isMeant: (session: Session) => boolean, signal: AbortSignal): Promise<SessionListener> {
    return new Promise((resolve, reject) => {
      const look = (): boolean => {
        const found = this.sessions().find(({ session }) => isMeant(session));
        if (found === undefined) return false;
        end();
        resolve(found);
        return true;
      };
      const abort = (): void => {
        end();
        reject(signal.reason);
      };
      const end = (): void => {
        this.#waiters.delete(look);
        signal.removeEventListener('abort', abort);
      };
      if (look()) return;
      this.#waiters.add(look);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  #flush(): void {
    const kinds = [...this.#changed];
    this.#changed.clear();
    for (const kind of kinds) {
      for (const listener of this.#listeners) {
        if (listener.wantsList(kind)) listener.deliver(`notifications/${kind}/list_changed`, {});
      }
    }
  }
}
