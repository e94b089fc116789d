/**
 * Reads the skills of a server: lists, entries and files, each checked before anyone sees it. Loaded with the first use of
 * `client.skills`.
 */

import { digestOf } from '../../extensions/skills/digest.js';
import { directoryOf, isInside, type ParsedSkill, parseSkill } from '../../extensions/skills/entry.js';
import {
  SKILL_LIMITS,
  type Skill,
  type SkillFile,
  type SkillFrontmatter,
  skills,
} from '../../extensions/skills/skills.js';
import { decodeBase64 } from '../../protocol/base64.js';
import { McpError } from '../../protocol/errors.js';
import type { ReadResourceResult, ResourceContents } from '../../protocol/model/resources.js';
import type { Client } from '../client.js';
import { invalidResult } from '../errors.js';
import type { CallOptions } from '../options.js';

/** The extension has no limit on the number of skills. */
const MAX_SKILLS = 2_000;
const MAX_PAGES = 200;

export async function getSkill(client: Client, uri: string, options: CallOptions): Promise<Skill> {
  const { skill } = await client.extension(skills).request('skills/get', { uri }, options);
  const parsed = parseSkill(skill);
  if (parsed.problem !== undefined)
    throw invalidResult('skills/get', `the skill ${uri} cannot be used: ${parsed.problem}`);
  if (parsed.skill.uri !== uri)
    throw invalidResult('skills/get', `the server returned ${parsed.skill.uri} for ${uri}`);
  return parsed.skill;
}

export async function loadSkill(client: Client, entry: Skill, options: CallOptions): Promise<LoadedSkill> {
  const files = new SkillFiles(client, entry);
  const bytes = await files.read(entry.uri, options);
  const { differingFields, parseManifest } = await import('../../extensions/skills/manifest.js');
  const manifest = parseManifest(new TextDecoder().decode(bytes));
  if (manifest.problem !== undefined) throw mismatch(entry.uri, manifest.problem);
  const fields = differingFields(manifest.frontmatter, entry.frontmatter);
  if (fields.length > 0)
    throw mismatch(entry.uri, `its frontmatter differs from its entry in ${fields.join(', ')}`);
  return new LoadedSkill(entry, manifest.body, files);
}

/** Every entry that the server lists, also those that cannot be used, with the reason. */
export async function* listedSkills(
  client: Client,
  options: CallOptions,
): AsyncGenerator<ParsedSkill & { readonly given: unknown }> {
  const extension = client.extension(skills);
  let cursor: string | undefined;
  let count = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const result = await extension.request('skills/list', cursor === undefined ? {} : { cursor }, options);
    if (!Array.isArray(result.skills)) throw invalidResult('skills/list', '"skills" is not an array');
    for (const given of result.skills) {
      count += 1;
      if (count > MAX_SKILLS) throw tooMany();
      yield { given, ...parseSkill(given) };
    }
    if (typeof result.nextCursor !== 'string') return;
    cursor = result.nextCursor;
  }
  throw tooMany();
}

/** A skill whose SKILL.md has been read and checked. Its content is the server's: untrusted, whatever its digest. */
export class LoadedSkill {
  readonly uri: string;
  readonly frontmatter: SkillFrontmatter;
  /** What SKILL.md says after its frontmatter. */
  readonly instructions: string;
  readonly entry: Skill;
  readonly #files: SkillFiles;

  constructor(entry: Skill, instructions: string, files: SkillFiles) {
    this.entry = entry;
    this.uri = entry.uri;
    this.frontmatter = entry.frontmatter;
    this.instructions = instructions;
    this.#files = files;
  }

  /** A file of this skill, by its URI or its path beside SKILL.md: `references/forms.md`. */
  read(path: string, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#files.read(this.#files.resolve(path), options);
  }

  /** The same, as text. */
  async readText(path: string, options: CallOptions = {}): Promise<string> {
    return new TextDecoder().decode(await this.read(path, options));
  }
}

/** Reads files of one skill, and nothing else. */
class SkillFiles {
  readonly #client: Client;
  readonly #entry: Skill;
  readonly #directory: string;
  readonly #known: ReadonlyMap<string, SkillFile> | undefined;
  /** Of a dynamic skill: what has been read so far, against the same limits. */
  readonly #read = new Map<string, number>();

  constructor(client: Client, entry: Skill) {
    this.#client = client;
    this.#entry = entry;
    this.#directory = directoryOf(entry.uri) ?? entry.uri;
    if (entry.resources === 'dynamic') return;
    this.#known = new Map(entry.resources.map((file) => [file.uri, file]));
    const bytes = entry.resources.reduce((sum, { size }) => sum + size, 0);
    if (this.#known.size > SKILL_LIMITS.files || bytes > SKILL_LIMITS.bytes)
      throw mismatch(
        entry.uri,
        `it has ${this.#known.size} files and ${bytes} bytes; ${SKILL_LIMITS.files} and ${SKILL_LIMITS.bytes} are allowed`,
      );
  }

  resolve(path: string): string {
    if (path.startsWith(`${this.#directory}/`)) return path;
    const segments = path.replace(/^\.\//, '').split('/');
    return `${this.#directory}/${segments.map(encodeURIComponent).join('/')}`;
  }

  async read(uri: string, options: CallOptions): Promise<Uint8Array<ArrayBuffer>> {
    const file = this.#known?.get(uri);
    if (this.#known !== undefined && file === undefined)
      throw mismatch(this.#entry.uri, `${uri} is not one of its files`);
    if (!isInside(uri, this.#directory)) throw mismatch(this.#entry.uri, `${uri} is outside of it`);
    const bytes = bytesOf(uri, await this.#client.resources.read(uri, options));
    if (file === undefined) this.#count(uri, bytes.byteLength);
    else await check(file, bytes);
    return bytes;
  }

  #count(uri: string, size: number): void {
    this.#read.set(uri, size);
    const bytes = [...this.#read.values()].reduce((sum, one) => sum + one, 0);
    if (this.#read.size > SKILL_LIMITS.files || bytes > SKILL_LIMITS.bytes)
      throw mismatch(
        this.#entry.uri,
        `more than ${SKILL_LIMITS.files} files or ${SKILL_LIMITS.bytes} bytes of it were read`,
      );
  }
}

async function check({ uri, size, digest }: SkillFile, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  if (bytes.byteLength !== size)
    throw mismatch(uri, `it has ${bytes.byteLength} bytes, and its entry says ${size}`);
  if ((await digestOf(bytes)) !== digest) throw mismatch(uri, 'its digest is not that of its entry');
}

/** The bytes of a file, as its digest is made from. */
export function bytesOf(uri: string, { contents }: ReadResourceResult): Uint8Array<ArrayBuffer> {
  const content: ResourceContents | undefined = contents.find((one) => one.uri === uri) ?? contents[0];
  if (content === undefined) throw invalidResult('resources/read', `there is no content for ${uri}`);
  return 'text' in content ? new TextEncoder().encode(content.text) : decodeBase64(content.blob);
}

function mismatch(uri: string, problem: string): McpError<'skill_mismatch'> {
  return new McpError(
    'skill_mismatch',
    `The skill file ${uri} is not used: ${problem}. Get the entry of the skill again; if its files changed, approve it anew`,
  );
}

function tooMany(): McpError<'too_many_pages'> {
  return new McpError(
    'too_many_pages',
    `skills/list has more than ${MAX_SKILLS} entries or ${MAX_PAGES} pages; get single skills by their URI`,
  );
}
