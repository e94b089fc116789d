/** `plumb task`, as the command line knows it. */

import type { Command } from 'commander';
import type { TaskFlags } from '../commands/task.js';
import { addAskOptions, addConnectionOptions } from '../options/options.js';

const TASK_HELP = `
Servers may make a task of a call that takes long: "plumb call" then shows its status, and Ctrl-C leaves it running on a
server behind a URL.

  list     the tasks of this client, where the server lists them
  get      the status of a task
  cancel   asks the server to stop it
  resume   waits for its result, and answers its questions

Examples:
  plumb call http://127.0.0.1:3300/mcp render scenes=20
  plumb task get http://127.0.0.1:3300/mcp 6c1f0c1e-8d0e-4c3c-9e53-0b2f6a2f8f0a
  plumb task resume http://127.0.0.1:3300/mcp 6c1f0c1e-8d0e-4c3c-9e53-0b2f6a2f8f0a

Exit codes:
  0 success, 1 the task failed, 2 wrong usage, 3 no connection to the server, 4 timeout.`;

export function addTaskCommands(
  program: Command,
  command: readonly string[] | undefined,
  done: (exitCode: number) => void,
): void {
  addAskOptions(addConnectionOptions(program.command('task')))
    .summary('list, get, cancel or resume tasks of a server')
    .description('Looks after tasks: calls that a server goes on with after it has answered.')
    .usage('[options] list|get|cancel|resume [TARGET] [ID] [-- COMMAND...]')
    .argument('[words...]')
    .option('--out <file>', 'write images, audio and binary resources of the result to this file')
    .addHelpText('after', TASK_HELP)
    .action(async (words: string[], flags: TaskFlags) => {
      const { task } = await import('../commands/task.js');
      done(await task(words, command, flags));
    });
}
