/**
 * A folder of skills on disk: every directory with a SKILL.md is one, at any depth. Files whose names begin with a dot
 * and symbolic links are left out, so nothing outside the folder can be read.
 */

import { createHash } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { manifestIn, nameProblem } from '../extensions/skills/entry.js';
import { parseManifest } from '../extensions/skills/manifest.js';
import { SKILL_LIMITS, type Skill, type SkillFile } from '../extensions/skills/skills.js';
import { resourceNotFound } from '../protocol/errors.js';
import type { SkillTree, SkillTreeDirectory, SkillTreeFile } from './skill-tree.js';
import type { SkillSource } from './skills.js';

export { SkillsService } from './skills.js';

const MANIFEST = 'SKILL.md';
/** Segments follow it with a slash each. */
const SCHEME = 'skill:/';
const MAX_DEPTH = 16;
const MAX_FILES = 20_000;
/** Editors write in several steps. */
const SETTLE_MS = 100;

/** What a file was when it was last hashed. */
interface Hashed {
  readonly stamp: string;
  readonly digest: string;
  readonly size: number;
}

interface FoundFile extends SkillTreeFile {
  readonly name: string;
}

interface FoundDirectory {
  readonly uri: string;
  readonly name: string;
  readonly path: string;
  readonly files: readonly FoundFile[];
  readonly directories: readonly FoundDirectory[];
}

interface Collected {
  readonly skills: Skill[];
  readonly files: Map<string, SkillTreeFile>;
  readonly directories: Map<string, SkillTreeDirectory>;
  readonly problems: string[];
}

export class SkillsFolder implements SkillSource {
  readonly #folder: string;
  #hashes: ReadonlyMap<string, Hashed> = new Map();
  #watcher: FSWatcher | undefined;
  #settling: ReturnType<typeof setTimeout> | undefined;

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  /** The folder as it is now. Files that did not change are not read again. */
  async scan(): Promise<SkillTree> {
    const hashes = new Map<string, Hashed>();
    const collected: Collected = { skills: [], files: new Map(), directories: new Map(), problems: [] };
    for (const directory of await this.#findAll(hashes)) await collect(directory, collected);
    this.#hashes = hashes;
    collected.skills.sort((a, b) => (a.uri < b.uri ? -1 : 1));
    return collected;
  }

  /** The bytes of a file, unless it has become a link that leads out of the folder since the last scan. */
  async read({ path, uri }: SkillTreeFile): Promise<Uint8Array> {
    const [folder, target] = await Promise.all([realpath(this.#folder), realpath(path)]).catch(() => []);
    if (folder === undefined || target === undefined || !target.startsWith(folder + sep))
      throw resourceNotFound(uri);
    return readFile(target);
  }

  /** Calls `changed` some time after files did. */
  watch(changed: () => void, failed: (error: Error) => void): void {
    this.#watcher = watch(this.#folder, { recursive: true }, () => {
      this.#settling ??= setTimeout(() => {
        this.#settling = undefined;
        changed();
      }, SETTLE_MS).unref();
    });
    this.#watcher.on('error', failed);
    this.#watcher.unref();
  }

