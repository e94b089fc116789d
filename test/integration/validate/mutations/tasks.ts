/** Mutations of a server with tasks. */

import { isRecord, type JsonObject } from '../../../../src/jsonrpc/message.js';
import { type TaskFaults, taskServer } from '../task-server.js';
import { answering, without } from './change.js';
import type { Mutation } from './harness.js';

const CORE = 4;
const MODERN = 5;

const broken = (id: string, name: string, faults: TaskFaults, revision = CORE): Mutation => ({
  id,
  name,
  revision,
  pipe: taskServer(faults),
});

/** Changes the results of a method. */
function results(method: string, change: (result: JsonObject) => JsonObject): TaskFaults {
  return {
    change: (given, answer) =>
      given === method && isRecord(answer.result) ? { result: change(answer.result) } : answer,
  };
}

/** Another error code of a method. */
function refuses(method: string, code: number): TaskFaults {
  return {
    change: (given, answer) =>
      given === method && isRecord(answer.error) ? { error: { ...answer.error, code } } : answer,
  };
}

/** A success where the method fails. */
function succeeds(method: string, result: JsonObject): TaskFaults {
  return { change: (given, answer) => (given === method && isRecord(answer.error) ? { result } : answer) };
}

const DONE: JsonObject = { content: [{ type: 'text', text: 'done' }] };
const TIMES = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' };
const SOME_TASK: JsonObject = { taskId: 'x'.repeat(20), status: 'working', ...TIMES, ttl: 1 };

export const TASKS: readonly Mutation[] = [
  broken(
    '308',
    'tools run as tasks that nobody declared',
    results('initialize', (result) => ({ ...result, capabilities: { tools: {} } })),
  ),
  {
    id: '309',
    name: 'a task field is refused',
    ...answering(
      ({ method, params }) => method === 'tools/call' && isRecord(params) && 'task' in params,
      () => ({ error: { code: -32603, message: 'No tasks here' } }),
    ),
  },
  broken(
    '310',
    'a new task is completed at once',
    results('tools/call', ({ task }) => (isRecord(task) ? { task: { ...task, status: 'completed' } } : DONE)),
  ),
  broken(
    '310',
    'a new task has no times',
    results('tools/call', ({ task }) =>
      isRecord(task) ? { task: without(task, 'createdAt', 'ttl') } : DONE,
    ),
  ),
  broken('311', 'a tool that requires a task runs without', succeeds('tools/call', DONE)),
  broken('312', 'a tool that forbids tasks runs as one', succeeds('tools/call', { task: SOME_TASK })),
  broken(
    '314',
    'tasks/get lacks the ttl',
    results('tasks/get', (task) => without(task, 'ttl')),
  ),
  broken(
    '315',
    'tasks/result comes while the task works',
    results('tasks/get', (task) => ({ ...task, status: 'working' })),
  ),
  broken(
    '315',
    'tasks/result has no content',
    results('tasks/result', (result) => without(result, 'content')),
  ),
  broken(
    '316',
    'tasks/result lacks related-task',
    results('tasks/result', (result) => without(result, '_meta')),
  ),
  broken('317', 'a terminal task starts again', restarting()),
  broken('318', 'a failed tool leaves its task completed', failing()),
  broken(
    '319',
    'a terminal task can be cancelled',
    succeeds('tasks/cancel', { ...SOME_TASK, status: 'cancelled' }),
  ),
  broken(
    '320',
    'a cancelled task goes on',
    results('tasks/get', (task) => (task.status === 'cancelled' ? { ...task, status: 'working' } : task)),
  ),
  broken('321', 'an unknown task is an internal error', refuses('tasks/get', -32603)),
  broken('321', 'the result of an unknown task is an internal error', refuses('tasks/result', -32603)),
  broken('322', 'a question of a task does not say so', {
    change: (method, answer) =>
      method === 'elicitation/create' && isRecord(answer.params)
        ? { ...answer, params: without(answer.params, '_meta') }
        : answer,
  }),
  broken('390', 'task ids are counted', { taskId: counted() }),
  broken('327', 'a task for whoever asks', { hear: (_, params) => withExtension(params) }, MODERN),
  broken('328', 'a missing extension is not named', namelessly(), MODERN),
  broken(
    '329',
    'tasks are shown to clients without the extension',
    { hear: (_, params) => withExtension(params) },
    MODERN,
  ),
  broken(
    '330',
    'tasks/get says that it is a task',
    results('tasks/get', (task) => ({ ...task, resultType: 'task' })),
    MODERN,
  ),
  broken('331', 'a new task is not found', forgetting(), MODERN),
  broken(
    '332',
    'a completed task has no result',
    results('tasks/get', (task) => without(task, 'result')),
    MODERN,
  ),
  broken(
    '332',
    'a waiting task asks nothing',
    results('tasks/get', (task) => without(task, 'inputRequests')),
    MODERN,
  ),
  broken(
    '333',
    'a failed tool fails its task',
    results('tasks/get', (task) =>
      task.status === 'completed' ? { ...task, status: 'failed', error: { code: 1, message: 'x' } } : task,
    ),
    MODERN,
  ),
  broken(
    '334',
    'tasks/cancel returns the task',
    results('tasks/cancel', (ack) => ({ ...ack, ...SOME_TASK })),
    MODERN,
  ),
  broken('335', 'an unknown task is not found', refuses('tasks/get', -32001), MODERN),
  broken(
    '336',
    'tasks/list is still there',
    succeeds('tasks/list', { resultType: 'complete', tasks: [] }),
    MODERN,
  ),
  broken(
    '336',
    'tasks/result is still there',
    succeeds('tasks/result', { resultType: 'complete', ...DONE }),
    MODERN,
  ),
  broken(
    '339',
    'taskIds need no extension',
    succeeds('subscriptions/listen', { resultType: 'complete' }),
    MODERN,
  ),
  broken('341', 'every question has the same key', samekeyed(), MODERN),
  broken('342', 'a task reports progress', progressing(), MODERN),
];

