/** Which cases of a suite run. */

import { createGlob } from '../../middleware/subject.js';
import type { CaseDefinition, SuiteSettings } from '../suite/definition.js';

export interface Selection extends Pick<SuiteSettings, 'filter' | 'skip' | 'tags'> {
  /** Exactly these, by name. */
  readonly names: readonly string[];
}

/** A part of the name, in any case; `*` stands for any characters. */
export function matchesPattern(name: string, pattern: string): boolean {
  return createGlob(`*${pattern.toLowerCase()}*`)(name.toLowerCase());
}

/** Why the case does not run; undefined when it does. */
export function skipReason(
  definition: CaseDefinition,
  selection: Selection,
  isExclusive: boolean,
): string | undefined {
  const { name, tags } = definition;
  if (selection.names.length > 0)
    return selection.names.includes(name) ? undefined : 'not selected by --case';
  if (definition.skip !== undefined) return definition.skip;
  if (isExclusive && !definition.only) return 'another case is marked "only"';
  if (selection.skip.some((pattern) => matchesPattern(name, pattern))) return 'skipped by a pattern';
  if (selection.filter.length > 0 && !selection.filter.some((pattern) => matchesPattern(name, pattern)))
    return 'does not match the filter';
  const wanted = selection.tags.filter((tag) => !tag.startsWith('!'));
  const unwanted = selection.tags.filter((tag) => tag.startsWith('!')).map((tag) => tag.slice(1));
  if (unwanted.some((tag) => tags.includes(tag))) return 'has a tag that is left out';
  if (wanted.length > 0 && !wanted.some((tag) => tags.includes(tag))) return 'has none of the tags';
  return undefined;
}
