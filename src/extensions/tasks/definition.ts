/** The tasks extension of the stateless era; in 2025-11-25 tasks are part of the protocol, with other shapes. */

import { defineExtension, type Extension } from '../extension.js';

const SHAPE = {
  id: 'io.modelcontextprotocol/tasks',
  eras: ['stateless'],
  methods: { 'tasks/get': {}, 'tasks/update': {}, 'tasks/cancel': {} },
  notifications: { 'notifications/tasks': { type: 'object' } },
  resultTypes: { task: ['tools/call'] },
  listenFilters: { taskIds: 'strings' },
  merge: () => ({}),
} as const;

export const tasksExtension: Extension<typeof SHAPE> = defineExtension(SHAPE);
