/** What changed between two surfaces of a server, and whom it concerns. */

import { canonicalText, entryKey, SURFACE_FIELDS, type Surface } from '../../chain/lock/surface.js';
import type { ListField } from '../../chain/mend.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { compareSchemas, type SchemaChange } from './schema-change.js';

/**
 * `breaking`: callers that worked may fail. `model`: only words changed that a model reads, and so perhaps what it does.
 * `compatible`: callers need not care.
 */
export type ChangeLevel = 'breaking' | 'model' | 'compatible';

export interface SurfaceChange {
  readonly kind: 'instructions' | 'tool' | 'prompt' | 'resource' | 'resource template' | 'server';
  readonly name: string;
  readonly what: string;
  readonly level: ChangeLevel;
}

const KINDS: Readonly<Record<ListField, SurfaceChange['kind']>> = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  resourceTemplates: 'resource template',
};

const ORDER: readonly ChangeLevel[] = ['breaking', 'model', 'compatible'];

/** The worst first. A list that one of them does not have is not compared. */
export function compareSurfaces(before: Surface, after: Surface): SurfaceChange[] {
  const changes: SurfaceChange[] = [];
  if (canonicalText(before.server) !== canonicalText(after.server)) {
    const spelled = ({ server }: Surface): string =>
      server === undefined ? 'no name' : `${server.name} ${server.version}`;
    const what = `changed from ${spelled(before)} to ${spelled(after)}`;
    changes.push({ kind: 'server', name: after.server?.name ?? '', what, level: 'compatible' });
  }
  if ((before.instructions ?? '') !== (after.instructions ?? ''))
    changes.push({ kind: 'instructions', name: '', what: 'changed', level: 'model' });
  for (const field of SURFACE_FIELDS) {
    const [old, now] = [before.lists[field], after.lists[field]];
    const hasSameMembers = before.revision === after.revision;
    if (old !== undefined && now !== undefined)
      changes.push(...compareLists(field, old, now, hasSameMembers));
  }
  return changes.sort((one, other) => ORDER.indexOf(one.level) - ORDER.indexOf(other.level));
}

function compareLists(
  field: ListField,
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  hasSameMembers: boolean,
): SurfaceChange[] {
  const kind = KINDS[field];
  const old = new Map(before.map((entry) => [entryKey(field, entry), entry]));
  const now = new Map(after.map((entry) => [entryKey(field, entry), entry]));
  const removed = [...old.keys()].filter((name) => !now.has(name));
  const changes = removed.map((name): SurfaceChange => ({ kind, name, what: 'removed', level: 'breaking' }));
  for (const [name, entry] of now) {
    const known = old.get(name);
    if (known === undefined) changes.push({ kind, name, what: 'added', level: 'compatible' });
    else {
      const findings = compareEntries(known, entry, hasSameMembers);
      changes.push(...findings.map(([what, level]): SurfaceChange => ({ kind, name, what, level })));
    }
  }
  return changes;
}

type Finding = readonly [what: string, level: ChangeLevel];

/** Members whose change does not affect callers. */
const SHOWN_TO_PEOPLE: ReadonlySet<string> = new Set(['icons', '_meta']);
const WORDS: ReadonlySet<string> = new Set(['title', 'description']);

function compareEntries(before: JsonObject, after: JsonObject, hasSameMembers: boolean): Finding[] {
  const findings: Finding[] = [];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [before[key], after[key]];
    if (canonicalText(old) === canonicalText(now)) continue;
    if (key === 'inputSchema') findings.push(...schemaFindings('input', old, now, 'narrower'));
    else if (key === 'outputSchema') findings.push(...outputFindings(old, now));
    else if (key === 'arguments') findings.push(...argumentFindings(old, now));
    else if (key === 'annotations') findings.push(...annotationFindings(old, now));
    else if (key === 'execution') findings.push(...executionFindings(old, now, hasSameMembers));
    else findings.push([`${key} changed`, levelOf(key)]);
  }
  return findings;
}

function levelOf(key: string): ChangeLevel {
  if (WORDS.has(key)) return 'model';
  return SHOWN_TO_PEOPLE.has(key) ? 'compatible' : 'breaking';
}

/** Callers break on input that is refused now, and on output that they have never seen. */
function schemaFindings(
  label: string,
  before: unknown,
  after: unknown,
  breaks: 'narrower' | 'wider',
): Finding[] {
  return compareSchemas(before, after).map(({ path, what, effect }: SchemaChange): Finding => {
    const level =
      effect === 'words' ? 'model' : effect === breaks || effect === 'both' ? 'breaking' : 'compatible';
    return [`${label}${path}: ${what}`, level];
  });
}

function outputFindings(before: unknown, after: unknown): Finding[] {
  if (before === undefined) return [['output schema added', 'compatible']];
  if (after === undefined) return [['output schema removed', 'breaking']];
  return schemaFindings('output', before, after, 'wider');
}

/** Hints decide what clients let a model do without asking. */
function annotationFindings(before: unknown, after: unknown): Finding[] {
  const [old, now] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((key) => canonicalText(old[key]) !== canonicalText(now[key]))
    .map((key): Finding => {
      const what = `annotation ${key} changed from ${spelled(old[key])} to ${spelled(now[key])}`;
      return [what, WORDS.has(key) ? 'model' : 'breaking'];
    });
}

/** A tool that says nothing about tasks cannot be one. Revisions without this member say nothing of any tool. */
function executionFindings(before: unknown, after: unknown, hasSameMembers: boolean): Finding[] {
  if (!hasSameMembers && (before === undefined || after === undefined)) return [];
  const [old, now] = [taskSupport(before), taskSupport(after)];
  if (old === now) return [];
  const isWider = now === 'optional';
  return [[`task support changed from ${old} to ${now}`, isWider ? 'compatible' : 'breaking']];
}

function taskSupport(execution: unknown): string {
  return isRecord(execution) ? String(execution.taskSupport ?? 'forbidden') : 'forbidden';
}

function argumentFindings(before: unknown, after: unknown): Finding[] {
  const [old, now] = [argumentsOf(before), argumentsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name): Finding[] => {
    const [had, has] = [old.get(name), now.get(name)];
    if (has === undefined) return [[`argument ${name} removed`, 'breaking']];
    const isRequired = has.required === true;
    if (had === undefined)
      return [
        [`argument ${name} added${isRequired ? ', required' : ''}`, isRequired ? 'breaking' : 'compatible'],
      ];
    const findings: Finding[] = [];
    if (isRequired && had.required !== true) findings.push([`argument ${name} is required now`, 'breaking']);
    if (!isRequired && had.required === true)
      findings.push([`argument ${name} is optional now`, 'compatible']);
    if (had.description !== has.description || had.title !== has.title)
      findings.push([`argument ${name}: description changed`, 'model']);
    return findings;
  });
}

function argumentsOf(value: unknown): Map<string, JsonObject> {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return new Map(list.filter((item) => isRecord(item)).map((item) => [String(item.name), item]));
}

function spelled(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
