/** Skills for the page: every listed entry, usable or not, and single files, read when asked for and compared with it. */

import { bytesOf, listedSkills } from '../../client/features/skill-reader.js';
import type { CallOptions, Client } from '../../client/index.js';
import { digestOf } from '../../extensions/skills/digest.js';
import { directoryOf, isInside } from '../../extensions/skills/entry.js';
import { differingFields, parseManifest } from '../../extensions/skills/manifest.js';
import { type Skill, skills } from '../../extensions/skills/skills.js';
import { isRecord } from '../../jsonrpc/message.js';
import type { Resource } from '../../protocol/model/resources.js';
import type { InspectedSkill, SkillFileView } from '../api.js';
import { invalid } from '../failure.js';

export async function inspectedSkills(client: Client, options: CallOptions): Promise<InspectedSkill[]> {
  const found: InspectedSkill[] = [];
  for await (const { given, ...parsed } of listedSkills(client, options))
    found.push(parsed.problem === undefined ? shown(parsed.skill) : unusable(given, parsed.problem));
  return found;
}

function shown({ uri, frontmatter, resources }: Skill): InspectedSkill {
  const { name, description } = frontmatter;
  return { uri, name, description, frontmatter, files: resources };
}

/** As much of it as can be shown. */
function unusable(given: unknown, problem: string): InspectedSkill {
  const entry = isRecord(given) ? given : {};
  const frontmatter = isRecord(entry.frontmatter) ? entry.frontmatter : {};
  const { name, description } = frontmatter;
  const uri = typeof entry.uri === 'string' ? entry.uri : '(no uri)';
  return {
    uri,
    name: typeof name === 'string' ? name : uri,
    description: typeof description === 'string' ? description : '',
    frontmatter,
    files: [],
    problem,
  };
}

/** The direct children of a directory of a dynamic skill. */
export async function skillDirectory(client: Client, uri: string): Promise<readonly Resource[]> {
  const { resources } = await client.extension(skills).request('resources/directory/read', { uri });
  const listed: readonly unknown[] = Array.isArray(resources) ? resources : [];
  return listed.filter(isResource);
}

function isResource(value: unknown): value is Resource {
  return isRecord(value) && typeof value.uri === 'string';
}

/** The entry is fetched again with each file: it says what the file has to be at this moment. */
export async function readSkillFile(client: Client, skill: string, uri: string): Promise<SkillFileView> {
  const entry = await client.skills.get(skill);
  if (!isInside(uri, directoryOf(entry.uri) ?? entry.uri)) throw invalid(`${uri} is not inside the skill`);
  const result = await client.resources.read(uri, { cache: 'reload' });
  const bytes = bytesOf(uri, result);
  const content = result.contents.find((one) => one.uri === uri) ?? result.contents[0];
  const digest = await digestOf(bytes);
  const problems: string[] = [];
  if (entry.resources !== 'dynamic') {
    const listed = entry.resources.find((file) => file.uri === uri);
    if (listed === undefined) problems.push('The entry of the skill does not name this file.');
    else {
      if (listed.size !== bytes.byteLength)
        problems.push(`It has ${bytes.byteLength} bytes; its entry says ${listed.size}.`);
      if (listed.digest !== digest)
        problems.push(`Its digest is ${digest}; its entry says ${listed.digest}.`);
    }
  }
  if (uri === entry.uri) problems.push(...manifestProblems(bytes, entry));
  const mimeType = content?.mimeType;
  return {
    uri,
    size: bytes.byteLength,
    digest,
    problems,
    verdict: problems.length > 0 ? 'mismatch' : entry.resources === 'dynamic' ? 'unlisted' : 'verified',
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(content === undefined ? {} : 'text' in content ? { text: content.text } : { blob: content.blob }),
  };
}

function manifestProblems(bytes: Uint8Array<ArrayBuffer>, { frontmatter }: Skill): readonly string[] {
  const manifest = parseManifest(new TextDecoder().decode(bytes));
  if (manifest.problem !== undefined) return [`${manifest.problem}.`];
  return differingFields(manifest.frontmatter, frontmatter).map(
    (field) => `The field ${field} of its frontmatter differs from the entry.`,
  );
}
