/**
 * The Skills extension: folders of instructions that a server offers, each with a SKILL.md, read like resources and
 * checked against the digests of their entry.
 */

import { defineExtension, type Extension, type SettingsRule } from '../extension.js';

const SKILLS_ID = 'io.modelcontextprotocol/skills';

/** A file of a skill. */
export interface SkillFile {
  readonly uri: string;
  /** `sha256:` and 64 lower-case hexadecimal digits, of the bytes of the file. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
}

/** The head of a SKILL.md: what its YAML says, unchanged. */
export interface SkillFrontmatter {
  readonly name: string;
  readonly description: string;
  readonly [field: string]: unknown;
}

/** An entry of `skills/list`. */
export interface Skill {
  /** Of its SKILL.md. */
  readonly uri: string;
  readonly frontmatter: SkillFrontmatter;
  /** Every file, SKILL.md included; `dynamic` where files have no stable digests. */
  readonly resources: readonly SkillFile[] | 'dynamic';
}

/** What every host accepts, and no server should exceed. */
export const SKILL_LIMITS = { files: 512, bytes: 16_777_216 } as const;

/** A directory can be read through a gateway only if every server can list its directories. */
const everyDirectoryRead: SettingsRule = (declared) =>
  declared.every(({ directoryRead }) => directoryRead === true) ? { directoryRead: true } : {};

const SETTINGS = {
  type: 'object',
  properties: { directoryRead: { type: 'boolean' } },
  additionalProperties: true,
} as const;

const PAGE = {
  type: 'object',
  properties: { cursor: { type: 'string' } },
  additionalProperties: true,
} as const;

const AT_URI = {
  type: 'object',
  properties: { uri: { type: 'string' }, cursor: { type: 'string' } },
  required: ['uri'],
  additionalProperties: true,
} as const;

export interface SkillsShape {
  readonly id: typeof SKILLS_ID;
  readonly client: 'optional';
  readonly eras: readonly ['stateless'];
  readonly settings: { readonly server: typeof SETTINGS };
  readonly methods: {
    readonly 'skills/list': { readonly params: typeof PAGE };
    readonly 'skills/get': { readonly params: typeof AT_URI };
    readonly 'resources/directory/read': { readonly params: typeof AT_URI };
  };
  readonly merge: SettingsRule;
}

/** The extension for skills; `server.skills(folder)` and `client.skills` use it. */
export const skills: Extension<SkillsShape> = defineExtension({
  id: SKILLS_ID,
  // Clients declare nothing: they see that the server does.
  client: 'optional',
  eras: ['stateless'],
  settings: { server: SETTINGS },
  methods: {
    'skills/list': { params: PAGE },
    'skills/get': { params: AT_URI },
    'resources/directory/read': { params: AT_URI },
  },
  merge: everyDirectoryRead,
});
