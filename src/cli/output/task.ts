/** A task in words: for the status line, for lists, and for people who leave it and come back. */

import type { TaskState } from '../../client/features/task-state.js';
import { singleLine } from '../../protocol/display.js';
import type { ResolvedTarget } from '../target/target.js';

const WORDS: Readonly<Record<TaskState['status'], string>> = {
  working: 'working',
  input_required: 'needs input',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** One line. */
export function describeTask({ status, message }: TaskState): string {
  return message === undefined ? WORDS[status] : `${WORDS[status]}: ${singleLine(message)}`;
}

/** What to do with a task that goes on without this command. */
export function describeResumption(id: string, target: ResolvedTarget): string {
  return [
    `The task ${id} goes on. To get its result, run: ${target.command('task resume', id)}`,
    `To stop it, run: ${target.command('task cancel', id)}`,
  ].join('\n');
}