function withExtension(params: JsonObject): JsonObject {
  const meta = isRecord(params._meta) ? params._meta : {};
  const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
  return '_meta' in params
    ? { ...params, _meta: { ...meta, 'io.modelcontextprotocol/clientCapabilities': capabilities } }
    : params;
}

function counted(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `task-${count}`;
  };
}

function restarting(): TaskFaults {
  let looks = 0;
  return results('tasks/get', (task) => {
    if (task.status === 'completed' || task.status === 'failed') looks += 1;
    return looks > 1 ? { ...task, status: 'working' } : task;
  });
}

/** The tool that runs as a task fails, and the task is said to be completed. */
function failing(): TaskFaults {
  return {
    change: (method, answer) =>
      method === 'tasks/result' && isRecord(answer.result)
        ? { result: { ...answer.result, isError: true } }
        : answer,
  };
}

function namelessly(): TaskFaults {
  return {
    change: (method, answer) =>
      method === 'tools/call' && isRecord(answer.error) ? { error: without(answer.error, 'data') } : answer,
  };
}

function forgetting(): TaskFaults {
  let looks = 0;
  return {
    change: (method, answer, params) => {
      if (method !== 'tasks/get' || params.taskId === 'plumb-no-such-task') return answer;
      looks += 1;
      return looks > 1 ? answer : { error: { code: -32602, message: 'Unknown task' } };
    },
  };
}

/** Both questions come under one key; the server knows which one is meant. */
function samekeyed(): TaskFaults {
  let answers = 0;
  return {
    hear: (method, params) => {
      if (method !== 'tasks/update' || !isRecord(params.inputResponses)) return params;
      answers += 1;
      const key = answers === 1 ? 'first' : 'second';
      return { ...params, inputResponses: { [key]: params.inputResponses.name ?? {} } };
    },
    ...results('tasks/get', (task) =>
      isRecord(task.inputRequests)
        ? { ...task, inputRequests: { name: Object.values(task.inputRequests)[0] } }
        : task,
    ),
  };
}

function progressing(): TaskFaults {
  let task: unknown;
  return {
    change: (method, answer) => {
      if (method === 'tools/call' && isRecord(answer.result)) task = answer.result.taskId;
      return answer;
    },
    beside: (method) =>
      method === 'tasks/get' && typeof task === 'string'
        ? { method: 'notifications/progress', params: { progressToken: 'x', progress: 1, taskId: task } }
        : undefined,
  };
}
