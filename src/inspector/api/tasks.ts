/** Tasks of servers: calls that were answered with a task, tasks that the server lists, and tasks named by their id. */

import type { TaskStatus } from '../../protocol/model/tasks.js';
import type { Failure, ServerId } from './servers.js';

/** A task, as it was last heard of. */
export interface InspectedTask {
  readonly server: ServerId;
  readonly id: string;
  readonly status: TaskStatus;
  readonly message?: string;
  /** ISO 8601. */
  readonly createdAt?: string;
  readonly updatedAt?: string;
  /** How long after its creation the server may forget it; null is never. */
  readonly ttlMs: number | null;
  readonly pollIntervalMs?: number;
  /** The tool that was called, where the inspector called it. */
  readonly tool?: string;
  /** The call that became the task, or that resumed it last. */
  readonly callId?: string;
  /** Every status that was heard of, the newest last; at most 50. */
  readonly history: readonly TaskStep[];
  /** Why the server could not be asked for the status. */
  readonly failure?: Failure;
}

export interface TaskStep {
  readonly at: number;
  readonly status: TaskStatus;
  readonly message?: string;
}
