/** Tasks as an extension of the stateless era. */

import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../../jsonrpc/codes.js';
import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { MISSING_CAPABILITY } from '../../../protocol/errors.js';
import { META_CLIENT_CAPABILITIES } from '../../../protocol/model/meta.js';
import { type Check, check, ownCheck } from '../../check.js';
import type { Use } from '../../exercise.js';
import type { Probe } from '../../probe.js';
import { answerTo } from '../../session/identity.js';
import { outcomeOf, type WireReply } from '../../session/reply.js';
import type { ValidatorSession } from '../../session/session.js';
import { sortTraffic } from '../../traffic.js';
import { expectError } from '../expect.js';

const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
const POLLS = 20;

function offers(probe: Probe): boolean {
  const { extensions } = probe.catalogue.capabilities;
  return isRecord(extensions) && TASKS_EXTENSION in extensions;
}

export const extensionTaskChecks: readonly Check[] = [
  check('327 328', async (probe) => {
    await callWithoutExtension(probe);
    for (const { params, result, response } of sortTraffic(probe.recorder.entries).exchanges) {
      if (result?.resultType !== 'task') continue;
      const meta = isRecord(params._meta) ? params._meta : {};
      const capabilities = meta[META_CLIENT_CAPABILITIES];
      const extensions =
        isRecord(capabilities) && isRecord(capabilities.extensions) ? capabilities.extensions : {};
      probe.judge(
        '327',
        TASKS_EXTENSION in extensions,
        'A task for a request that did not declare the extension',
        'the result itself',
        { received: response?.text ?? '' },
      );
    }
    if (offers(probe)) probe.pass('327');
    else probe.skip('327', 'the server has no tasks');
  }),
  check('329 335 336', async (probe) => {
    if (!offers(probe)) {
      for (const id of ['329', '335', '336']) probe.skip(id, 'the server has no tasks');
      return;
    }
    const session = await probe.session();
    const bare = { meta: { [META_CLIENT_CAPABILITIES]: {} } };
    expectError(
      probe,
      '329',
      await session.request('tasks/get', { taskId: 'x' }, bare),
      [MISSING_CAPABILITY],
      'tasks/get without the extension',
    );
    expectError(
      probe,
      '335',
      await session.request('tasks/get', { taskId: 'plumb-no-such-task' }),
      [INVALID_PARAMS],
      'An unknown task',
    );
    for (const method of ['tasks/result', 'tasks/list']) {
      expectError(probe, '336', await session.request(method, { taskId: 'x' }), [METHOD_NOT_FOUND], method);
    }
  }),
  ownCheck('330 331 332 333 334 341 342 419 420 421', async (probe) => {
    const use = taskUse(probe);
    const [first] = use?.rounds ?? [];
    if (use === undefined || first?.kind !== 'result') {
      for (const id of ['330', '331', '332', '333', '334', '341', '342', '419', '420', '421'])
        probe.skip(id, 'no callable tool runs as a task');
      return;
    }
    const { session } = await probe.open();
    // A task of this very session: over stdio another one lives in another process.
    const created = await session.request(use.method, use.params);
    const taskId = created.kind === 'result' ? created.result.taskId : undefined;
    if (taskId === undefined || created.kind !== 'result') return;
    probe.judge('421', isSeed(created.result), 'The created task is not complete', SEED, created);
    const questions = new TaskQuestions();
    for (let poll = 0; poll < POLLS; poll += 1) {
      const reply = await session.request('tasks/get', { taskId });
      if (poll === 0)
        probe.judge(
          '331',
          reply.kind === 'result',
          `tasks/get right after the task was made: ${outcomeOf(reply)}`,
          'the task',
          reply,
        );
      if (reply.kind !== 'result') return;
      probe.judge(
        '330',
        reply.result.resultType === 'complete',
        `tasks/get has resultType ${String(reply.result.resultType)}`,
        'complete',
        reply,
      );
      probe.judge(
        '332',
        isWhole(reply.result),
        `A ${String(reply.result.status)} task without what belongs to it`,
        'result, error or inputRequests as the status says',
        reply,
      );
      if (isRecord(reply.result.result) && reply.result.result.isError === true)
        probe.judge(
          '333',
          reply.result.status === 'completed',
          'A result with isError left the task failed',
          'completed',
          reply,
        );
      await questions.answer(probe, session, reply);
      if (['completed', 'failed', 'cancelled'].includes(String(reply.result.status))) break;
      await session.quiet(100);
    }
    judgeAcknowledgement(probe, 'tasks/cancel', await session.request('tasks/cancel', { taskId }));
    const noise = sortTraffic(probe.recorder.entries).notifications.find(
      ({ params }) => params.taskId === taskId && params.progress !== undefined,
    );
    probe.judge('342', noise === undefined, 'Progress for a task', 'no progress and no logs', {
      received: noise?.entry.text ?? '',
    });
  }),
];

