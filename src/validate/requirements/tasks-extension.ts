import { type Requirement, table } from './requirement.js';

export const tasksExtensionRequirements: readonly Requirement[] = table(
  'Tasks (extension)',
  `
327 | 5 | must | server | ext-tasks | Task result only if request declared the extension | Omit it | Return tasks only to requests that declare the extension.
328 | 5 | must | server | ext-tasks | Otherwise -32021 naming the extension when task is unavoidable | Call | Answer -32021 naming the extension when a task is unavoidable.
329 | 5 | must | server | ext-tasks | tasks/* without declaration -> -32021 | Call | Answer tasks/* without the extension with -32021.
330 | 5 | must | server | ext-tasks | ResultType "task" on create only; "complete" on get/update/cancel | Inspect | Use resultType task for the created task only.
331 | 5 | must | server | ext-tasks | Immediate tasks/get resolves | Call at once | Store the task before answering.
332 | 5 | must | server | ext-tasks | Completed has result, failed has error, input_required has inputRequests | Poll | Return result, error or inputRequests as the status says.
333 | 5 | must | server | ext-tasks | isError -> completed | Tool error | Report isError results as completed.
334 | 5 | must | server | ext-tasks | Update/cancel -> empty ack | Call | Answer tasks/update and tasks/cancel with an empty result.
335 | 5 | must | server | ext-tasks | Unknown id on get -> -32602 | Call | Answer unknown ids with -32602.
336 | 5 | derived | server | ext-tasks | tasks/result, tasks/list -> -32601 | Call | Answer tasks/result and tasks/list with -32601.
337 | 5 | must | client | ext-tasks | Mcp-Name = taskId | Record | Send the taskId as Mcp-Name.
338 | 5 | must | client | ext-tasks | Handles both result kinds; task on other methods invalid | Mock | Handle task results of tools/call and refuse them elsewhere.
339 | 5 | must | server | ext-tasks | Listen taskIds without declaration -> -32021 | Send | Answer taskIds in listen without the extension with -32021.
340 | 5 | should | client | ext-tasks | Duplicate inputRequests keys asked once | Mock | Ask each question of a task once.
341 | 5 | must | server | ext-tasks | inputRequests keys never reused within a task | Two elicitations in one task | Use a key of inputRequests once per task.
342 | 5 | must | server | ext-tasks | No progress/log for tasks | Watch | Send no progress and no logs for tasks.
419 | 5 | must | server | ext-tasks | Every tasks/get lists all outstanding inputRequests | Poll twice without answering | Repeat every question of a task until it is answered.
420 | 5 | should | server | ext-tasks | Unknown keys in tasks/update are ignored | Send an extra key | Ignore answers that were not asked for.
421 | 5 | must | server | ext-tasks | A created task has taskId, status, times and ttlMs, and no result | Inspect | Give CreateTaskResult the fields of a task and nothing else.
`,
);
