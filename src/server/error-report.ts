/** Where unexpected errors of handlers go: to the author's function, or to stderr. */

import { logError, logWord } from '../protocol/display.js';

/** `subject` is the tool or prompt by its name, or the resource by its URI, where the error came out of one. */
export type ErrorHandler = (error: unknown, method: string, subject?: string) => void;

/** An exception in the error handler is contained: it would end the connection, or the process. */
export function guardedReport(onError: ErrorHandler | undefined): ErrorHandler {
  if (onError === undefined) return createReport();
  const report = createReport();
  return (error, method, subject) => {
    try {
      onError(error, method, subject);
    } catch (failure) {
      report(failure, method);
    }
  };
}

const KINDS: Readonly<Record<string, string>> = {
  'tools/call': 'tool',
  'prompts/get': 'prompt',
  'resources/read': 'resource',
};

const ADVICE =
  'The client got only that it failed: throw a ToolError for a message of yours, or set exposeErrors: true while you develop.';

/** Writes to stderr; what can be done about it stands below the first one. */
function createReport(): ErrorHandler {
  let advised = false;
  return (error, method, subject) => {
    const kind = KINDS[method];
    const what =
      kind === undefined || subject === undefined
        ? `a handler of ${logWord(method)}`
        : `the handler of ${kind} ${logWord(subject)}`;
    const advice = method === 'tools/call' && !advised ? `\n    ${ADVICE}` : '';
    advised ||= advice !== '';
    console.error(`plumb: ${what} failed: ${logError(error)}${advice}`);
  };
}
