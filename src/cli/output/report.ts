/** The one place that reports failures: a line on stderr, and the exit code. */

import { printable } from '../../protocol/display.js';
import { CommandFailure, EXIT_FAILED, EXIT_USAGE, UsageError } from '../failure/failure.js';
import { createTerminal } from './terminal.js';

export function reportLine(text: string): void {
  const terminal = createTerminal(process.stderr);
  terminal.write(`${terminal.style('red', 'plumb:')} ${printable(text)}\n`);
}

/** What the user should know, and what does not stop the command. */
export function warn(text: string): void {
  const terminal = createTerminal(process.stderr);
  terminal.write(`${terminal.style('yellow', 'warning:')} ${printable(text)}\n`);
}

export function reportFailure(error: unknown): number {
  if (error instanceof UsageError) reportLine(error.message);
  else if (error instanceof CommandFailure) {
    reportLine(error.message);
    for (const line of error.details) process.stderr.write(`  ${printable(line)}\n`);
  } else {
    reportLine(
      `Unexpected: ${error instanceof Error ? error.message : String(error)}; run again with PLUMB_DEBUG=1 and report it`,
    );
  }
  if (process.env.PLUMB_DEBUG === '1') console.error(error);
  if (error instanceof UsageError) return EXIT_USAGE;
  return error instanceof CommandFailure ? error.exitCode : EXIT_FAILED;
}
