/** The whole of it: a target in, a report out. */

import { REVISIONS, type Revision } from '../protocol/index.js';
import {
  type RevisionRun,
  readOnlyTools,
  runRevision,
  spokenRevisions,
  type ValidateOptions,
} from './runner.js';
import type { Target } from './target.js';

export interface Validation {
  readonly target: Target;
  readonly spoken: readonly Revision[];
  readonly runs: readonly RevisionRun[];
  readonly elapsedMs: number;
}

export async function validateServer(target: Target, options: ValidateOptions = {}): Promise<Validation> {
  const started = performance.now();
  const spoken = await spokenRevisions(target, REVISIONS, options.timeoutMs);
  const safe = new Set([
    ...(await readOnlyTools(target, spoken, options.timeoutMs)),
    ...(options.tools ?? []),
  ]);
  const chosen = options.revisions ?? spoken;
  const both = spoken.filter((candidate) => chosen.includes(candidate));
  // Whoever asks for a revision wants to know what is wrong with it, also when it is not spoken at all.
  const judged = both.length === 0 && options.revisions?.length === 1 ? options.revisions : both;
  const runs: RevisionRun[] = [];
  for (const revision of judged) {
    runs.push(await runRevision(target, revision, spoken, safe, options));
  }
  return { target, spoken, runs, elapsedMs: performance.now() - started };
}
