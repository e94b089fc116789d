/** What runs tasks, loaded with the first of them. */
export { detailedTask } from '../../extensions/tasks/record.js';
export { serveCoreTask } from './core-tasks.js';
export { createTaskService } from './task-service.js';
