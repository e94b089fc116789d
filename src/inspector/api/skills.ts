/** Skills of servers: entries as they are listed, and files that are read when the user asks for them. */

/** An entry of `skills/list`. */
export interface InspectedSkill {
  /** Of its SKILL.md. */
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  /** Verbatim. */
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly files: readonly ListedSkillFile[] | 'dynamic';
  /** Why hosts must not use it. */
  readonly problem?: string;
}

/** A file as the entry of its skill has it. */
export interface ListedSkillFile {
  readonly uri: string;
  readonly digest: string;
  readonly size: number;
}

/** A file of a skill, compared with its entry. */
export interface SkillFileView {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  /** Base64, where it is not text. */
  readonly blob?: string;
  readonly size: number;
  readonly digest: string;
  /** `unlisted`: a dynamic skill, whose files have no digests. */
  readonly verdict: 'verified' | 'unlisted' | 'mismatch';
  /** What differs from the entry. */
  readonly problems: readonly string[];
}
