/** Before anything is judged: how long the server takes to start, and whether it speaks MCP at all. */

import { isRecord } from '../jsonrpc/message.js';
import { REVISIONS } from '../protocol/revisions/index.js';
import type { Revision } from '../protocol/revisions/revision.js';
import { initialize, openSession } from './session/open.js';
import type { WireReply } from './session/reply.js';
import type { ValidatorSession } from './session/session.js';
import type { ValidationTarget } from './target.js';
import { Recorder } from './wire/recorder.js';

/** A first `npx -y` takes that long; a server that ends, or says something else, is not waited for. */
export const DEFAULT_CONNECT_MS = 60_000;

/** Statuses of an address that has no endpoint, whatever its body looks like. */
const NO_ENDPOINT: ReadonlySet<number> = new Set([404, 405, 410]);

/** A server that writes something else than an answer is not going to answer. */
const BABBLE_MS = 3_000;
const WATCH_MS = 200;

/** Milliseconds until a command first answers a handshake; undefined when it ends, or the limit comes first. */
export async function startTime(target: ValidationTarget, limitMs: number): Promise<number | undefined> {
  const recorder = new Recorder();
  const revision = firstRevision();
  const opening = { target, recorder, revision, timeoutMs: limitMs };
  const { session } = await openSession(opening, { handshake: 'none' });
  try {
    const greeting = await firstAnswer(session, recorder);
    return greeting === undefined || greeting.kind === 'silence' ? undefined : greeting.elapsedMs;
  } finally {
    await session.close();
  }
}

/** The answer to a handshake; undefined as soon as the server has only said other things for a while. */
export async function firstAnswer(
  session: ValidatorSession,
  recorder: Recorder,
): Promise<WireReply | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const babbled = new Promise<undefined>((resolve) => {
    timer = setInterval(() => {
      const said = recorder.entries.find(({ direction, kind }) => direction === 'received' && kind !== 'end');
      if (said !== undefined && recorder.now() - said.at > BABBLE_MS) resolve(undefined);
    }, WATCH_MS);
  });
  try {
    return await Promise.race([initialize(session, session.revision.version), babbled]);
  } finally {
    clearInterval(timer);
  }
}

/** The revision that a server is first addressed in. */
export function firstRevision(): Revision {
  return REVISIONS.findLast(({ lifecycle }) => lifecycle === 'handshake') ?? newest();
}

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
