/** What a folder of skills holds, by URI. */

import type { Skill } from '../extensions/skills/skills.js';

export interface SkillTreeFile {
  readonly uri: string;
  readonly path: string;
  readonly digest: string;
  readonly size: number;
}

export interface SkillTreeDirectory {
  readonly name: string;
  /** URIs of the files directly in it. */
  readonly files: readonly string[];
  readonly directories: readonly { readonly uri: string; readonly name: string }[];
}

export interface SkillTree {
  readonly skills: readonly Skill[];
  readonly files: ReadonlyMap<string, SkillTreeFile>;
  readonly directories: ReadonlyMap<string, SkillTreeDirectory>;
  /** Skills that cannot be served, and why. */
  readonly problems: readonly string[];
}