  close(): void {
    clearTimeout(this.#settling);
    this.#watcher?.close();
  }

  /** The directories that URIs can begin with: the folder itself where it is a skill, else those in it. */
  async #findAll(hashes: Map<string, Hashed>): Promise<readonly FoundDirectory[]> {
    let left = MAX_FILES;
    const find = async (path: string, uri: string, depth: number): Promise<FoundDirectory> => {
      if (depth > MAX_DEPTH) throw new Error(`${path} is nested more than ${MAX_DEPTH} levels deep`);
      const files: FoundFile[] = [];
      const directories: FoundDirectory[] = [];
      for (const entry of await readdir(path, { withFileTypes: true })) {
        if (entry.name.startsWith('.')) continue;
        const inside = { name: entry.name, path: join(path, entry.name), uri: child(uri, entry.name) };
        if (entry.isDirectory()) directories.push(await find(inside.path, inside.uri, depth + 1));
        else if (entry.isFile()) {
          left -= 1;
          if (left < 0) throw new Error(`${this.#folder} has more than ${MAX_FILES} files`);
          files.push({ ...inside, ...(await this.#hashed(inside.path, hashes)) });
        }
      }
      return { uri, path, name: basename(path), files, directories };
    };
    const isSkill = (await readdir(this.#folder)).includes(MANIFEST);
    const root = await find(this.#folder, isSkill ? child(SCHEME, basename(this.#folder)) : SCHEME, 0);
    return isSkill ? [root] : root.directories;
  }

  async #hashed(path: string, hashes: Map<string, Hashed>): Promise<{ digest: string; size: number }> {
    const { size, mtimeMs, ctimeMs, ino } = await stat(path);
    // No skill can have it, so its bytes do not matter.
    if (size > SKILL_LIMITS.bytes) return { digest: '', size };
    const stamp = [size, mtimeMs, ctimeMs, ino].join();
    const known = this.#hashes.get(path);
    const hashed = known?.stamp === stamp ? known : { stamp, ...hashOf(await readFile(path)) };
    hashes.set(path, hashed);
    return { digest: hashed.digest, size: hashed.size };
  }
}

function hashOf(bytes: Uint8Array): { digest: string; size: number } {
  return { digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, size: bytes.byteLength };
}

/** Only what belongs to a skill that is served can be read. */
async function collect(directory: FoundDirectory, into: Collected): Promise<void> {
  for (const inner of directory.directories) await collect(inner, into);
  const manifest = directory.files.find(isManifest);
  if (manifest !== undefined) {
    const read = await readSkill(directory, manifest);
    if (typeof read === 'string') into.problems.push(`${directory.path}: ${read}`);
    else {
      into.skills.push(read);
      for (const file of everyFile(directory)) into.files.set(file.uri, file);
    }
  }
  into.directories.set(directory.uri, {
    name: directory.name,
    files: directory.files.map(({ uri }) => uri),
    directories: directory.directories.map(({ uri, name }) => ({ uri, name })),
  });
}

async function readSkill(directory: FoundDirectory, manifest: FoundFile): Promise<Skill | string> {
  const parsed = parseManifest(await readFile(manifest.path, 'utf8'));
  if (parsed.problem !== undefined) return parsed.problem;
  const { name } = parsed.frontmatter;
  const wrong = nameProblem(name);
  if (wrong !== undefined) return wrong;
  if (name !== directory.name)
    return `SKILL.md has the name "${name}"; a skill is named like its directory, so rename one of them`;
  const resources: SkillFile[] = everyFile(directory)
    .map(({ uri, digest, size }) => ({ uri, digest, size }))
    .sort((a, b) => (a.uri < b.uri ? -1 : 1));
  const bytes = resources.reduce((sum, { size }) => sum + size, 0);
  if (resources.length > SKILL_LIMITS.files)
    return `the skill has ${resources.length} files; clients accept ${SKILL_LIMITS.files}`;
  if (bytes > SKILL_LIMITS.bytes) return `the skill has ${bytes} bytes; clients accept ${SKILL_LIMITS.bytes}`;
  return { uri: manifestIn(directory.uri), frontmatter: parsed.frontmatter, resources };
}

/** Files of skills inside a skill belong to both. */
function everyFile({ files, directories }: FoundDirectory): readonly FoundFile[] {
  return [...files, ...directories.flatMap(everyFile)];
}

function isManifest({ name }: { readonly name: string }): boolean {
  return name === MANIFEST;
}

function child(uri: string, name: string): string {
  return `${uri}/${encodeURIComponent(name)}`;
}

/** Throws where there is no such folder. */
export async function openSkillsFolder(folder: string): Promise<SkillsFolder> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw new TypeError(`There is no folder of skills at ${resolve(folder)}; give the path of one`);
  return new SkillsFolder(folder);
}
