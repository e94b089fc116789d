/** Before anything is judged: how long the server takes to start, and whether it speaks MCP at all. */

import { isRecord } from '../jsonrpc/message.js';
import { REVISIONS } from '../protocol/revisions/index.js';
import type { Revision } from '../protocol/revisions/revision.js';
import { initialize, openSession } from './session/open.js';
import type { WireReply } from './session/reply.js';
import type { ValidationTarget } from './target.js';
import { Recorder } from './wire/recorder.js';

/** As long as official clients wait for a server: a first `npx -y` downloads packages. */
export const DEFAULT_CONNECT_MS = 60_000;

/** Statuses of an address that has no endpoint, whatever its body looks like. */
const NO_ENDPOINT: ReadonlySet<number> = new Set([404, 405, 410]);

/** A server that writes something else than an answer is not going to answer. */
const BABBLE_MS = 8_000;

/** Milliseconds until a command first answers a handshake; undefined when it ends, or the limit comes first. */
export async function startTime(
  target: ValidationTarget,
  limitMs: number,
  recorder: Recorder = new Recorder(),
): Promise<number | undefined> {
  const revision = firstRevision();
  const opening = { target, recorder, revision, timeoutMs: limitMs };
  const { session } = await openSession(opening, { handshake: 'none' });
  const watched = setInterval(() => {
    const babble = recorder.entries.find(
      ({ direction, kind }) => direction === 'received' && kind === 'noise',
    );
    if (babble !== undefined && recorder.now() - babble.at > BABBLE_MS) void session.close();
  }, WATCH_MS);
  try {
    const greeting = await initialize(session, revision.version);
    return greeting.kind === 'silence' ? undefined : greeting.elapsedMs;
  } finally {
    clearInterval(watched);
    await session.close();
  }
}

/** The revision that a server is first addressed in. */
export function firstRevision(): Revision {
  return REVISIONS.findLast(({ lifecycle }) => lifecycle === 'handshake') ?? newest();
}

const WATCH_MS = 250;

/** Whether the first request of a revision gets an answer of MCP, be it a refusal. */
export async function speaksProtocol(
  target: ValidationTarget,
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

function isProtocolAnswer({ entry, delivery }: WireReply): boolean {
  if (delivery !== undefined && NO_ENDPOINT.has(delivery.status)) return false;
  return isRecord(entry?.value) && entry.value.jsonrpc === '2.0';
}

function newest(): Revision {
  return REVISIONS.at(-1) as Revision;
}
