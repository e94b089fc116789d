/**
 * Skills of a server. Nothing is read ahead: an entry names files and their digests, and each file is fetched when it is
 * asked for and checked against its entry before anyone sees it.
 */

import { type Skill, skills } from '../../extensions/skills/skills.js';
import type { Client } from '../client.js';
import type { CallOptions } from '../options.js';
import type { LoadedSkill } from './skill-reader.js';

export class Skills implements AsyncIterable<Skill> {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Whether the server declares the extension. Only then are there skills to list. */
  get isDeclared(): boolean {
    return this.#client.extension(skills).isDeclared;
  }

  /** The entries that the server lists; it may have more than it lists. Entries that cannot be used are left out. */
  async list(options: CallOptions = {}): Promise<Skill[]> {
    const found: Skill[] = [];
    for await (const skill of this.#usable(options)) found.push(skill);
    return found;
  }

  [Symbol.asyncIterator](): AsyncIterator<Skill> {
    return this.#usable({});
  }

  async *#usable(options: CallOptions): AsyncGenerator<Skill> {
    const { listedSkills } = await import('./skill-reader.js');
    for await (const listed of listedSkills(this.#client, options))
      if (listed.problem === undefined) yield listed.skill;
  }

  /** The entry of one skill, listed or not, by the URI of its SKILL.md. */
  async get(uri: string, options: CallOptions = {}): Promise<Skill> {
    const { getSkill } = await import('./skill-reader.js');
    return getSkill(this.#client, uri, options);
  }

  /**
   * Reads the SKILL.md of a skill, checked against its entry. The rest of its files is read through what this returns.
   * Rejects with `skill_mismatch` where a file is not what its entry says: get the entry again, and ask the user again
   * if its files have changed.
   */
  async load(skill: string | Skill, options: CallOptions = {}): Promise<LoadedSkill> {
    const { getSkill, loadSkill } = await import('./skill-reader.js');
    const entry = typeof skill === 'string' ? await getSkill(this.#client, skill, options) : skill;
    return loadSkill(this.#client, entry, options);
  }
}
