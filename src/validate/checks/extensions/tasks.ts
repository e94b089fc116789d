/** Tasks of the core protocol. */

import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../../jsonrpc/codes.js';
import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { META_RELATED_TASK } from '../../../protocol/model/meta.js';
import { textOf } from '../../catalogue.js';
import { type Check, check, ownCheck } from '../../check.js';
import { validArguments } from '../../generate/arguments.js';
import type { Probe } from '../../probe.js';
import { issuesOf } from '../../schemas/index.js';
import { task as taskShape } from '../../schemas/results.js';
import { outcomeOf, type WireReply } from '../../session/reply.js';
import type { Asked, ValidatorSession } from '../../session/session.js';
import { expectError } from '../expect.js';

const TERMINAL: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);
const TASK_MS = 15_000;
const IDS = ['310', '314', '315', '316', '317', '318', '319', '320', '321', '322', '390'] as const;

function declared(probe: Probe): boolean {
  const tasks = probe.catalogue.capabilities.tasks;
  const requests = isRecord(tasks) && isRecord(tasks.requests) ? tasks.requests : {};
  return isRecord(requests.tools) && requests.tools.call !== undefined;
}

function supportOf(tool: JsonObject): string {
  return isRecord(tool.execution) ? textOf(tool.execution, 'taskSupport') : '';
}

function paramsOf(tool: JsonObject, extra: JsonObject = {}): JsonObject {
  return { name: textOf(tool, 'name'), arguments: validArguments(tool.inputSchema), ...extra };
}

function taskOf(reply: WireReply): JsonObject | undefined {
  return reply.kind === 'result' && isRecord(reply.result.task) ? reply.result.task : undefined;
}

export const taskChecks: readonly Check[] = [
  check('308', (probe) => {
    const speaking = probe.catalogue.tools.find((tool) => ['optional', 'required'].includes(supportOf(tool)));
    if (speaking === undefined) return probe.skip('308', 'no tool speaks of tasks');
    probe.judge(
      '308',
      declared(probe),
      `${textOf(speaking, 'name')} supports tasks and the server declares none`,
      'tasks.requests.tools.call',
      {
        received: JSON.stringify(probe.catalogue.capabilities),
      },
    );
  }),
  check('309', async (probe) => {
    if (declared(probe)) return probe.skip('309', 'the server declares tasks');
    const use = probe.goodCall;
    if (use === undefined) return probe.skip('309', 'no tool may be called');
    const reply = await (await probe.session()).request('tools/call', {
      ...use.params,
      task: { ttl: 60_000 },
    });
    const ok = reply.kind === 'result' && taskOf(reply) === undefined;
    probe.judge(
      '309',
      ok,
      `A task field without the capability: ${outcomeOf(reply)}`,
      'the normal result',
      reply,
    );
  }),
  check('311 312', async (probe) => {
    if (!declared(probe)) {
      for (const id of ['311', '312']) probe.skip(id, 'the server declares no tasks');
      return;
    }
    const session = await probe.session();
    const required = probe.tools.find((tool) => supportOf(tool) === 'required');
    if (required === undefined) probe.skip('311', 'no callable tool requires a task');
    else
      expectError(
        probe,
        '311',
        await session.request('tools/call', paramsOf(required)),
        [METHOD_NOT_FOUND],
        'A plain call of a tool that requires a task',
      );
    const forbidden = probe.tools.find((tool) => ['', 'forbidden'].includes(supportOf(tool)));
    if (forbidden === undefined) probe.skip('312', 'no callable tool forbids tasks');
    else
      expectError(
        probe,
        '312',
        await session.request('tools/call', paramsOf(forbidden, { task: {} })),
        [METHOD_NOT_FOUND],
        'A task for a tool that forbids it',
      );
  }),
  ownCheck(IDS.join(' '), async (probe) => {
    const tool = probe.tools.find((candidate) => ['optional', 'required'].includes(supportOf(candidate)));
    if (!declared(probe) || tool === undefined) {
      for (const id of IDS) probe.skip(id, 'no callable tool runs as a task');
      return;
    }
    const { session } = await probe.open();
    const created = await session.request('tools/call', paramsOf(tool, { task: { ttl: 60_000 } }));
    const task = taskOf(created);
    const shape = task === undefined ? ['there is no task'] : issuesOf(taskShape, task);
    probe.judge(
      '310',
      shape.length === 0 && task?.status === 'working',
      `The created task: ${shape.join('; ') || String(task?.status)}`,
      '{task} with status working, taskId, createdAt, lastUpdatedAt, ttl',
      created,
    );
    const taskId = task === undefined ? '' : textOf(task, 'taskId');
    if (taskId === '') return;
    probe.judge(
      '390',
      taskId.length >= 16 && new Set(taskId).size >= 6,
      'The task id can be guessed',
      'a long random id',
      { received: taskId },
    );
    const before = session.asked.length;
    await follow(probe, session, taskId);
    judgeQuestions(probe, session.asked.slice(before), taskId);
    await cancel(probe, session, tool);
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      expectError(
        probe,
        '321',
        await session.request(method, { taskId: 'plumb-no-such-task' }),
        [INVALID_PARAMS],
        `${method} of an unknown task`,
      );
    }
  }),
];

