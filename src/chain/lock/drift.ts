/** How what a server shows differs from what was approved: what is new, and what is not as it was. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { ProtocolError } from '../../protocol/errors.js';
import type { Revision } from '../../protocol/revisions/index.js';
import { encodeResult } from '../../protocol/revisions/results.js';
import { changedMembers, type ListField, mendEntry } from '../mend.js';
import { canonicalText, canonicalValue, entryKey, lasting, type Surface } from './surface.js';

export interface Drift {
  readonly kind: ListField | 'instructions';
  /** The name or the address of the entry. */
  readonly name: string;
  readonly what: 'added' | 'changed';
  /** The members that differ. */
  readonly members: readonly string[];
}

const METHODS: Readonly<Record<ListField, string>> = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
};

/** Entries that were not approved, or not like this. Missing ones show nothing to anybody, and are no drift. */
export class ApprovedSurface {
  readonly #surface: Surface;
  /** Approved entries as a server of a revision shows them: not every revision has every member. */
  readonly #entries = new Map<string, Map<string, readonly JsonObject[]>>();

  constructor(surface: Surface) {
    this.#surface = surface;
  }

  get fields(): readonly ListField[] {
    return (Object.keys(METHODS) as ListField[]).filter((field) => this.#surface.lists[field] !== undefined);
  }

  instructionsDrift(instructions: string | undefined): Drift[] {
    const { instructions: approved } = this.#surface;
    if (instructions === undefined || instructions === '' || instructions === approved) return [];
    const what = approved === undefined ? 'added' : 'changed';
    return [{ kind: 'instructions', name: 'instructions', what, members: ['instructions'] }];
  }

  listDrift(field: ListField, entries: readonly unknown[], revision: Revision): Drift[] {
    if (this.#surface.lists[field] === undefined) return [];
    const approved = this.#approved(field, revision);
    return entries.flatMap((entry): Drift[] => {
      const shown = shownIn(field, entry, revision);
      // What clients never see.
      if (shown === undefined) return [];
      const name = entryKey(field, shown);
      const known = approved.get(name);
      if (known === undefined) return [{ kind: field, name, what: 'added', members: [] }];
      const text = canonicalText(shown);
      if (known.some((candidate) => canonicalText(candidate) === text)) return [];
      return [{ kind: field, name, what: 'changed', members: differing(known[0] ?? {}, shown) }];
    });
  }

  #approved(field: ListField, revision: Revision): Map<string, readonly JsonObject[]> {
    const key = `${revision.version} ${field}`;
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const entries = new Map<string, readonly JsonObject[]>();
    for (const entry of this.#surface.lists[field] ?? []) {
      const shown = shownIn(field, entry, revision);
      if (shown === undefined) continue;
      const name = entryKey(field, shown);
      entries.set(name, [...(entries.get(name) ?? []), shown]);
    }
    this.#entries.set(key, entries);
    return entries;
  }
}

/** The entry as a client of this revision reads it. */
function shownIn(field: ListField, entry: unknown, revision: Revision): JsonObject | undefined {
  const mended = mendEntry(field, entry, revision);
  if (mended === undefined) return undefined;
  const { [field]: list } = encodeResult(revision, METHODS[field], { [field]: [mended] });
  const [encoded] = Array.isArray(list) ? list : [];
  return isRecord(encoded) ? lasting(field, encoded) : undefined;
}

function differing(approved: JsonObject, shown: JsonObject): string[] {
  const texts = (entry: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(entry).map(([key, value]) => [key, JSON.stringify(canonicalValue(value))]),
    );
  return changedMembers(texts(approved), texts(shown));
}

const KINDS: Readonly<Record<Drift['kind'], string>> = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  resourceTemplates: 'resource template',
  instructions: 'instructions',
};

/** For operators: names what differs. */
export function describeDrift({ kind, name, what, members }: Drift): string {
  if (kind === 'instructions') return `its instructions ${what === 'added' ? 'are new' : 'changed'}`;
  const which = `${KINDS[kind]} ${JSON.stringify(name)}`;
  return what === 'added' ? `${which} is new` : `${which} changed (${members.join(', ')})`;
}

/**
 * For clients, and so for models: counts, and nothing that the server wrote. Names of tools are texts of a
 * server that were not approved.
 */
export class DriftError extends ProtocolError {
  readonly drift: readonly Drift[];

  constructor(server: string, drift: readonly Drift[]) {
    super(
      'internal_error',
      `The server "${server}" is blocked: it differs from its lock (${counted(drift)}); ` +
        'review it with plumb diff, then approve it with plumb lock and reload the chain',
    );
    this.drift = drift;
  }
}

function counted(drift: readonly Drift[]): string {
  const counts = new Map<string, number>();
  for (const { kind, what } of drift) {
    const key = `${KINDS[kind]} ${what}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .map(([key, count]) => (key.startsWith('instructions') ? key : `${count} ${key}`))
    .join(', ');
}
