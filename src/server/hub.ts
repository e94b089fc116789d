/** Fan-out of changes (lists, resources) to whoever listens, in both eras. */

import type { JsonObject } from '../jsonrpc/message.js';
import type { LogLevel } from '../protocol/model/logging.js';

export type ListKind = 'tools' | 'prompts' | 'resources';

export interface Listener {
  wantsList(kind: ListKind): boolean;
  wantsResource(uri: string): boolean;
  /** Whether log messages that belong to no call are delivered. */
  wantsLog(level: LogLevel): boolean;
  deliver(method: string, params: JsonObject): void;
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
