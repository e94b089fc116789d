/**
 * Tasks in the shared store. Any node may change a task, and each change is written only over what it was made from, so
 * that none is lost. A task whose node has died is resumed by the node that reads it next, where that can be done, and
 * otherwise marked as failed.
 */

import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import type { Store, Unsubscribe } from '../../store/store.js';
import { expiryOf, isFinal, parseRecord, type TaskRecord } from './record.js';

/** What a change makes of a task; undefined leaves it as it is. */
export type TaskChange = (record: TaskRecord) => TaskRecord | undefined;

export interface TaskStoreOptions {
  readonly store: Store;
  readonly now: () => number;
  /** A task has changed through this node. */
  readonly changed: (record: TaskRecord) => void;
  readonly adoption?: TaskAdoption | undefined;
}

/** Goes on with tasks of nodes that have died. */
export interface TaskAdoption {
  accepts(record: TaskRecord): boolean;
  /** The task is now one of this node. */
  begin(record: TaskRecord): void;
}

/** Whose task it is, for lists and limits: the owner, and the account where that says more. */
export interface TaskShelf {
  readonly owner: string;
  readonly account: string | undefined;
}

const LOST = 'The node that ran the task stopped before the task had ended; start it again';

/** Somebody else changes the task each time that we try to. */
const MAX_ATTEMPTS = 64;

export class TaskStore {
  readonly #options: TaskStoreOptions;

  constructor(options: TaskStoreOptions) {
    this.#options = options;
  }

  get node(): string {
    return this.#options.store.nodes.self;
  }

  /** How long after a node died its tasks may seem to be worked on. */
  get leaseMs(): number {
    return this.#options.store.nodes.leaseMs;
  }

  /** False when there are too many of this shelf already; a task that has ended gives way. */
  async create(record: TaskRecord, shelf: TaskShelf, limit: number): Promise<boolean> {
    const { store, now } = this.#options;
    return store.locks.run(`tasks:${shelfKey(shelf)}`, async () => {
      const listed = await this.#listed(shelf);
      if (listed.length >= limit && !(await this.#makeRoom(listed, limit))) return false;
      await store.values.set(keyOf(record.id), JSON.stringify(record), expiryOf(record) - now());
      listed.push({ id: record.id, until: expiryOf(record) });
      const until = Math.max(...listed.map((entry) => entry.until));
      await store.values.set(shelfKey(shelf), JSON.stringify(listed), until - now());
      return true;
    });
  }

  /** The task as it is now; undefined when there is none, or none any more. */
  async read(id: string): Promise<TaskRecord | undefined> {
    const text = await this.#options.store.values.get(keyOf(id));
    const record = text === undefined ? undefined : parseRecord(text);
    if (record === undefined || isFinal(record) || (await this.#isWorkedOn(record))) return record;
    if (this.#options.adoption?.accepts(record) === true) return this.#adopt(record, this.#options.adoption);
    return this.change(id, (current) => (current.node === record.node ? lost(current) : undefined));
  }

  /** Of several nodes that try it, one gets the task. */
  async #adopt({ id, node }: TaskRecord, adoption: TaskAdoption): Promise<TaskRecord | undefined> {
    let isOurs = false;
    const after = await this.change(id, (current) => {
      isOurs = current.node === node;
      return isOurs ? adopted(current, this.node) : undefined;
    });
    if (isOurs && after !== undefined && after.node === this.node) adoption.begin(after);
    return after;
  }

  /** The tasks of a shelf, oldest first. */
  async list(shelf: TaskShelf): Promise<TaskRecord[]> {
    const listed = await this.#listed(shelf);
    const records = await Promise.all(listed.map(({ id }) => this.read(id)));
    return records.filter((record) => record !== undefined);
  }

  /** The task after the change; undefined when there is none any more. A task that has ended does not change. */
  async change(id: string, change: TaskChange): Promise<TaskRecord | undefined> {
    const { store, now, changed } = this.#options;
    const { values, bus } = store;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const before = await values.get(keyOf(id));
      const record = before === undefined ? undefined : parseRecord(before);
      if (record === undefined || isFinal(record)) return record;
      const after = change(record);
      if (after === undefined) return record;
      const stamped: TaskRecord = { ...after, updatedAt: now() };
      const text = JSON.stringify(stamped);
      const ttl = expiryOf(stamped) - now();
      if (ttl <= 0) return undefined;
      if ((await values.claim(keyOf(id), text, ttl, before)) !== text) continue;
      changed(stamped);
      await bus.publish(topicOf(id), stamped.status);
      return stamped;
    }
    throw new Error('The task changes too often to be changed');
  }

  /** Calls `wake` after changes of the task, and whenever some may have been missed. */
  async watch(id: string, wake: () => void): Promise<Unsubscribe> {
    return this.#options.store.bus.subscribe(topicOf(id), wake, wake);
  }

  async #isWorkedOn({ node }: TaskRecord): Promise<boolean> {
    const { nodes } = this.#options.store;
    return node === nodes.self || (await nodes.isAlive(node));
  }

  async #listed(shelf: TaskShelf): Promise<{ id: string; until: number }[]> {
    const text = await this.#options.store.values.get(shelfKey(shelf));
    const listed: { id: string; until: number }[] = text === undefined ? [] : JSON.parse(text);
    return listed.filter(({ until }) => until > this.#options.now());
  }

  /** Forgets the oldest task that has ended. */
  async #makeRoom(listed: { id: string; until: number }[], limit: number): Promise<boolean> {
    for (const [index, { id }] of listed.entries()) {
      const record = await this.read(id);
      if (record !== undefined && !isFinal(record)) continue;
      await this.#options.store.values.delete(keyOf(id));
      listed.splice(index, 1);
      return listed.length < limit;
    }
    return false;
  }
}

/** Its questions are put again by the new worker, under keys of its own. */
function adopted({ inputs: _, answers: __, ...record }: TaskRecord, node: string): TaskRecord {
  return { ...record, node, status: 'working' };
}

function lost(record: TaskRecord): TaskRecord {
  const { inputs: _, answers: __, ...rest } = record;
  return {
    ...rest,
    status: 'failed',
    statusMessage: LOST,
    error: { code: INTERNAL_ERROR, message: LOST },
  };
}

function keyOf(id: string): string {
  return `task:${id}`;
}

function topicOf(id: string): string {
  return `task:${id}`;
}

function shelfKey({ owner, account }: TaskShelf): string {
  return `tasks:${owner} ${account ?? ''}`;
}
