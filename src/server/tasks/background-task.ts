/** A call that goes on as a task: where what its handler says goes, in the two forms of tasks. */

import { coreTask, relatedTo, type TaskRecord } from '../../extensions/tasks/record.js';
import type { RunningTask, TaskOutcome } from '../../extensions/tasks/running-task.js';
import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { TaskStatus } from '../../protocol/model/tasks.js';
import { readable } from '../../protocol/revisions/vocabulary.js';
import type { BackgroundCall } from '../background-call.js';
import type { CallContext } from '../context.js';
import type { ChangeHub } from '../hub.js';
import type { Peer } from '../peer.js';

export interface BackgroundHost {
  settled(): void;
  /** Whether there is room to keep this result. */
  fits(result: JsonObject): boolean;
}

const TOO_LARGE = 'The result of the task is larger than what the server can keep';

export class BackgroundTask implements BackgroundCall {
  readonly #task: RunningTask;
  readonly #peer: Peer;
  readonly #token: unknown;
  readonly #hub: ChangeHub;
  readonly #host: BackgroundHost;
  #told: TaskStatus = 'working';

  constructor(task: RunningTask, { peer, meta }: CallContext, hub: ChangeHub, host: BackgroundHost) {
    this.#task = task;
    this.#peer = peer;
    this.#token = meta.progressToken;
    this.#hub = hub;
    this.#host = host;
  }

  progress(progress: number, total: number | undefined, message: string | undefined): void {
    const words = message ?? (total === undefined ? String(progress) : `${progress} of ${total}`);
    this.#task.status(words);
    if (this.#token === undefined) return;
    const params: JsonObject = { progressToken: this.#token, progress };
    if (total !== undefined) params.total = total;
    if (message !== undefined) params.message = message;
    this.notify('notifications/progress', readable(this.#peer.revision, 'progress', params));
  }

  status(message: string): void {
    this.#task.status(message);
  }

  ask(method: string, params: JsonObject): Promise<JsonObject> {
    return this.#task.ask(method, params);
  }

  /** The extension has no place for notifications of a task other than its status. */
  notify(method: string, params: JsonObject): void {
    if (this.#isCore) this.#send(method, relatedTo(this.#task.id, params));
  }

  resumable(resume: JsonObject): void {
    this.#task.resumable(resume);
  }

  async settle(outcome: TaskOutcome): Promise<void> {
    const fits = 'error' in outcome || this.#host.fits(outcome.result);
    const kept: TaskOutcome = fits ? outcome : { error: { code: INTERNAL_ERROR, message: TOO_LARGE } };
    try {
      await this.#task.settle(kept);
    } finally {
      this.#host.settled();
    }
  }

  /** Reports a new status to the session that the task was created in. */
  changed(record: TaskRecord): void {
    const task = coreTask(record);
    if (!this.#isCore || task.status === this.#told) return;
    this.#told = task.status;
    this.#send('notifications/tasks/status', task);
  }

  get #isCore(): boolean {
    return this.#peer.revision.tasks === 'core';
  }

  #send(method: string, params: JsonObject): void {
    const { sessionId } = this.#peer;
    if (sessionId !== undefined) this.#hub.announce({ type: 'message', session: sessionId, method, params });
    else
      this.#hub
        .sessions()
        .find(({ session }) => session === this.#peer)
        ?.deliver(method, params);
  }
}
