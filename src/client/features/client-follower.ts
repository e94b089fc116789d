/** Follows tasks over a connection of this client: its handlers answer their questions. */

import type { JsonObject } from '../../jsonrpc/message.js';
import type { Core } from '../core.js';
import { type FollowerHost, TaskFollower } from './task-follower.js';
import type { TaskState } from './task-state.js';

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined;
  /** Hears of every change of the status or its message. */
  readonly onStatus?: ((task: TaskState) => unknown) | undefined;
  /** The call that the task belongs to, for the handlers of its questions. */
  readonly call?: { readonly method: string; readonly params: JsonObject } | undefined;
}

export function createFollower(core: Core, id: string, options: FollowOptions = {}): TaskFollower {
  const { signal, onStatus, call } = options;
  const host: FollowerHost = {
    form: core.connection.era.session.revision.tasks === 'core' ? 'core' : 'extension',
    // A task is asked about until it ends, however often the connection is lost meanwhile.
    request: (method, params, timeout, left) =>
      core.request({
        method,
        params,
        options: { retry: true, whenNotReady: 'wait', timeout, signal: left },
        raw: true,
        read: (result) => result,
      }),
    answer: (method, params, asking) => {
      const { revision } = core.connection.era.session;
      return core.answer(revision, method, params, { signal: asking, revision: revision.version, call });
    },
    changed: (task) => {
      if (onStatus !== undefined) core.guard('onStatus', () => onStatus(task));
    },
    failed: (message, cause) => core.fault({ kind: 'handler', message, cause }),
  };
  return new TaskFollower(host, id, signal);
}
