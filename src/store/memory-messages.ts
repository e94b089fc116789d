/** Messages between the parts of one process. */

import type { MemorySettings } from './memory.js';
import { Receivers } from './receivers.js';
import type { Bus, Change, ChangeLog, Mailboxes } from './store.js';

export class MemoryBus implements Bus {
  readonly #receivers = new Receivers<[text: string]>();

  publish(topic: string, text: string): void {
    this.#receivers.tell(topic, text);
  }

  subscribe(topic: string, receive: (text: string) => void): () => void {
    return this.#receivers.add(topic, receive);
  }
}

export class MemoryMailboxes implements Mailboxes {
  readonly #readers = new Receivers<[text: string]>();

  deliver(box: string, text: string): boolean {
    const isOpen = this.#readers.has(box);
    this.#readers.tell(box, text);
    return isOpen;
  }

  open(box: string, receive: (text: string) => void): () => void {
    return this.#readers.add(box, receive);
  }
}

export class MemoryChangeLog implements ChangeLog {
  readonly #settings: MemorySettings;
  readonly #followers = new Receivers<[change: Change]>();
  readonly #kept: Change[] = [];
  #last = 0;

  constructor(settings: MemorySettings) {
    this.#settings = settings;
  }

  publish(text: string): void {
    this.#last += 1;
    const change = { id: this.#last.toString(36), text };
    this.#kept.push(change);
    if (this.#kept.length > this.#settings.maxChanges) this.#kept.shift();
    this.#followers.tell(ALL, change);
  }

  newest(): string {
    return this.#last.toString(36);
  }

  since(after: string, until?: string): readonly Change[] | undefined {
    const from = Number.parseInt(after, 36);
    const oldest = this.#last - this.#kept.length;
    const to = until === undefined ? this.#last : Number.parseInt(until, 36);
    return from < oldest ? undefined : this.#kept.slice(from - oldest, Math.max(to, from) - oldest);
  }

  follow(receive: (change: Change) => void): () => void {
    return this.#followers.add(ALL, receive);
  }
}

const ALL = 'all';
