/** A request within the trace that its client began. */

import { isRecord, type Request } from '../jsonrpc/message.js';
import type { Telemetry } from '../middleware/observe.js';
import { subjectOf } from '../middleware/subject.js';
import { receivedError } from '../protocol/errors.js';
import type { Peer } from './peer.js';
import type { Reply } from './reply.js';

type Outcome = Reply | undefined | Promise<Reply | undefined>;

export function traced(
  telemetry: Telemetry,
  { method, params = {} }: Request,
  { revision }: Pick<Peer, 'revision'>,
  handle: () => Outcome,
): Outcome {
  const subject = subjectOf({ method, params });
  const trace = telemetry.begin({ side: 'server', method, subject, params, revision: revision.version });
  const ended = (reply: Reply | undefined): Reply | undefined => {
    trace.end(failureOf(method, reply));
    return reply;
  };
  const outcome = trace.run(handle);
  return outcome instanceof Promise ? outcome.then(ended) : ended(outcome);
}

/** No reply at all is what a cancelled request gets. */
function failureOf(method: string, reply: Reply | undefined): string | undefined {
  if (reply === undefined) return 'cancelled';
  if (reply.errorCode !== 0) return receivedError({ code: reply.errorCode, message: '' }).code;
  return method === 'tools/call' && isFailedTool(reply.text) ? 'tool_error' : undefined;
}

/** Read back only by who wants traces, and only where the text says it may be so. */
function isFailedTool(text: string): boolean {
  if (!text.includes('"isError":true')) return false;
  const message: unknown = JSON.parse(text);
  return isRecord(message) && isRecord(message.result) && message.result.isError === true;
}
