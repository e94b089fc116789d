/** Tasks: of the core protocol, and as an extension of the stateless era. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { decodeHeaderValue, NAME_HEADER } from '../../protocol/mirrored-headers.js';
import { META_RELATED_TASK } from '../../protocol/model/meta.js';
import { actor, methodOf, respond, TOOL } from './actor.js';
import type { ClientJudge } from './judge.js';
import { ANYWHERE, calls, capabilitiesOf, paramsOf, type Scenario } from './scenario.js';
import type { Behaviour, Stage } from './stage.js';

const EXTENSION = 'io.modelcontextprotocol/tasks';
const TASK = 'stage-task-5f0e2c9a';
const MISPLACED = 'stage-task-misplaced';
const POLL_MS = 250;
const TIMES = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' };
const DONE = { content: [{ type: 'text', text: 'done' }] };

function toolWith(name: string, taskSupport: string): JsonObject {
  return { ...TOOL, name, execution: { taskSupport } };
}

/** Runs every call as a task that the client asks to be one; it is over at the third look. */
function core(): Behaviour {
  const usual = actor({
    tools: [
      toolWith('optional', 'optional'),
      toolWith('forbidden', 'forbidden'),
      toolWith('required', 'required'),
    ],
    capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
  });
  let looks = 0;
  let cancelled = false;
  const task = (status: string): JsonObject => ({
    taskId: TASK,
    status,
    ...TIMES,
    ttl: 60_000,
    pollInterval: POLL_MS,
  });
  return (heard, stage) => {
    switch (methodOf(heard)) {
      case 'tools/call':
        return isRecord(paramsOf(heard).task)
          ? respond(heard, { result: { task: task('working') } })
          : usual(heard, stage);
      case 'tasks/get':
        looks += 1;
        return respond(heard, {
          result: task(cancelled ? 'cancelled' : looks < 3 ? 'working' : 'completed'),
        });
      case 'tasks/result':
        return respond(heard, { result: { ...DONE, _meta: { [META_RELATED_TASK]: { taskId: TASK } } } });
      case 'tasks/cancel':
        cancelled = true;
        return respond(heard, { result: task('cancelled') });
      default:
        return usual(heard, stage);
    }
  };
}

function judgeCore(stage: Stage, judge: ClientJudge): void {
  for (const heard of calls(stage, 'tools/call')) {
    const { name, task } = paramsOf(heard);
    if (name === 'forbidden')
      judge.judge(
        '313',
        task === undefined,
        'A tool that forbids tasks was called as one',
        'a plain call',
        heard.text,
      );
    if (name === 'required')
      judge.judge(
        '313',
        isRecord(task),
        'A tool that requires a task was called without',
        'task',
        heard.text,
      );
  }
  const looks = calls(stage, 'tasks/get');
  for (const [index, look] of looks.entries()) {
    const before = looks[index - 1];
    if (before === undefined) continue;
    const gap = look.at - before.at;
    judge.judge(
      '325',
      gap >= POLL_MS * 0.8,
      `tasks/get came again after ${Math.round(gap)} ms`,
      `${POLL_MS} ms, as pollInterval says`,
      look.text,
    );
  }
  const created = calls(stage, 'tools/call').filter((heard) => isRecord(paramsOf(heard).task));
  const wrong = calls(stage, 'notifications/cancelled').find((heard) =>
    created.some(({ message }) => message?.id === paramsOf(heard).requestId),
  );
  if (wrong !== undefined || calls(stage, 'tasks/cancel').length > 0)
    judge.judge(
      '326',
      wrong === undefined,
      'A task was cancelled like a request',
      'tasks/cancel',
      wrong?.text ?? '',
    );
}

/** Every call becomes a task that asks one question, and asks it again while it reads the answer. */
function extended(): Behaviour {
  const usual = actor({ capabilities: { tools: {}, prompts: {}, extensions: { [EXTENSION]: {} } } });
  let looks = 0;
  const question = {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'Name?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string', default: 'Ada' } } },
    },
  };
  const task = (taskId: string, status: string): JsonObject => ({
    taskId,
    status,
    ...TIMES,
    ttlMs: 60_000,
    pollIntervalMs: 50,
  });
  return (heard, stage) => {
    const declared = capabilitiesOf(stage).extensions;
    if (!isRecord(declared) || !(EXTENSION in declared)) return usual(heard, stage);
    switch (methodOf(heard)) {
      case 'tools/call':
        return respond(heard, { result: { resultType: 'task', ...task(TASK, 'working') } });
      case 'prompts/get':
        return respond(heard, { result: { resultType: 'task', ...task(MISPLACED, 'working') } });
      case 'tasks/get': {
        looks += 1;
        const detail =
          looks <= 2
            ? { ...task(TASK, 'input_required'), inputRequests: { name: question } }
            : { ...task(TASK, 'completed'), result: { resultType: 'complete', ...DONE } };
        return respond(heard, { result: { resultType: 'complete', ...detail } });
      }
      case 'tasks/update':
      case 'tasks/cancel':
        return respond(heard, { result: { resultType: 'complete' } });
      default:
        return usual(heard, stage);
    }
  };
}

function judgeExtended(stage: Stage, judge: ClientJudge): void {
  const declared = capabilitiesOf(stage).extensions;
  if (!isRecord(declared) || !(EXTENSION in declared)) return;
  const about = stage.heard.filter((heard) => methodOf(heard).startsWith('tasks/'));
  if (calls(stage, 'tools/call').length > 0)
    judge.judge(
      '338',
      about.some((heard) => paramsOf(heard).taskId === TASK),
      'The task of tools/call was never looked at',
      'tasks/get until it is over',
      calls(stage, 'tools/call')[0]?.text ?? '',
    );
  const misplaced = about.find((heard) => paramsOf(heard).taskId === MISPLACED);
  judge.judge(
    '338',
    misplaced === undefined,
    'A task was accepted as the result of prompts/get',
    'an invalid result',
    misplaced?.text ?? '',
  );
  if (stage.kind === 'http') {
    for (const heard of about) {
      const name = decodeHeaderValue(heard.headers[NAME_HEADER] ?? '');
      judge.judge(
        '337',
        name === paramsOf(heard).taskId,
        `Mcp-Name of ${methodOf(heard)} is ${name === '' ? 'absent' : name}`,
        String(paramsOf(heard).taskId),
        heard.text,
      );
    }
  }
  const answers = calls(stage, 'tasks/update').filter((heard) => {
    const { inputResponses } = paramsOf(heard);
    return isRecord(inputResponses) && 'name' in inputResponses;
  });
  if (answers.length > 0)
    judge.judge(
      '340',
      answers.length === 1,
      `One question was answered ${answers.length} times`,
      'once',
      answers[1]?.text ?? '',
    );
}

export const TASK_SCENARIOS: readonly Scenario[] = [
  {
    name: 'tasks',
    revision: 4,
    over: ANYWHERE,
    ids: '313 325 326',
    trigger: 'call the tools, one of them as a task',
    behaviour: core,
    judge: judgeCore,
  },
  {
    name: 'tasks-extension',
    revision: 5,
    over: ANYWHERE,
    ids: '337 338 340',
    trigger: 'call a tool, and get the prompt',
    behaviour: extended,
    judge: judgeExtended,
  },
];
