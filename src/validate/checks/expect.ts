/** Judgements that many checks share. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { Probe } from '../probe.js';
import { outcomeOf, type WireReply } from '../session/reply.js';
import type { ValidatorSession } from '../session/session.js';

export function isError(reply: WireReply, ...codes: readonly number[]): boolean {
  return reply.kind === 'error' && (codes.length === 0 || codes.includes(reply.code));
}

/** The usual case: this request has to be refused with one of these codes. */
export function expectError(
  probe: Probe,
  id: string,
  reply: WireReply,
  codes: readonly number[],
  what: string,
): void {
  const expected = `error ${codes.join(' or ')}`;
  probe.judge(
    id,
    isError(reply, ...codes),
    `${what}: ${outcomeOf(reply)} instead of ${expected}`,
    expected,
    reply,
  );
}

export function expectResult(probe: Probe, id: string, reply: WireReply, what: string): void {
  probe.judge(id, reply.kind === 'result', `${what}: ${outcomeOf(reply)}`, 'a result', reply);
}

export function expectStatus(
  probe: Probe,
  id: string,
  reply: WireReply,
  statuses: readonly number[],
  what: string,
): void {
  const status = reply.delivery?.status;
  const expected = `HTTP ${statuses.join(' or ')}`;
  const ok = status !== undefined && statuses.includes(status);
  probe.judge(
    id,
    ok,
    `${what}: HTTP ${status ?? '(none)'} instead of ${statuses.join(' or ')}`,
    expected,
    reply,
  );
}

/** A request that every revision has and that costs nothing. */
export function cheapMethod(probe: Probe): string {
  return probe.stateless ? 'server/discover' : 'ping';
}

/** Sends a complete message as given, with the headers that a correct client would send along. */
export function sendMessage(
  session: ValidatorSession,
  message: JsonObject,
  timeoutMs?: number,
): Promise<WireReply> {
  const params = isRecord(message.params) ? message.params : {};
  const headers =
    typeof message.method === 'string'
      ? session.headersFor(message.method, params)
      : session.headersFor('ping', session.complete({}));
  return session.exchange(
    JSON.stringify(message),
    (answer) =>
      answer.id === null ||
      answer.id === undefined ||
      JSON.stringify(answer.id) === JSON.stringify(message.id),
    {
      headers,
      hostile: true,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    },
  );
}

/** Whether the server still answers after what was done to it. */
export async function stillAnswers(probe: Probe, session: ValidatorSession): Promise<WireReply> {
  return session.request(cheapMethod(probe));
}
