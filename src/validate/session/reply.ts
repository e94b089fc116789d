/** What came back for something that was sent. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { Delivery } from '../wire/connection.js';
import type { RecordedEntry } from '../wire/recorder.js';

interface ReplyBase {
  /** The text that was sent. */
  readonly sent: string;
  /** What came back, as text for people; says so when nothing came. */
  readonly received: string;
  readonly entry: RecordedEntry | undefined;
  /** Over HTTP. */
  readonly delivery: Delivery | undefined;
  readonly elapsedMs: number;
}

export type WireReply = ReplyBase &
  (
    | { readonly kind: 'result'; readonly result: JsonObject; readonly message: JsonObject }
    | {
        readonly kind: 'error';
        readonly code: number;
        readonly text: string;
        readonly data: unknown;
        readonly message: JsonObject;
      }
    /** An answer that is no JSON-RPC response. */
    | { readonly kind: 'broken' }
    | { readonly kind: 'silence' }
  );

export function replyFrom(
  sent: string,
  entry: RecordedEntry | undefined,
  delivery: Delivery | undefined,
  elapsedMs: number,
  silence: string,
): WireReply {
  const status = delivery === undefined ? '' : `HTTP ${delivery.status} ${delivery.contentType}`.trim();
  const received = [status, entry?.text ?? silence].filter((part) => part !== '').join('\n');
  const base = { sent, received, entry, delivery, elapsedMs };
  if (entry === undefined) return { ...base, kind: 'silence' };
  const message = entry.value;
  if (!isRecord(message)) return { ...base, kind: 'broken' };
  if (isRecord(message.result) && !('error' in message)) {
    return { ...base, kind: 'result', result: message.result, message };
  }
  if (isRecord(message.error) && !('result' in message)) {
    const { code, message: text, data } = message.error;
    if (typeof code !== 'number') return { ...base, kind: 'broken' };
    return { ...base, kind: 'error', code, text: typeof text === 'string' ? text : '', data, message };
  }
  return { ...base, kind: 'broken' };
}

export function isAnswer(value: unknown): boolean {
  return isRecord(value) && !('method' in value) && ('result' in value || 'error' in value || 'id' in value);
}

/** For reports: the code of an error, or what else it was. */
export function outcomeOf(reply: WireReply): string {
  if (reply.kind === 'error') return `error ${reply.code}`;
  return reply.kind === 'silence' ? 'no answer' : `a ${reply.kind}`;
}
