/**
 * Conversations between nodes, over the mailboxes of the store that they share. Each chain has one box; a conversation
 * is a job that one of them gives to the other, and ends with its outcome or with one of the two.
 */

import type { Store, Unsubscribe } from '../../store/store.js';
import { type Job, type Letter, NodeAbsent, parseLetter, type Saying } from './letters.js';

/** How often within a lease one looks whether the others are still there. */
const LOOKS = 6;

export interface Correspondent {
  receive(saying: Saying): void;
  /** The other node is gone. */
  lost(): void;
}

/** Takes on a job that another node gives; returns who hears the rest of the conversation. */
export type TakeJob = (job: Job, conversation: Conversation) => Correspondent;

export class Post {
  readonly store: Store;
  /** The node, and a name of its own: several chains of a process may share a store. */
  readonly address: string;
  readonly #take: TakeJob;
  readonly #onError: (error: unknown) => void;
  readonly #conversations = new Map<string, Conversation>();
  #opened: Promise<Unsubscribe> | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(store: Store, take: TakeJob, onError: (error: unknown) => void) {
    this.store = store;
    this.address = `${store.nodes.self}/${crypto.randomUUID()}`;
    this.#take = take;
    this.#onError = onError;
  }

  /** Resolves when others can write here. */
  async ready(): Promise<void> {
    this.#opened ??= Promise.resolve(
      this.store.mailboxes.open(boxOf(this.address), (text) => this.#receive(text)),
    );
    try {
      await this.#opened;
    } catch (error) {
      // The next one who needs it tries again.
      this.#opened = undefined;
      throw error;
    }
  }

  async isThere(address: string): Promise<boolean> {
    return this.store.nodes.isAlive(address.slice(0, address.indexOf('/')));
  }

  /** Gives a job to another node. */
  async begin(
    address: string,
    job: Job,
    correspondent: (conversation: Conversation) => Correspondent,
  ): Promise<Conversation> {
    await this.ready();
    if (!(await this.isThere(address))) throw new NodeAbsent(false);
    const conversation = this.#converse(crypto.randomUUID(), address, correspondent);
    conversation.say({ type: 'job', from: this.address, job });
    return conversation;
  }

  /** False when there is no reader. */
  async deliver(address: string, letter: Letter): Promise<boolean> {
    return this.store.mailboxes.deliver(boxOf(address), JSON.stringify(letter));
  }

  forget(conversation: Conversation): void {
    this.#conversations.delete(conversation.id);
    if (this.#conversations.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  failed(error: unknown): void {
    this.#onError(error);
  }

  /** Ends what others gave to do here, and what was given to others. */
  async close(): Promise<void> {
    const conversations = [...this.#conversations.values()];
    for (const conversation of conversations) conversation.lose();
    await Promise.all(conversations.map((conversation) => conversation.said));
    const unsubscribe = await this.#opened?.catch(() => undefined);
    this.#opened = undefined;
    await unsubscribe?.();
  }

  #converse(
    id: string,
    address: string,
    correspondent: (conversation: Conversation) => Correspondent,
  ): Conversation {
    const conversation = new Conversation(this, id, address, correspondent);
    this.#conversations.set(id, conversation);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => void this.#look(), this.store.nodes.leaseMs / LOOKS);
      if (typeof this.#timer === 'object') this.#timer.unref();
    }
    return conversation;
  }

  #receive(text: string): void {
    const letter = parseLetter(text);
    if (letter === undefined) return;
    const { id, ...saying } = letter;
    if (saying.type !== 'job') this.#conversations.get(id)?.hear(saying);
    else this.#converse(id, saying.from, (conversation) => this.#take(saying.job, conversation));
  }

  async #look(): Promise<void> {
    const addresses = new Set([...this.#conversations.values()].map(({ address }) => address));
    for (const address of addresses) {
      try {
        if (await this.isThere(address)) continue;
      } catch (error) {
        this.#onError(error);
        continue;
      }
      for (const conversation of [...this.#conversations.values()]) {
        if (conversation.address === address) conversation.lose();
      }
    }
  }
}

export class Conversation {
  readonly id: string;
  /** Of the other one. */
  readonly address: string;
  readonly #post: Post;
  readonly #correspondent: Correspondent;
  /** Letters leave in the order in which they were written. */
  #tail: Promise<void> = Promise.resolve();
  #open = true;
  /** Whether something that was said here may have got there. */
  heard = false;

  constructor(
    post: Post,
    id: string,
    address: string,
    correspondent: (conversation: Conversation) => Correspondent,
  ) {
    this.#post = post;
    this.id = id;
    this.address = address;
    this.#correspondent = correspondent(this);
  }

  /** Resolves when everything has been delivered, or there is no reader. */
  get said(): Promise<void> {
    return this.#tail;
  }

  say(saying: Saying): void {
    if (this.#open) this.#tail = this.#tail.then(() => this.#deliver(saying));
  }

  /** Says this, and nothing more. */
  end(last?: Saying): void {
    if (last !== undefined) this.say(last);
    this.#open = false;
    this.#post.forget(this);
  }

  hear(saying: Saying): void {
    if (this.#open) this.#correspondent.receive(saying);
  }

  lose(): void {
    if (this.#open) this.#correspondent.lost();
  }

  async #deliver(saying: Saying): Promise<void> {
    try {
      if (await this.#post.deliver(this.address, { ...saying, id: this.id })) {
        this.heard = true;
        return;
      }
    } catch (error) {
      this.heard = true;
      this.#post.failed(error);
    }
    this.lose();
  }
}

function boxOf(address: string): string {
  return `chain:${address}`;
}
