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

export class Hub {
  readonly #listeners = new Set<Listener>();
  readonly #changed = new Set<ListKind>();

  get size(): number {
    return this.#listeners.size;
  }

  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells of a changed list, once for all changes of the same tick. */
  listChanged(kind: ListKind): void {
    if (this.#listeners.size === 0) return;
    if (this.#changed.size === 0) queueMicrotask(() => this.#flush());
    this.#changed.add(kind);
  }

  resourceUpdated(uri: string): void {
    for (const listener of this.#listeners) {
      if (listener.wantsResource(uri)) listener.deliver('notifications/resources/updated', { uri });
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