async function follow(probe: Probe, session: ValidatorSession, taskId: string): Promise<void> {
  const got = await session.request('tasks/get', { taskId });
  const issues = got.kind === 'result' ? issuesOf(taskShape, got.result) : [outcomeOf(got)];
  probe.judge('314', issues.length === 0, `tasks/get: ${issues.join('; ')}`, 'the whole task', got);
  const result = await session.request('tasks/result', { taskId }, { timeoutMs: TASK_MS });
  const after = await session.request('tasks/get', { taskId });
  const status = after.kind === 'result' ? after.result.status : undefined;
  const answered = result.kind === 'result' ? Array.isArray(result.result.content) : result.kind === 'error';
  probe.judge(
    '315',
    answered && TERMINAL.has(status),
    `tasks/result came while the task was ${String(status)}: ${outcomeOf(result)}`,
    'the result of the tool, once the task is over',
    result,
  );
  if (result.kind !== 'result') return;
  const meta = isRecord(result.result._meta) ? result.result._meta : {};
  const related = meta[META_RELATED_TASK];
  probe.judge(
    '316',
    isRecord(related) && related.taskId === taskId,
    'tasks/result without related-task',
    `_meta["${META_RELATED_TASK}"].taskId`,
    result,
  );
  const again = await session.request('tasks/get', { taskId });
  probe.judge(
    '317',
    again.kind === 'result' && again.result.status === status,
    'A terminal task changed its status',
    String(status),
    again,
  );
  if (result.result.isError === true)
    probe.judge('318', status === 'failed', `A failed tool left the task ${String(status)}`, 'failed', after);
  else probe.skip('318', 'the tool did not fail');
  expectError(
    probe,
    '319',
    await session.request('tasks/cancel', { taskId }),
    [INVALID_PARAMS],
    'Cancelling a terminal task',
  );
}

/** What a task asks belongs to it, and says so. */
function judgeQuestions(probe: Probe, asked: readonly Asked[], taskId: string): void {
  const questions = asked.filter(({ method }) => method !== 'ping');
  if (questions.length === 0) probe.skip('322', 'the task asked for nothing');
  for (const { method, params, entry } of questions) {
    const meta = isRecord(params._meta) ? params._meta : {};
    const related = meta[META_RELATED_TASK];
    probe.judge(
      '322',
      isRecord(related) && related.taskId === taskId,
      `${method} of a task without related-task`,
      `_meta["${META_RELATED_TASK}"].taskId`,
      { received: entry.text },
    );
  }
}

async function cancel(probe: Probe, session: ValidatorSession, tool: JsonObject): Promise<void> {
  const task = taskOf(await session.request('tools/call', paramsOf(tool, { task: { ttl: 60_000 } })));
  if (task === undefined) return;
  const reply = await session.request('tasks/cancel', { taskId: task.taskId });
  // A quick tool may be over before we can cancel it.
  if (reply.kind === 'error') return probe.skip('320', 'the task was over at once');
  probe.judge(
    '319',
    reply.kind === 'result' && reply.result.status === 'cancelled',
    `tasks/cancel: ${outcomeOf(reply)}`,
    'the task with status cancelled',
    reply,
  );
  await session.quiet(probe.settings.quietMs);
  const later = await session.request('tasks/get', { taskId: task.taskId });
  probe.judge(
    '320',
    later.kind === 'result' && later.result.status === 'cancelled',
    'A cancelled task did not stay cancelled',
    'cancelled',
    later,
  );
}
