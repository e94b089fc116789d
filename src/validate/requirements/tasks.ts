import { type Requirement, table } from './requirement.js';

export const tasksRequirements: readonly Requirement[] = table(
  'Tasks (core)',
  `
308 | 4 | must | both | tasks | Task support declared before use | Inspect | Declare tasks before using them.
309 | 4 | must | server | tasks | Undeclared: task param ignored, normal result | Send task | Ignore the task field when tasks are not declared.
310 | 4 | must | server | tasks | Accepted: {task} with working status, taskId, createdAt, lastUpdatedAt, ttl | Call | Return a task with taskId, status working, createdAt, lastUpdatedAt and ttl.
311 | 4 | must | server | tasks | Required tool without task -> -32601 | Call | Refuse a plain call of a tool that requires a task with -32601.
312 | 4 | should | server | tasks | Forbidden tool with task -> -32601 | Call | Refuse a task for a tool that forbids it with -32601.
313 | 4 | must | client | tasks | Forbidden tools never called as task; required always | Mock | Follow execution.taskSupport.
314 | 4 | must | server | tasks | tasks/get returns Task incl. ttl | Call | Return the whole task, with ttl, from tasks/get.
315 | 4 | must | server | tasks | tasks/result blocks until terminal and equals original result/error | Compare | Block tasks/result until the task is over, then return the original result.
316 | 4 | must | server | tasks | tasks/result has related-task meta | Inspect | Add related-task to _meta of the result.
317 | 4 | must | server | tasks | Only legal transitions; terminal final | Poll history | Never leave a terminal state.
318 | 4 | derived | server | tasks | isError result -> failed | Tool error | Set the status failed when the tool result has isError.
319 | 4 | must | server | tasks | Cancel -> cancelled status; terminal -> -32602 | Cancel twice | Set cancelled on tasks/cancel; refuse terminal tasks with -32602.
320 | 4 | must | server | tasks | Cancelled stays cancelled | Let work finish | Keep a cancelled task cancelled.
321 | 4 | must | server | tasks | Unknown id -> -32602 on get/result/cancel | Send | Answer unknown task ids with -32602.
322 | 4 | must | server | tasks | Task-related requests carry related-task | Elicitation in task | Add related-task to requests that belong to a task.
323 | 4 | must | server | tasks | Tasks bound to auth context; list only own | Two users | Show tasks only to whom they belong. | needs the credentials of two different users
324 | 4 | must | server | tasks | NextCursor when more tasks | Many tasks | Return nextCursor when there are more tasks. | how many tasks a server holds is not visible from outside
325 | 4 | should | client | tasks | PollInterval honoured | Mock 2000 | Wait pollInterval between polls.
326 | 4 | must | client | tasks | tasks/cancel, not cancelled, used | Abort | Cancel tasks with tasks/cancel.
`,
);
