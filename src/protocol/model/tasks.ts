/**
 * Tasks: requests answered later. Core protocol in 2025-11-25 only, experimental there;
 * afterwards an extension with other shapes.
 */

import type { PaginatedResult, Result } from './base.js';
import type { NotificationMeta, RequestMeta } from './meta.js';

/** The last three are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

export type Task = {
  taskId: string;
  status: TaskStatus;
  statusMessage?: string;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. */
  lastUpdatedAt: string;
  /** Milliseconds from creation until the receiver may forget it; null is never. */
  ttl: number | null;
  /** Milliseconds that the receiver would like between two polls. */
  pollInterval?: number;
};

/** Asks, inside the params of another request, for that request to run as a task. */
export interface TaskOptions {
  /** Milliseconds; the receiver may choose otherwise. */
  ttl?: number;
}

/** Answers a request that carried `task`, in place of its own result. */
export type CreateTaskResult = Result & {
  task: Task;
};

/** Params of `tasks/get`, `tasks/result` and `tasks/cancel`. */
export type TaskParams = {
  _meta?: RequestMeta;
  taskId: string;
};

/** Of `tasks/get` and `tasks/cancel`. */
export type TaskResult = Result & Task;

/** Of `tasks/result`: exactly what the original request would have been answered with. */
export type TaskPayloadResult = Result & { [key: string]: unknown };

export type ListTasksResult = PaginatedResult & {
  tasks: Task[];
};

export type TaskStatusParams = Task & {
  _meta?: NotificationMeta;
};
