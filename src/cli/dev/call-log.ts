/** One line for each call of a client, and one for each log message of the server. */

import { messageOf } from '../../client/errors.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { Call, Middleware } from '../../middleware/compose.js';
import { subjectOf } from '../../middleware/subject.js';
import { singleLine } from '../../protocol/display.js';
import type { Terminal } from '../output/terminal.js';

export interface CallLogOptions {
  readonly out: Pick<Terminal, 'style'>;
  readonly write: (line: string) => void;
  /** Calls of this client are not shown. */
  readonly except: string;
  readonly now?: () => number;
}

export function callLog({ out, write, except, now = () => performance.now() }: CallLogOptions): Middleware {
  return async (call, next) => {
    if (call.caller.client?.name === except) return next();
    if (call.kind === 'notification') {
      if (call.method === 'notifications/message') write(logLine(call.params, out));
      return next();
    }
    const started = now();
    const took = (): string => out.style('dim', `${Math.round(now() - started)} ms`);
    try {
      const result = await next();
      const failure = result.isError === true ? toolFailure(result) : undefined;
      const outcome = failure === undefined ? outcomeOf(result, out) : out.style('red', singleLine(failure));
      write(`${label(call)} ${outcome} ${took()}`);
      return result;
    } catch (error) {
      write(`${label(call)} ${out.style('red', singleLine(messageOf(error)))} ${took()}`);
      throw error;
    }
  };
}

function label(call: Call): string {
  const arrow = call.direction === 'inbound' ? '->' : '<-';
  const subject = subjectOf(call);
  return singleLine(subject === undefined ? `${arrow} ${call.method}` : `${arrow} ${call.method} ${subject}`);
}

function outcomeOf(result: JsonObject, out: Pick<Terminal, 'style'>): string {
  const waits = typeof result.resultType === 'string' && result.resultType !== 'complete';
  return out.style('green', waits ? String(result.resultType) : 'ok');
}

function toolFailure({ content }: JsonObject): string {
  const texts = Array.isArray(content)
    ? content.flatMap((part: unknown) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : []))
    : [];
  return `tool error: ${texts.join(' ') || 'without a text'}`;
}

function logLine({ level, logger, data }: JsonObject, out: Pick<Terminal, 'style'>): string {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
  const source = typeof logger === 'string' ? ` ${logger}` : '';
  return `${out.style('yellow', singleLine(`log ${level}${source}`))} ${singleLine(text)}`;
}
