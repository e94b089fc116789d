/** Removes from an outgoing object the fields that a peer of a given revision does not know. */

import { REVISIONS } from './index.js';
import type { RevisedShape, Revision } from './revision.js';

type Omissions = Readonly<Record<RevisedShape, readonly string[]>>;

const OMISSIONS = new Map<Revision, Omissions>();

/** Fields that some revision introduced and this one does not read. */
function omissionsOf(revision: Revision): Omissions {
  let omissions = OMISSIONS.get(revision);
  if (omissions === undefined) {
    const shapes = Object.keys(revision.reads) as RevisedShape[];
    const entries = shapes.map((shape): [RevisedShape, readonly string[]] => {
      const gated = new Set(REVISIONS.flatMap((other) => other.reads[shape]));
      for (const field of revision.reads[shape]) gated.delete(field);
      return [shape, [...gated]];
    });
    omissions = Object.fromEntries(entries) as Omissions;
    OMISSIONS.set(revision, omissions);
  }
  return omissions;
}

/** The object itself when the peer can read all of it, otherwise a copy without the rest. */
export function readable<T extends object>(revision: Revision, shape: RevisedShape, value: T): T {
  const omitted = omissionsOf(revision)[shape];
  let copy: Record<string, unknown> | undefined;
  for (const field of omitted) {
    if (!(field in value)) continue;
    copy ??= { ...value } as Record<string, unknown>;
    delete copy[field];
  }
  return copy === undefined ? value : (copy as T);
}

/** Maps a list, and keeps the list itself when nothing in it changed. */
export function mapUnchanged<T>(items: readonly T[], map: (item: T) => T): readonly T[] {
  let copy: T[] | undefined;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index] as T;
    const mapped = map(item);
    if (mapped === item) continue;
    copy ??= [...items];
    copy[index] = mapped;
  }
  return copy ?? items;
}
