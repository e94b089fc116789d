/** What a server says of itself before it is judged: the revisions that it speaks, and its tools. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { REVISIONS } from '../protocol/revisions/index.js';
import type { Revision } from '../protocol/revisions/revision.js';
import { listPages, records, textOf } from './catalogue.js';
import { type Opened, type Opening, openSession } from './session/open.js';
import type { WireReply } from './session/reply.js';
import type { ValidationTarget } from './target.js';
import { LineConnection } from './wire/line-pipe.js';
import { Recorder } from './wire/recorder.js';

export const DEFAULT_TIMEOUT_MS = 10_000;

/** A session that was opened to learn something, with the record of it. */
export interface Surveyed {
  readonly revision: Revision;
  readonly recorder: Recorder;
  readonly opened: Opened;
}

/** The revisions that a server speaks, and a session in each of them. */
export class Survey {
  /** Oldest first. Empty when it speaks none. */
  readonly spoken: readonly Revision[];
  readonly #sessions: Map<Revision, Surveyed>;

  constructor(spoken: readonly Surveyed[]) {
    this.spoken = spoken.map(({ revision }) => revision);
    this.#sessions = new Map(spoken.map((surveyed) => [surveyed.revision, surveyed]));
  }

  /** A session that stays with the survey. */
  session(revision: Revision): Opened | undefined {
    return this.#sessions.get(revision)?.opened;
  }

  /** Over stdio the caller goes on with the process that was asked, and closes it. */
  take(revision: Revision): Surveyed | undefined {
    const surveyed = this.#sessions.get(revision);
    const connection = surveyed?.opened.session.connection;
    if (!(connection instanceof LineConnection) || connection.ended) return undefined;
    this.#sessions.delete(revision);
    return surveyed;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ opened }) => opened.session.close()));
    this.#sessions.clear();
  }
}

/** What a revision was answered with: `undefined` where it is not spoken, `silence` where nothing came at all. */
type Asked = Surveyed | 'silence' | undefined;

/** How much longer an answer may take when nothing came the first time. */
const PATIENCE = 2;

/** Asks a server in each revision. */
export async function surveyRevisions(
  target: ValidationTarget,
  candidates: readonly Revision[] = REVISIONS,
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
  recorderFor: (revision: Revision) => Recorder = () => new Recorder(),
): Promise<Survey> {
  const possible = candidates.filter(({ lifecycle }) => target.kind !== 'sse' || lifecycle === 'handshake');
  const ask = (revision: Revision, waitMs: number): Promise<Asked> =>
    askIn({ target, recorder: recorderFor(revision), revision, timeoutMs: waitMs });
  const asked = await Promise.allSettled(possible.map((revision) => ask(revision, timeoutMs)));
  const lost = (outcome: PromiseSettledResult<Asked> | undefined): boolean =>
    outcome?.status === 'rejected' || outcome?.value === 'silence';
  // Which revisions are spoken decides what is judged at all. A server that answered some of them may only have been
  // too busy for the others: they are asked again, one at a time.
  if (asked.some((outcome) => !lost(outcome)))
    for (const [index, revision] of possible.entries())
      if (lost(asked[index]))
        [asked[index]] = await Promise.allSettled([ask(revision, timeoutMs * PATIENCE)]);
  const survey = new Survey(
    asked.flatMap((outcome) =>
      outcome.status === 'fulfilled' && outcome.value !== 'silence' ? (outcome.value ?? []) : [],
    ),
  );
  const failed = asked.find((outcome) => outcome.status === 'rejected');
  if (failed === undefined) return survey;
  await survey.close();
  throw failed.reason;
}

async function askIn(opening: Opening): Promise<Asked> {
  const { revision, recorder } = opening;
  const opened = await openSession(opening, { standalone: false });
  const reply = await firstReply(opened);
  if (reply?.kind === 'result' && speaks(revision, reply.result)) return { revision, recorder, opened };
  const ended = opened.session.connection.ended;
  await opened.session.close();
  return reply?.kind === 'silence' && !ended ? 'silence' : undefined;
}

/** The revisions that the server speaks, oldest first. Empty when it speaks none. */
export async function spokenRevisions(
  target: ValidationTarget,
  candidates: readonly Revision[] = REVISIONS,
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
): Promise<readonly Revision[]> {
  const survey = await surveyRevisions(target, candidates, timeoutMs);
  await survey.close();
  return survey.spoken;
}

/** What it says of itself when it is met, where it says anything. */
export async function greet(opened: Opened): Promise<JsonObject | undefined> {
  const reply = await firstReply(opened);
  return reply?.kind === 'result' ? reply.result : undefined;
}

async function firstReply({ session, greeting }: Opened): Promise<WireReply | undefined> {
  return session.stateless ? session.request('server/discover') : greeting;
}

function speaks(revision: Revision, greeting: JsonObject): boolean {
  if (revision.lifecycle === 'handshake') return greeting.protocolVersion === revision.version;
  const { supportedVersions } = greeting;
  return !Array.isArray(supportedVersions) || supportedVersions.includes(revision.version);
}

/** The tools that the server lists for a client with these capabilities. */
export async function toolsFor(
  target: ValidationTarget,
  revision: Revision,
  capabilities: JsonObject,
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
): Promise<readonly JsonObject[]> {
  const { session } = await openSession(
    { target, recorder: new Recorder(), revision, timeoutMs },
    { standalone: false, capabilities },
  );
  try {
    const pages = await listPages(session, 'tools/list');
    return pages.flatMap((page) => (page.kind === 'result' ? records(page.result.tools) : []));
  } finally {
    await session.close();
  }
}

/** Tools that the server itself marks as read-only, in any revision: the first one has no way to say so. */
export async function readOnlyTools(survey: Survey): Promise<ReadonlySet<string>> {
  const newest = survey.spoken.at(-1);
  const opened = newest === undefined ? undefined : survey.session(newest);
  if (opened === undefined) return new Set();
  const pages = await listPages(opened.session, 'tools/list');
  const tools = pages.flatMap((page) => (page.kind === 'result' ? records(page.result.tools) : []));
  const safe = tools.filter(({ annotations }) => isRecord(annotations) && annotations.readOnlyHint === true);
  return new Set(safe.map((tool) => textOf(tool, 'name')));
}
