/** What a server says of itself before it is judged: the revisions that it speaks, and its tools. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { REVISIONS } from '../protocol/revisions/index.js';
import type { Revision } from '../protocol/revisions/revision.js';
import { listPages, records, textOf } from './catalogue.js';
import { type Opened, openSession } from './session/open.js';
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

/** Asks a server in each revision. */
export async function surveyRevisions(
  target: ValidationTarget,
  candidates: readonly Revision[] = REVISIONS,
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
  recorderFor: (revision: Revision) => Recorder = () => new Recorder(),
): Promise<Survey> {
  const possible = candidates.filter(({ lifecycle }) => target.kind !== 'sse' || lifecycle === 'handshake');
  const asked = await Promise.allSettled(
    possible.map(async (revision): Promise<Surveyed | undefined> => {
      const recorder = recorderFor(revision);
      const opened = await openSession({ target, recorder, revision, timeoutMs }, { standalone: false });
      const greeting = await greet(opened);
      if (greeting !== undefined && speaks(revision, greeting)) return { revision, recorder, opened };
      await opened.session.close();
      return undefined;
    }),
  );
  const survey = new Survey(
    asked.flatMap((outcome) => (outcome.status === 'fulfilled' ? (outcome.value ?? []) : [])),
  );
  const failed = asked.find((outcome) => outcome.status === 'rejected');
  if (failed === undefined) return survey;
  await survey.close();
  throw failed.reason;
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
export async function greet({ session, greeting }: Opened): Promise<JsonObject | undefined> {
  const reply = session.stateless ? await session.request('server/discover') : greeting;
  return reply?.kind === 'result' ? reply.result : undefined;
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
