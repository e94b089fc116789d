/** A record of who used what: a JSON line for each use, written before its result leaves. */

import { safeJson } from '../protocol/display.js';
import { McpError } from '../protocol/errors.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import type { Call } from './compose.js';
import type { Layer } from './layer.js';
import { argumentsOf, subjectOf } from './subject.js';

export interface AuditOptions {
  /** Takes a line without its newline; `auditFile()` of `plumb-mcp/chain` writes and rotates a file. */
  readonly write: (line: string) => void | Promise<void>;
  /** Arguments may hold what should not be written down; they are left out unless true. */
  readonly withArguments?: boolean | undefined;
  /** The clock, in milliseconds. */
  readonly now?: (() => Date) | undefined;
}

const OPTIONS: OptionNames<AuditOptions> = { write: true, withArguments: true, now: true };

/** Writes a line of JSON for each call: who, what, when, and how it ended. */
export function audit(options: AuditOptions): Layer {
  assertOptionNames('audit', options, OPTIONS);
  const { write, withArguments = false, now = () => new Date() } = options;
  const entry = (call: Call, outcome: string): string =>
    safeJson({
      time: now().toISOString(),
      method: call.method,
      subject: subjectOf(call),
      principal: call.caller.principal,
      session: call.caller.sessionId,
      client: call.caller.client?.name,
      ...(withArguments ? { arguments: argumentsOf(call) } : {}),
      outcome,
    });
  return {
    call: async (call, next) => {
      try {
        const result = await next();
        // A use that cannot be recorded fails: an audit with holes is none.
        await write(entry(call, result.isError === true ? 'tool_error' : 'ok'));
        return result;
      } catch (error) {
        await write(entry(call, error instanceof McpError ? error.code : 'failed'));
        throw error;
      }
    },
  };
}
