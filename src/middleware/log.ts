/** One line for each call and question: what, for whom, how long, and how it ended. Never its arguments. */

import type { JsonObject } from '../jsonrpc/message.js';
import { logWord, safeJson } from '../protocol/display.js';
import { McpError } from '../protocol/errors.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import type { Call, Middleware } from './compose.js';
import { callerKey, subjectOf } from './subject.js';

export interface LogOptions {
  /** Where lines go; stderr by default, because stdout may belong to the protocol. */
  readonly write?: ((line: string) => void) | undefined;
  /** The clock, in milliseconds. */
  readonly now?: (() => number) | undefined;
}

const OPTIONS: OptionNames<LogOptions> = { write: true, now: true };

/** Writes one line for each call and question; never its arguments. */
export function log(options: LogOptions = {}): Middleware {
  assertOptionNames('log', options, OPTIONS);
  const { write = (line) => console.error(line), now = () => performance.now() } = options;
  return async (call, next) => {
    if (call.kind === 'notification') return next();
    const started = now();
    const tell = (outcome: string): void =>
      write(`${describe(call)} ${logWord(outcome)} ${Math.round(now() - started)}ms ${whoOf(call)}`);
    try {
      const result = await next();
      tell(outcomeOf(result));
      return result;
    } catch (error) {
      tell(error instanceof McpError ? error.code : 'failed');
      throw error;
    }
  };
}

function describe(call: Call): string {
  const arrow = call.direction === 'inbound' ? '->' : '<-';
  const subject = subjectOf(call);
  // Methods and names from outside must not write lines of their own into the log.
  const method = logWord(call.method);
  return subject === undefined ? `${arrow} ${method}` : `${arrow} ${method} ${safeJson(subject)}`;
}

/** `principal ada`; the name comes from a token, and so from outside. */
function whoOf(call: Call): string {
  const [kind = '', ...name] = callerKey(call).split(' ');
  return name.length === 0 ? kind : `${kind} ${logWord(name.join(' '))}`;
}

function outcomeOf(result: JsonObject): string {
  if (result.isError === true) return 'tool_error';
  return typeof result.resultType === 'string' && result.resultType !== 'complete' ? result.resultType : 'ok';
}
