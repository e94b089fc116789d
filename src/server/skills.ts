/** Serves the skills of a folder: their entries, their files as resources, and their directories. */

import { directoryOf } from '../extensions/skills/entry.js';
import { type Skill, skills } from '../extensions/skills/skills.js';
import { encodeBase64 } from '../protocol/base64.js';
import { invalidParams, resourceNotFound } from '../protocol/errors.js';
import type { CacheHints } from '../protocol/model/base.js';
import type { Resource, ResourceContents } from '../protocol/model/resources.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import type { Registration } from './entry-registration.js';
import { cacheHints, type ResultCacheOptions } from './options.js';
import { Registry } from './registry.js';
import type { Server } from './server.js';
import type { SkillTree, SkillTreeFile } from './skill-tree.js';

export interface SkillsOptions {
  /** How long clients may reuse entries. Default: 10 seconds, each client for itself. */
  readonly cache?: ResultCacheOptions | undefined;
  /** Whether changes in the folder are served at once. Default: true. */
  readonly watch?: boolean | undefined;
  /** Called with what cannot be served after a change; the first scan throws it instead. Default: `onError`. */
  readonly onProblem?: ((problem: Error) => void) | undefined;
}

export interface ServedSkills {
  /** Reads the folder again. Rejects where a skill cannot be served; the others are. */
  refresh(): Promise<void>;
  /** Serves the folder no longer. */
  close(): void;
}

/** Where the skills come from. */
export interface SkillSource {
  scan(): Promise<SkillTree>;
  read(file: SkillTreeFile): Promise<Uint8Array>;
  watch(changed: () => void, failed: (error: Error) => void): void;
  close(): void;
}

const SKILLS_OPTIONS: OptionNames<SkillsOptions> = { cache: true, watch: true, onProblem: true };
const CACHE: ResultCacheOptions = { ttl: 10_000, scope: 'private' };
const PAGE_SIZE = 50;

export class SkillsService implements ServedSkills {
  readonly #server: Server<object>;
  readonly #source: SkillSource;
  readonly #caching: ResultCacheOptions;
  readonly #cache: CacheHints;
  readonly #entries: Registry<Skill>;
  /** Of SKILL.md files, which are listed as resources. */
  readonly #listed = new Map<string, { readonly skill: Skill; readonly registration: Registration }>();
  readonly #others: Registration;
  readonly #remove: () => boolean;
  #tree: SkillTree = { skills: [], files: new Map(), directories: new Map(), problems: [] };
  #scanning: Promise<void> = Promise.resolve();

