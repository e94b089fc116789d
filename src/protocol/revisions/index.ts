/** The five revisions, oldest first, and the questions that other rooms ask about them. */

import { revision20241105 } from './2024-11-05.js';
import { revision20250326 } from './2025-03-26.js';
import { revision20250618 } from './2025-06-18.js';
import { revision20251125 } from './2025-11-25.js';
import { revision20260728 } from './2026-07-28.js';
import type { Revision } from './revision.js';

export const REVISIONS: readonly Revision[] = [
  revision20241105,
  revision20250326,
  revision20250618,
  revision20251125,
  revision20260728,
];

export const HANDSHAKE_REVISIONS: readonly Revision[] = REVISIONS.filter(
  (revision) => revision.lifecycle === 'handshake',
);

/** What a handshake-era HTTP request without a version header is taken for (Streamable HTTP, version header). */
export const ASSUMED_REVISION: Revision = revision20250326;

const BY_VERSION = new Map(REVISIONS.map((revision) => [revision.version, revision]));

export function findRevision(version: string): Revision | undefined {
  return BY_VERSION.get(version);
}

/** Served by early SDKs, and never published as a revision. */
const BEFORE_THE_FIRST = '2024-10-07';

/** Whether a version that is unknown here can exist at all: a draft, or a date after the newest. */
export function mayBeVersion(version: string): boolean {
  if (version === BEFORE_THE_FIRST || /^DRAFT-.+$/.test(version)) return true;
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version > (REVISIONS.at(-1)?.version ?? '');
}

/** The revisions with these versions, oldest first. Throws on an unknown one: a typo must not narrow silently. */
export function selectRevisions(versions: readonly string[] | undefined): readonly Revision[] {
  if (versions === undefined) return REVISIONS;
  for (const version of versions) {
    if (BY_VERSION.has(version)) continue;
    const known = REVISIONS.map((revision) => revision.version).join(', ');
    throw new RangeError(`Unknown protocol revision "${version}"; known are: ${known}`);
  }
  if (versions.length === 0) throw new RangeError('At least one protocol revision is needed');
  return REVISIONS.filter((revision) => versions.includes(revision.version));
}

export type { Revision } from './revision.js';
export { errorFor } from './revision.js';
