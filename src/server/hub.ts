/** Fan-out of changes (lists, resources) to whoever listens, in both eras. */

export type ListKind = 'tools' | 'prompts' | 'resources';

export interface Listener {
  wantsList(kind: ListKind): boolean;
  wantsResource(uri: string): boolean;
  deliver(method: string, params: { [key: string]: unknown }): void;
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
