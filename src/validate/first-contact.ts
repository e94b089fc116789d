/** Before anything is judged: how long the server takes to start, and whether it speaks MCP at all. */

import { isRecord } from '../jsonrpc/message.js';
import { REVISIONS } from '../protocol/revisions/index.js';
import type { Revision } from '../protocol/revisions/revision.js';
import { initialize, openSession } from './session/open.js';
import type { WireReply } from './session/reply.js';
import type { ValidatorSession } from './session/session.js';
import type { ValidationTarget } from './target.js';
import { LineConnection } from './wire/line-pipe.js';
import { Recorder } from './wire/recorder.js';

/** A first `npx -y` takes that long; a server that ends, or says something else, is not waited for. */
const DEFAULT_CONNECT_MS = 60_000;
/** A command that prints nothing at all for so long is not starting: it waits for something else than MCP. */
const SILENT_MS = 18_000;
/** Commands that install before they start, most of them without a word. */
const INSTALLER = /^(npx|npm|pnpm|pnpx|yarn|bunx|bun|uvx|uv|pipx|pip|docker|podman|deno|go|cargo)(\.\w+)?$/;
/** A program that writes more than this to stderr before its first answer is not going to give one. */
const MAX_PRINTED = 8 * 1024 * 1024;

/** How long a command is waited for. */
export interface StartPatience {
  readonly limitMs: number;
  /** Without any output for so long it is given up earlier. */
  readonly silentMs: number;
}

/** The user's limit; without one a silent command is given up sooner than one that prints or installs. */
export function startPatience(target: ValidationTarget, connectMs: number | undefined): StartPatience {
  const limitMs = connectMs ?? DEFAULT_CONNECT_MS;
  const program = target.label.split(' ')[0]?.split(/[\\/]/).at(-1) ?? '';
  const silent = connectMs === undefined && !INSTALLER.test(program);
  return { limitMs, silentMs: silent ? SILENT_MS : limitMs };
}

/** Statuses of an address that has no endpoint, whatever its body looks like. */
const NO_ENDPOINT: ReadonlySet<number> = new Set([404, 405, 410]);

/** A server that writes something else than an answer is not going to answer. */
const BABBLE_MS = 3_000;
const WATCH_MS = 200;
/** So many lines between two looks are output without end, which the connection ends by itself. */
const POURED = 200;

/** Milliseconds until a command first answers a handshake; undefined when it ends, or a limit comes first. */
export async function startTime(
  target: ValidationTarget,
  { limitMs, silentMs }: StartPatience,
): Promise<{ readonly startMs: number | undefined; readonly said: boolean }> {
  const recorder = new Recorder();
  const revision = firstRevision();
  const opening = { target, recorder, revision, timeoutMs: limitMs };
  const { session } = await openSession(opening, { handshake: 'none' });
  try {
    const greeting = await firstAnswer(session, recorder, silentMs);
    const startMs = greeting === undefined || greeting.kind === 'silence' ? undefined : greeting.elapsedMs;
    return { startMs, said: recorder.entries.some(({ direction }) => direction === 'received') };
  } finally {
    await session.close();
  }
}

/**
 * The answer to a handshake; undefined as soon as the server has only said other things for a while, nothing
 * at all for too long, or far too much to stderr.
 */
export async function firstAnswer(
  session: ValidatorSession,
  recorder: Recorder,
  silentMs: number,
): Promise<WireReply | undefined> {
  let printed = 0;
  let printedAt = recorder.now();
  let recorded = 0;
  let timer: NodeJS.Timeout | undefined;
  const babbled = new Promise<undefined>((resolve) => {
    timer = setInterval(() => {
      const said = recorder.entries.find(({ direction, kind }) => direction === 'received' && kind !== 'end');
      const pours = recorder.entries.length - recorded > POURED;
      recorded = recorder.entries.length;
      if (said !== undefined && !pours && recorder.now() - said.at > BABBLE_MS) resolve(undefined);
      const count = printedBy(session);
      if (count !== printed) printedAt = recorder.now();
      printed = count;
      if (recorder.now() - printedAt > silentMs || printed > MAX_PRINTED) resolve(undefined);
    }, WATCH_MS);
  });
  try {
    return await Promise.race([initialize(session, session.revision.version), babbled]);
  } finally {
    clearInterval(timer);
  }
}

function printedBy({ connection }: ValidatorSession): number {
  return connection instanceof LineConnection ? connection.printed : 0;
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
