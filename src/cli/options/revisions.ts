/** Protocol revisions as options name them. */

import { REVISIONS, selectRevisions } from '../../protocol/revisions/index.js';
import type { Revision } from '../../protocol/revisions/revision.js';
import { UsageError } from '../failure/failure.js';

export function knownRevisions(): string {
  return REVISIONS.map(({ version }) => version).join(', ');
}

export function checkRevisions(
  option: string,
  versions: readonly string[] | undefined,
): readonly string[] | undefined {
  try {
    return versions === undefined ? undefined : selectRevisions(versions).map(({ version }) => version);
  } catch (cause) {
    throw new UsageError(`${option}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

/** The revisions that --revision names; all of them without it. */
export function chosenRevisions(versions: readonly string[] | undefined): readonly Revision[] {
  try {
    return versions === undefined ? REVISIONS : selectRevisions(versions);
  } catch (cause) {
    throw new UsageError(`--revision: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