  constructor(server: Server<object>, source: SkillSource, options: SkillsOptions) {
    assertOptionNames('skills', options, SKILLS_OPTIONS);
    const { cache = CACHE } = options;
    this.#server = server;
    this.#source = source;
    this.#caching = cache;
    this.#cache = cacheHints(cache);
    this.#entries = new Registry('skill', () => undefined);
    const served = server.extension(skills, {
      settings: { directoryRead: true },
      methods: {
        'skills/list': ({ cursor }) => this.#list(cursor),
        'skills/get': ({ uri }) => this.#get(uri),
        'resources/directory/read': ({ uri }) => this.#readDirectory(uri),
      },
    });
    this.#remove = () => served.remove();
    this.#others = server.resource(
      'skill://{+path}',
      { name: 'skills', description: 'Files of skills', cache },
      ({ uri }) => this.#read(uri),
    );
  }

  refresh(): Promise<void> {
    const scan = this.#scanning.then(() => this.#scan());
    this.#scanning = scan.catch(() => undefined);
    return scan;
  }

  close(): void {
    this.#source.close();
    this.#remove();
    this.#others.remove();
    for (const { registration } of this.#listed.values()) registration.remove();
  }

  async #scan(): Promise<void> {
    const before = this.#tree;
    const tree = await this.#source.scan();
    this.#tree = tree;
    this.#sync(tree.skills);
    for (const [uri, { digest }] of tree.files) {
      const known = before.files.get(uri);
      if (known !== undefined && known.digest !== digest) this.#server.resourceUpdated(uri);
    }
    if (tree.problems.length > 0) throw new Error(`Skills cannot be served. ${tree.problems.join('; ')}`);
  }

  #sync(found: readonly Skill[]): void {
    const current = new Map(found.map((skill) => [skill.uri, skill]));
    for (const [uri, { skill, registration }] of this.#listed) {
      if (isShownAlike(skill, current.get(uri))) continue;
      registration.remove();
      this.#listed.delete(uri);
    }
    for (const uri of [...this.#entries.entries()].map((skill) => skill.uri)) this.#entries.remove(uri);
    for (const skill of found) {
      this.#entries.add(skill.uri, skill);
      if (!this.#listed.has(skill.uri))
        this.#listed.set(skill.uri, { skill, registration: this.#listAsResource(skill) });
    }
  }

  #listAsResource({ uri, frontmatter }: Skill): Registration {
    const { name, description } = frontmatter;
    const definition = { name, description, mimeType: 'text/markdown', cache: this.#caching };
    return this.#server.resource(uri, definition, () => this.#read(uri));
  }

  #list(cursor: string | undefined): { skills: readonly Skill[]; nextCursor?: string } & CacheHints {
    const { entries, nextCursor } = this.#entries.page(cursor, PAGE_SIZE);
    return { skills: entries, ...(nextCursor === undefined ? {} : { nextCursor }), ...this.#cache };
  }

  #get(uri: string): { skill: Skill } & CacheHints {
    const skill = this.#entries.get(uri);
    if (skill === undefined)
      throw invalidParams(`${uri} is not a skill of this server; skills/list has them`);
    return { skill, ...this.#cache };
  }

  async #read(uri: string): Promise<ResourceContents> {
    const file = this.#tree.files.get(uri);
    if (file === undefined) throw resourceNotFound(uri);
    const bytes = await this.#source.read(file);
    const mimeType = mimeTypeOf(uri);
    const text = textOf(bytes);
    return text === undefined ? { uri, mimeType, blob: encodeBase64(bytes) } : { uri, mimeType, text };
  }

  #readDirectory(uri: string): { resources: Resource[] } {
    const directory = this.#tree.directories.get(uri);
    if (directory === undefined) throw invalidParams(`${uri} is not a directory of a skill`);
    const files = directory.files.flatMap((file) => this.#tree.files.get(file) ?? []);
    return {
      resources: [
        ...directory.directories.map((inner) => ({ ...inner, mimeType: 'inode/directory' })),
        ...files.map((file) => this.#describe(file)),
      ],
    };
  }

  #describe({ uri, size }: SkillTreeFile): Resource {
    const shown = { uri, size, mimeType: mimeTypeOf(uri) };
    const skill = directoryOf(uri) === undefined ? undefined : this.#entries.get(uri);
    if (skill === undefined)
      return { ...shown, name: decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1)) };
    const { name, description } = skill.frontmatter;
    return { ...shown, name, description };
  }
}

/** The list of resources shows a name and a description. */
function isShownAlike({ frontmatter: one }: Skill, other: Skill | undefined): boolean {
  return (
    other !== undefined &&
    one.name === other.frontmatter.name &&
    one.description === other.frontmatter.description
  );
}

/** Bytes that are a text stay one, byte order mark included: the digest is of exactly these bytes. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  gif: 'image/gif',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mjs: 'text/javascript',
  pdf: 'application/pdf',
  png: 'image/png',
  py: 'text/x-python',
  sh: 'text/x-shellscript',
  svg: 'image/svg+xml',
  toml: 'application/toml',
  ts: 'text/x-typescript',
  txt: 'text/plain',
  webp: 'image/webp',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
};

function mimeTypeOf(uri: string): string {
  const name = uri.slice(uri.lastIndexOf('/') + 1);
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return MIME_TYPES[extension] ?? 'application/octet-stream';
}
