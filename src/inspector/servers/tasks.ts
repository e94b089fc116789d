/** The tasks that the inspector knows of, by server: bounded, and kept when their connection is gone. */

import { isOver, type TaskState } from '../../client/features/task-state.js';
import type { Client } from '../../client/index.js';
import type { InspectedTask, ServerId } from '../api.js';
import type { EventSink } from '../events.js';
import { failureOf, invalid } from '../failure.js';

const MAX_TASKS = 500;
const MAX_STEPS = 50;
const DEFAULT_POLL_MS = 1_000;
const SHORTEST_POLL_MS = 250;

/** What a call knows of the task that it became. */
export interface TaskOrigin {
  readonly callId?: string | undefined;
  readonly tool?: string | undefined;
}

export class KnownTasks {
  readonly #emit: EventSink;
  readonly #tasks = new Map<string, InspectedTask>();
  /** When each was last asked for. */
  readonly #asked = new Map<string, number>();

  constructor(emit: EventSink) {
    this.#emit = emit;
  }

  views(): InspectedTask[] {
    return [...this.#tasks.values()];
  }

  heard(server: ServerId, state: TaskState, origin: TaskOrigin = {}): void {
    const key = keyOf(server, state.id);
    const before = this.#tasks.get(key);
    const { id, status, message, createdAt, updatedAt, ttlMs, pollIntervalMs } = state;
    const last = before?.history.at(-1);
    const isNews = last === undefined || last.status !== status || last.message !== message;
    const step = { at: Date.now(), status, ...(message === undefined ? {} : { message }) };
    const tool = origin.tool ?? before?.tool;
    const callId = origin.callId ?? before?.callId;
    const task: InspectedTask = {
      server,
      id,
      status,
      ttlMs,
      ...(message === undefined ? {} : { message }),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(updatedAt === undefined ? {} : { updatedAt }),
      ...(pollIntervalMs === undefined ? {} : { pollIntervalMs }),
      ...(tool === undefined ? {} : { tool }),
      ...(callId === undefined ? {} : { callId }),
      history: isNews ? [...(before?.history ?? []), step].slice(-MAX_STEPS) : (before?.history ?? []),
    };
    this.#keep(key, task);
  }

  /** Asks for what is not followed by a call, not more often than the server wants; `reload` lists and asks for all. */
  async refresh(
    server: ServerId,
    client: Client,
    isFollowed: (id: string) => boolean,
    reload: boolean,
  ): Promise<void> {
    if (reload && client.capabilities.tasks?.list !== undefined)
      for (const state of await client.tasks.list()) this.heard(server, state);
    const due = this.views().filter(
      (task) =>
        task.server === server && !isOver(task) && !isFollowed(task.id) && (reload || this.#isDue(task)),
    );
    await Promise.all(due.map(({ id }) => this.#ask(server, client, id)));
  }

  /** A task that was begun elsewhere. */
  async add(server: ServerId, client: Client, id: string): Promise<void> {
    if (id === '') throw invalid('The id of a task cannot be empty');
    this.heard(server, await client.tasks.get(id));
  }

  async cancel(server: ServerId, client: Client, id: string): Promise<void> {
    await client.tasks.cancel(id);
    await this.#ask(server, client, id);
  }

  forget(server: ServerId, id?: string): void {
    for (const [key, task] of [...this.#tasks]) {
      if (task.server !== server || (id !== undefined && task.id !== id)) continue;
      this.#drop(key, task);
    }
  }

  #isDue({ server, id, pollIntervalMs = DEFAULT_POLL_MS, failure }: InspectedTask): boolean {
    const asked = this.#asked.get(keyOf(server, id)) ?? 0;
    // A server that does not know it will not know it a moment later.
    return failure === undefined && Date.now() - asked >= Math.max(pollIntervalMs, SHORTEST_POLL_MS);
  }

  async #ask(server: ServerId, client: Client, id: string): Promise<void> {
    const key = keyOf(server, id);
    this.#asked.set(key, Date.now());
    try {
      this.heard(server, await client.tasks.get(id));
    } catch (error) {
      const known = this.#tasks.get(key);
      if (known !== undefined) this.#keep(key, { ...known, failure: failureOf(error) });
    }
  }

  #keep(key: string, task: InspectedTask): void {
    this.#tasks.set(key, task);
    this.#emit({ type: 'task', task });
    if (this.#tasks.size <= MAX_TASKS) return;
    const oldest = [...this.#tasks].find(([, kept]) => isOver(kept)) ?? [...this.#tasks][0];
    if (oldest !== undefined) this.#drop(...oldest);
  }

  #drop(key: string, { server, id }: InspectedTask): void {
    this.#tasks.delete(key);
    this.#asked.delete(key);
    this.#emit({ type: 'taskForgotten', server, id });
  }
}

function keyOf(server: ServerId, id: string): string {
  return JSON.stringify([server, id]);
}
