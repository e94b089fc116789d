/** How the command line ends when something goes wrong: an exit code, and one line that names what to do next. */

import { McpError } from '../../protocol/errors.js';

export const EXIT_OK = 0;
/** The tool failed, or the server answered with an error. */
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
export const EXIT_UNREACHABLE = 3;
export const EXIT_TIMEOUT = 4;

/** The command line itself is wrong: nothing was sent to any server. */
export class UsageError extends McpError<'usage'> {
  constructor(message: string, options?: { cause?: unknown }) {
    super('usage', message, options);
  }
}

/** Ends the command. The message is what the user reads. */
export class CommandFailure extends McpError<'command_failed'> {
  readonly exitCode: number;
  /** More lines below the message, such as the last words of a child process. */
  readonly details: readonly string[];

  constructor(
    exitCode: number,
    message: string,
    options: { details?: readonly string[]; cause?: unknown } = {},
  ) {
    super('command_failed', message, { cause: options.cause });
    this.exitCode = exitCode;
    this.details = options.details ?? [];
  }
}
