/** What the page says of tasks. */

import type { InspectedTask, ServerView } from '../../../api.js';
import type { Tone } from '../../components/badge.js';
import { formatDuration } from '../../components/format.js';

const TASKS = 'io.modelcontextprotocol/tasks';

export const STATUS_TONES: Readonly<Record<InspectedTask['status'], Tone>> = {
  working: 'info',
  input_required: 'warn',
  completed: 'good',
  failed: 'bad',
  cancelled: 'accent',
};

/** Whether the server declares tasks, in either form. */
export function hasTasks(server: ServerView | undefined): boolean {
  const capabilities = server?.session?.capabilities;
  return capabilities?.tasks !== undefined || capabilities?.extensions?.[TASKS] !== undefined;
}

/** Whether the server has a list of tasks: 2025-11-25 only. */
export function listsTasks(server: ServerView): boolean {
  return server.session?.capabilities.tasks?.list !== undefined;
}

export function isUnderWay({ status }: Pick<InspectedTask, 'status'>): boolean {
  return status === 'working' || status === 'input_required';
}

/** Until when the server keeps it. */
export function keptUntil({ createdAt, ttlMs }: InspectedTask): string {
  if (ttlMs === null) return 'without end';
  const created = Date.parse(createdAt ?? '');
  const time = ttlMs < 120_000 ? formatDuration(ttlMs) : `${Math.round(ttlMs / 60_000)} min`;
  if (Number.isNaN(created)) return time;
  return `${time}, until ${new Date(created + ttlMs).toLocaleTimeString()}`;
}
