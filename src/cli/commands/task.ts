/** `plumb task`: looks after tasks of a server that were begun before. */

import type { TaskState } from '../../client/features/task-state.js';
import { singleLine } from '../../protocol/display.js';
import { CommandFailure, EXIT_FAILED, EXIT_OK, UsageError } from '../failure/failure.js';
import type { AskFlags, ConnectionFlags } from '../options/flags.js';
import { describeResumption, describeTask } from '../output/task.js';
import { type CommandSession, withSession } from '../session/session.js';
import { type ResolvedTarget, resolveTarget } from '../target/target.js';
import { showResult } from './call.js';

export interface TaskFlags extends ConnectionFlags, AskFlags {
  readonly out?: string;
}

const ACTIONS = ['list', 'get', 'cancel', 'resume'] as const;
type Action = (typeof ACTIONS)[number];

export async function task(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: TaskFlags,
): Promise<number> {
  const [action, ...others] = words;
  if (!isAction(action)) throw new UsageError(`Say what to do: plumb task ${ACTIONS.join('|')}`);
  const target = resolveTarget(others, command, flags);
  const [id, ...rest] = target.rest;
  if (action !== 'list' && id === undefined)
    throw new UsageError(`No task id given: ${target.command(`task ${action}`, 'ID')}`);
  const surplus = action === 'list' ? target.rest : rest;
  if (surplus.length > 0)
    throw new UsageError(`Too many arguments: ${surplus.join(' ')}; see plumb task --help`);
  return withSession({ target, flags, method: `tasks/${action}` }, (session) =>
    action === 'list' ? list(session, target, flags) : run(action, id ?? '', session, target, flags),
  );
}

async function list(
  { client, call, out, json }: CommandSession,
  target: ResolvedTarget,
  flags: TaskFlags,
): Promise<number> {
  if (client.capabilities.tasks?.list === undefined)
    throw new CommandFailure(
      EXIT_FAILED,
      'The server has no list of tasks for this client: not every revision has one, and servers list tasks only to clients that they know; ' +
        `to see one task, run: ${target.command('task get', 'ID')}`,
    );
  const tasks = await client.tasks.list(call);
  if (flags.json === true) json(tasks);
  else if (tasks.length === 0) out.write('No tasks\n');
  else for (const one of tasks) out.write(`${line(one)}\n`);
  return EXIT_OK;
}

async function run(
  action: Exclude<Action, 'list'>,
  id: string,
  session: CommandSession,
  target: ResolvedTarget,
  flags: TaskFlags,
): Promise<number> {
  const { client, call, out, json } = session;
  if (action === 'get') {
    const state = await client.tasks.get(id, call);
    if (flags.json === true) json(state);
    else out.write(`${line(state)}\n`);
    return EXIT_OK;
  }
  if (action === 'cancel') {
    await client.tasks.cancel(id, call);
    if (flags.json === true) json(await client.tasks.get(id, call));
    else out.write(`Cancelled ${id}\n`);
    return EXIT_OK;
  }
  const { onStatus } = call;
  const handle = await client.tasks.resume(id, { onStatus });
  const result = await session.unlessInterrupted(handle.result(), () => describeResumption(id, target));
  return showResult(`the task ${id}`, result, session, flags);
}

function line(state: TaskState): string {
  const created = state.createdAt === undefined ? '' : `  ${singleLine(state.createdAt)}`;
  return `${singleLine(state.id)}${created}  ${describeTask(state)}`;
}

function isAction(word: string | undefined): word is Action {
  return ACTIONS.some((action) => action === word);
}
