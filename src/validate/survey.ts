/** What a server says of itself before it is judged: the revisions that it speaks, and its tools. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { REVISIONS } from '../protocol/revisions/index.js';
import type { Revision } from '../protocol/revisions/revision.js';
import { explore, listPages, records, textOf } from './catalogue.js';
import { type Opened, openSession } from './session/open.js';
import type { ValidationTarget } from './target.js';
import { Recorder } from './wire/recorder.js';

export const DEFAULT_TIMEOUT_MS = 10_000;

/** The revisions that the server speaks, oldest first. Empty when it speaks none. */
export async function spokenRevisions(
  target: ValidationTarget,
  candidates: readonly Revision[] = REVISIONS,
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
): Promise<readonly Revision[]> {
  const possible = candidates.filter(({ lifecycle }) => target.kind !== 'sse' || lifecycle === 'handshake');
  const spoken = await Promise.all(
    possible.map(async (revision) => {
      const opened = await openSession(
        { target, recorder: new Recorder(), revision, timeoutMs },
        { standalone: false },
      );
      try {
        const greeting = await greet(opened);
        return greeting !== undefined && speaks(revision, greeting);
      } finally {
        await opened.session.close();
      }
    }),
  );
  return possible.filter((_, index) => spoken[index] === true);
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
export async function readOnlyTools(
  target: ValidationTarget,
  spoken: readonly Revision[],
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
): Promise<ReadonlySet<string>> {
  const newest = spoken.at(-1);
  if (newest === undefined) return new Set();
  const opened = await openSession(
    { target, recorder: new Recorder(), revision: newest, timeoutMs },
    { standalone: false },
  );
  try {
    const { tools } = await explore(opened.session, {});
    const safe = tools.filter(
      ({ annotations }) => isRecord(annotations) && annotations.readOnlyHint === true,
    );
    return new Set(safe.map((tool) => textOf(tool, 'name')));
  } finally {
    await opened.session.close();
  }
}
