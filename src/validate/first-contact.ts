/** Before anything is judged: how long the server takes to start, and whether it speaks MCP at all. */

import { isRecord } from '../jsonrpc/message.js';
import { REVISIONS, type Revision } from '../protocol/index.js';
import { openSession } from './session/open.js';
import type { Reply } from './session/reply.js';
import type { Target } from './target.js';
import { Recorder } from './wire/recorder.js';

/** As long as official clients wait for a server: a first `npx -y` downloads packages. */
export const DEFAULT_CONNECT_MS = 60_000;

/** Statuses of an address that has no endpoint, whatever its body looks like. */
const NO_ENDPOINT: ReadonlySet<number> = new Set([404, 405, 410]);

/** Milliseconds until a command first answers a handshake; undefined when it ends, or the limit comes first. */
export async function startTime(target: Target, limitMs: number): Promise<number | undefined> {
  const revision = REVISIONS.findLast(({ lifecycle }) => lifecycle === 'handshake') ?? newest();
  const opening = { target, recorder: new Recorder(), revision, timeoutMs: limitMs };
  const { session, greeting } = await openSession(opening, { standalone: false });
  await session.close();
  return greeting === undefined || greeting.kind === 'silence' ? undefined : greeting.elapsedMs;
}

/** Whether the first request of a revision gets an answer of MCP, be it a refusal. */
export async function speaksProtocol(
  target: Target,
  revision: Revision,
  timeoutMs: number,
): Promise<boolean> {
  const opening = { target, recorder: new Recorder(), revision, timeoutMs };
  const { session, greeting } = await openSession(opening, { standalone: false });
  try {
    return isProtocolAnswer(greeting ?? (await session.request('server/discover')));
  } finally {
    await session.close();
  }
}

function isProtocolAnswer({ entry, delivery }: Reply): boolean {
  if (delivery !== undefined && NO_ENDPOINT.has(delivery.status)) return false;
  return isRecord(entry?.value) && entry.value.jsonrpc === '2.0';
}

function newest(): Revision {
  return REVISIONS.at(-1) as Revision;
}
