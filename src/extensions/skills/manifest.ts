/** SKILL.md: YAML between two lines of three hyphens, then the instructions. */

import { parseDocument } from 'yaml';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { parseFrontmatterFields } from './entry.js';
import type { SkillFrontmatter } from './skills.js';

export type ParsedManifest =
  | { readonly frontmatter: SkillFrontmatter; readonly body: string; readonly problem?: undefined }
  | { readonly problem: string };

/** A line of hyphens may end in a carriage return, and a byte order mark may stand before the first one. */
const OPENING = /^\uFEFF?---[ \t]*\r?\n/;
const CLOSING = /^---[ \t]*\r?$/m;

/** YAML can name a part and repeat it; a small file must not become a large one. */
const MAX_ALIASES = 100;

export function parseManifest(text: string): ParsedManifest {
  const opening = OPENING.exec(text)?.[0];
  if (opening === undefined) return { problem: 'SKILL.md does not begin with a line "---" and frontmatter' };
  const rest = text.slice(opening.length);
  const closing = CLOSING.exec(rest);
  if (closing === null) return { problem: 'the frontmatter of SKILL.md has no closing line "---"' };
  const document = parseDocument(rest.slice(0, closing.index), { schema: 'core', prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) return { problem: `the frontmatter of SKILL.md is not YAML: ${error.message}` };
  const fields = parseFrontmatterFields(plainJson(document.toJS({ maxAliasCount: MAX_ALIASES })));
  if (typeof fields === 'string') return { problem: fields };
  const body = rest.slice(closing.index + closing[0].length).replace(/^\n/, '');
  return { frontmatter: fields, body };
}

/** The names of fields in which two heads differ. */
export function differingFields(one: SkillFrontmatter, other: SkillFrontmatter): readonly string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => canonical(one[name]) !== canonical(other[name]));
}

/** As it crosses the wire: dates become texts, and keys that are not texts do as well. */
function plainJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, part: unknown) => (isRecord(part) ? sorted(part) : part));
}

function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
