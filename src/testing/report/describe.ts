/** A failure in words: what was sent, what came back, what was expected, and how to repeat it. */

import { printable, singleLine } from '../../protocol/display.js';
import { type Problem, shown } from '../expect/problem.js';
import type { CaseResult, FailureReport } from '../run/result.js';

const MAX_MESSAGE = 1_500;

export function placeOf({
  server,
  transport,
  revision,
}: Pick<CaseResult, 'server' | 'transport' | 'revision'>): string {
  return [server, transport, revision].filter((part) => part !== '').join(' ');
}

/** Lines without indentation. */
export function describeFailure(failure: FailureReport): string[] {
  const lines = [printable(failure.step)];
  for (const problem of failure.problems) lines.push(...describeProblem(problem).map((line) => `  ${line}`));
  if (failure.description !== undefined) lines.push(`  about:    ${clip(failure.description)}`);
  if (failure.expected !== undefined) lines.push(`  expects:  ${clip(failure.expected)}`);
  for (const text of failure.sent) lines.push(`  sent:     ${clip(text)}`);
  for (const text of failure.received) lines.push(`  received: ${clip(text)}`);
  if (failure.received.length === 0 && failure.sent.length > 0) lines.push('  received: nothing');
  if (failure.stderr !== undefined) {
    lines.push('  stderr of the server:');
    lines.push(
      ...printable(failure.stderr.trimEnd())
        .split('\n')
        .slice(-20)
        .map((line) => `    ${line}`),
    );
  }
  return lines;
}

export function describeProblem({ message, path, expected, actual }: Problem): string[] {
  const lines = printable(message).split('\n');
  if (path !== undefined && path !== '' && !message.includes(path)) lines.push(`  at ${singleLine(path)}`);
  if (expected !== undefined)
    lines.push(`  expected: ${clip(typeof expected === 'string' ? expected : shown(expected))}`);
  if (actual !== undefined) lines.push(`  actual:   ${clip(shown(actual))}`);
  else if (expected !== undefined && path !== undefined) lines.push('  actual:   nothing there');
  return lines;
}

function clip(text: string): string {
  const line = singleLine(text);
  return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE)}...` : line;
}

/** Everything about a failed case, for reports that are files. */
export function failureText(result: CaseResult): string {
  const lines = result.failures.flatMap(describeFailure);
  if (lines.length === 0) lines.push(printable(result.message));
  if (result.repeat !== undefined) lines.push(`repeat: ${result.repeat}`);
  return lines.join('\n');
}