/** An empty result, of the usual type; a task that is over may refuse. */
function judgeAcknowledgement(probe: Probe, method: string, reply: WireReply): void {
  if (reply.kind === 'result') {
    const { resultType } = reply.result;
    const type = `${method} has resultType ${String(resultType)}`;
    probe.judge('330', resultType === 'complete', type, 'complete', reply);
  }
  const empty =
    reply.kind === 'result' &&
    Object.keys(reply.result).every((key) => key === 'resultType' || key === '_meta');
  probe.judge(
    '334',
    empty || reply.kind === 'error',
    `${method}: ${outcomeOf(reply)}`,
    'an empty result',
    reply,
  );
}

/** A client without the extension gets the result itself, or an error that names what it lacks. */
async function callWithoutExtension(probe: Probe): Promise<void> {
  const use = taskUse(probe);
  if (use === undefined) {
    probe.skip('328', 'no callable tool runs as a task');
    return;
  }
  const session = await probe.session();
  // Everything else that the tool may need stays declared: an error about that would say nothing about tasks.
  const { extensions: _, ...capabilities } = session.capabilities;
  const reply = await session.request('tools/call', use.params, {
    meta: { [META_CLIENT_CAPABILITIES]: capabilities },
  });
  if (reply.kind !== 'error') {
    probe.skip('328', 'the tool also runs without a task');
    return;
  }
  const data =
    isRecord(reply.data) && isRecord(reply.data.requiredCapabilities) ? reply.data.requiredCapabilities : {};
  const named = isRecord(data.extensions) && TASKS_EXTENSION in data.extensions;
  probe.judge(
    '328',
    reply.code === MISSING_CAPABILITY && named,
    `A tool that needs a task, for a client without the extension: ${outcomeOf(reply)}`,
    `error -32021 with ${TASKS_EXTENSION} in data.requiredCapabilities.extensions`,
    reply,
  );
}

function taskUse(probe: Probe): Use | undefined {
  return probe.exercise.calls.find(
    ({ rounds: [first] }) => first?.kind === 'result' && first.result.resultType === 'task',
  );
}

/** What a task asked so far, and whether it was answered. */
class TaskQuestions {
  readonly #answered = new Map<string, string>();

  /** Answers what is new; a key that was answered and now means something else breaks the rule. */
  async answer(probe: Probe, session: ValidatorSession, reply: WireReply): Promise<void> {
    const { inputRequests, taskId } = reply.kind === 'result' ? reply.result : {};
    if (!isRecord(inputRequests)) return;
    const responses: JsonObject = {};
    for (const [key, request] of Object.entries(inputRequests)) {
      const text = JSON.stringify(request);
      const before = this.#answered.get(key);
      probe.judge(
        '341',
        before === undefined || before === text,
        `The key "${key}" was used again for another question`,
        'a new key for each question of a task',
        reply,
      );
      if (before !== undefined || !isRecord(request)) continue;
      this.#answered.set(key, text);
      responses[key] = answerTo(String(request.method), isRecord(request.params) ? request.params : {}) ?? {};
    }
    if (Object.keys(responses).length === 0) return;
    const again = await session.request('tasks/get', { taskId });
    const repeated =
      again.kind === 'result' && isRecord(again.result.inputRequests) ? again.result.inputRequests : {};
    probe.judge(
      '419',
      Object.keys(responses).every((key) => key in repeated),
      'A question that was not answered is no longer asked',
      'all outstanding questions each time',
      again,
    );
    const inputResponses = { ...responses, 'plumb-extra': { action: 'decline' } };
    const updated = await session.request('tasks/update', { taskId, inputResponses });
    probe.judge(
      '420',
      updated.kind === 'result',
      `An answer that was not asked for: ${outcomeOf(updated)}`,
      'it is ignored',
      updated,
    );
    judgeAcknowledgement(probe, 'tasks/update', updated);
  }
}

const SEED = 'taskId, status, createdAt, lastUpdatedAt and ttlMs, without result, error and inputRequests';

function isSeed(task: JsonObject): boolean {
  const times = [task.createdAt, task.lastUpdatedAt].every(
    (time) => typeof time === 'string' && !Number.isNaN(Date.parse(time)),
  );
  const bare = !['result', 'error', 'inputRequests', 'task'].some((field) => field in task);
  const ttl = task.ttlMs === null || Number.isInteger(task.ttlMs);
  return typeof task.taskId === 'string' && STATUSES.has(String(task.status)) && times && bare && ttl;
}

const STATUSES: ReadonlySet<string> = new Set([
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
]);

function isWhole(task: JsonObject): boolean {
  if (task.status === 'completed') return isRecord(task.result);
  if (task.status === 'failed') return isRecord(task.error);
  return task.status !== 'input_required' || isRecord(task.inputRequests);
}
