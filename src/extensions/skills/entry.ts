/** Entries of skills as they come off the wire: what makes one usable, and what a URI says about its skill. */

import { isRecord } from '../../jsonrpc/message.js';
import type { Skill, SkillFile, SkillFrontmatter } from './skills.js';

export type ParsedSkill =
  | { readonly skill: Skill; readonly problem?: undefined }
  | { readonly problem: string };

const DIGEST = /^sha256:[0-9a-f]{64}$/;
const NAME = /^[a-z0-9-]{1,64}$/;
const MANIFEST = '/SKILL.md';

/** The directory of a skill, without a trailing slash; undefined where the URI is not that of a SKILL.md. */
export function directoryOf(uri: string): string | undefined {
  return uri.endsWith(MANIFEST) ? uri.slice(0, -MANIFEST.length) : undefined;
}

export function manifestIn(directory: string): string {
  return `${directory}${MANIFEST}`;
}

/** Whether a URI is inside a directory in its own spelling: no segments that lead out, in any encoding. */
export function isInside(uri: string, directory: string): boolean {
  if (!uri.startsWith(`${directory}/`)) return false;
  return uri
    .slice(directory.length + 1)
    .split('/')
    .every((segment) => segment !== '' && !isDots(segment));
}

function isDots(segment: string): boolean {
  const plain = segment.replaceAll(/%2e/gi, '.');
  return plain === '.' || plain === '..' || /%2f|%5c|\\/i.test(segment);
}

/** Why a name is not one of a skill (Agent Skills: lower-case letters, digits and hyphens). */
export function nameProblem(name: string): string | undefined {
  return NAME.test(name)
    ? undefined
    : `the name "${name}" must have at most 64 lower-case letters, digits and hyphens`;
}

export function parseSkill(value: unknown): ParsedSkill {
  if (!isRecord(value)) return { problem: 'the entry is not an object' };
  const { uri, frontmatter, resources } = value;
  const directory = typeof uri === 'string' ? directoryOf(uri) : undefined;
  if (typeof uri !== 'string' || directory === undefined)
    return { problem: 'its uri is not that of a SKILL.md' };
  const head = parseFrontmatterFields(frontmatter);
  if (typeof head === 'string') return { problem: head };
  const wrongName = nameProblem(head.name);
  if (wrongName !== undefined) return { problem: wrongName };
  if (lastSegment(directory) !== head.name)
    return { problem: `its directory "${lastSegment(directory)}" is not named "${head.name}" as it is` };
  if (resources === 'dynamic') return { skill: { uri, frontmatter: head, resources } };
  if (!Array.isArray(resources)) return { problem: '"resources" is neither an array nor "dynamic"' };
  const files: SkillFile[] = [];
  const seen = new Set<string>();
  for (const given of resources) {
    const file = parseFile(given, directory);
    if (typeof file === 'string') return { problem: file };
    if (seen.has(file.uri)) return { problem: `"resources" has ${file.uri} twice` };
    seen.add(file.uri);
    files.push(file);
  }
  if (!seen.has(uri)) return { problem: '"resources" lacks the SKILL.md itself' };
  return { skill: { uri, frontmatter: head, resources: files } };
}

/** The fields that every skill has; a text says what is wrong. */
export function parseFrontmatterFields(value: unknown): SkillFrontmatter | string {
  if (!isRecord(value)) return 'it has no frontmatter';
  const { name, description } = value;
  if (typeof name !== 'string' || name === '') return 'its frontmatter has no "name"';
  if (typeof description !== 'string' || description === '') return 'its frontmatter has no "description"';
  return { ...value, name, description };
}

function parseFile(value: unknown, directory: string): SkillFile | string {
  if (!isRecord(value)) return '"resources" has an item that is not an object';
  const { uri, digest, size } = value;
  if (typeof uri !== 'string' || !isInside(uri, directory))
    return `"resources" has the uri ${JSON.stringify(uri)}, which is not inside ${directory}`;
  if (typeof digest !== 'string' || !DIGEST.test(digest))
    return `the digest of ${uri} is not "sha256:" and 64 hexadecimal digits`;
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    return `the size of ${uri} is not a number of bytes`;
  return { uri, digest, size };
}

function lastSegment(directory: string): string {
  return directory.slice(directory.lastIndexOf('/') + 1);
}
