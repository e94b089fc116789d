/** The same server in every revision that it speaks: differences that the specification does not explain. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { textOf } from './catalogue.js';
import type { RevisionRun } from './runner.js';

export interface Difference {
  readonly between: readonly [string, string];
  readonly what: string;
}

/** Compares each revision with the one before it. */
export function compareEras(runs: readonly RevisionRun[]): readonly Difference[] {
  return runs.flatMap((run, index) => {
    const before = runs[index - 1];
    return before === undefined ? [] : differences(before, run);
  });
}

function differences(older: RevisionRun, newer: RevisionRun): readonly Difference[] {
  const between = [older.revision.version, newer.revision.version] as const;
  const found = [
    ...names('tool', older.tools, newer.modestTools ?? newer.tools, 'name'),
    ...names('resource', older.resources, newer.resources, 'uri'),
    ...names('template', older.templates, newer.templates, 'uriTemplate'),
    ...names('prompt', older.prompts, newer.prompts, 'name'),
    ...schemas(older.tools, newer.tools),
    ...capabilities(older, newer),
    ...identity(older.greeting, newer.greeting),
  ];
  return found.map((what) => ({ between, what }));
}

function names(
  kind: string,
  older: readonly JsonObject[],
  newer: readonly JsonObject[],
  field: string,
): readonly string[] {
  const before = new Set(older.map((item) => textOf(item, field)));
  const after = new Set(newer.map((item) => textOf(item, field)));
  const lost = [...before]
    .filter((name) => !after.has(name))
    .map((name) => `${kind} ${name} is only in the older revision`);
  const gained = [...after]
    .filter((name) => !before.has(name))
    .map((name) => `${kind} ${name} is only in the newer revision`);
  return [...lost, ...gained];
}

/** Whether the revisions list other tools, before anybody asked why. */
export function toolsDiffer(older: RevisionRun, newer: RevisionRun): boolean {
  return names('tool', older.tools, newer.tools, 'name').length > 0;
}

/** Every revision can read an input schema, so there is no reason to change one. */
function schemas(older: readonly JsonObject[], newer: readonly JsonObject[]): readonly string[] {
  return older.flatMap((tool) => {
    const other = newer.find((candidate) => candidate.name === tool.name);
    if (other === undefined || !isRecord(tool.inputSchema) || !isRecord(other.inputSchema)) return [];
    const same = keysOf(tool.inputSchema.properties) === keysOf(other.inputSchema.properties);
    return same ? [] : [`tool ${textOf(tool, 'name')} takes other arguments`];
  });
}

/** Capabilities that both revisions know. */
function capabilities(older: RevisionRun, newer: RevisionRun): readonly string[] {
  const before = new Set(Object.keys(older.capabilities));
  const after = new Set(Object.keys(newer.capabilities));
  return ['tools', 'resources', 'prompts', 'logging']
    .filter((name) => before.has(name) !== after.has(name))
    .map((name) => `the capability ${name} is only in the ${before.has(name) ? 'older' : 'newer'} revision`);
}

function identity(older: JsonObject, newer: JsonObject): readonly string[] {
  return older.instructions === newer.instructions ? [] : ['the instructions differ'];
}

function keysOf(value: unknown): string {
  return isRecord(value) ? Object.keys(value).toSorted().join(',') : '';
}
