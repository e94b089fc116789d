/** Skills: what is listed, and what is served. */

import { createHash } from 'node:crypto';
import { INVALID_PARAMS } from '../../../jsonrpc/codes.js';
import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { records, textOf } from '../../catalogue.js';
import { type Check, ownCheck } from '../../check.js';
import type { Probe } from '../../probe.js';
import { outcomeOf, type WireReply } from '../../session/reply.js';
import type { ValidatorSession } from '../../session/session.js';
import { expectError } from '../expect.js';

const EXTENSION = 'io.modelcontextprotocol/skills';
const IDS = '396 397 398 399 412 413 414 415';
const MAX_SKILLS = 5;
const MAX_PAGES = 10;

export const skillChecks: readonly Check[] = [
  ownCheck(IDS, async (probe) => {
    const { extensions } = probe.catalogue.capabilities;
    const settings = isRecord(extensions) ? extensions[EXTENSION] : undefined;
    if (settings === undefined) return probe.skipAll(IDS, 'the server has no skills');
    const { session } = await probe.open();
    const list = await session.request('skills/list');
    const ok = list.kind === 'result' && Array.isArray(list.result.skills) && probe.declares('resources');
    probe.judge('396', ok, `skills/list: ${outcomeOf(list)}`, 'skills, and the resources capability', list);
    cacheable(probe, list);
    const unknown = await session.request('skills/get', { uri: 'skill://plumb/no/SKILL.md' });
    expectError(probe, '399', unknown, [INVALID_PARAMS], 'An unknown skill');
    const skills = await everySkill(session, list);
    for (const skill of skills.slice(0, MAX_SKILLS)) await judgeSkill(probe, session, skill, list);
    probe.skipAll('397 398 413 414', 'no skill lists its files');
    await judgeDirectories(probe, session, settings, skills);
  }),
];

function cacheable(probe: Probe, reply: WireReply): void {
  if (reply.kind !== 'result') return;
  const { resultType, ttlMs, cacheScope } = reply.result;
  const ok =
    resultType === 'complete' &&
    Number.isInteger(ttlMs) &&
    (cacheScope === 'public' || cacheScope === 'private');
  probe.judge('412', ok, 'A result without its hints', 'resultType, ttlMs and cacheScope', reply);
}

async function everySkill(session: ValidatorSession, first: WireReply): Promise<readonly JsonObject[]> {
  const skills: JsonObject[] = [];
  let page: WireReply = first;
  for (let pages = 0; page.kind === 'result' && pages < MAX_PAGES; pages += 1) {
    skills.push(...records(page.result.skills));
    if (typeof page.result.nextCursor !== 'string') break;
    page = await session.request('skills/list', { cursor: page.result.nextCursor });
  }
  return skills;
}

async function judgeSkill(
  probe: Probe,
  session: ValidatorSession,
  skill: JsonObject,
  list: WireReply,
): Promise<void> {
  const uri = textOf(skill, 'uri');
  const got = await session.request('skills/get', { uri });
  const found = got.kind === 'result' && isRecord(got.result.skill) && got.result.skill.uri === uri;
  probe.judge('396', found, `skills/get: ${outcomeOf(got)}`, 'the skill', got);
  cacheable(probe, got);
  const name = isRecord(skill.frontmatter) ? textOf(skill.frontmatter, 'name') : '';
  const folder = uri.replace(/\/SKILL\.md$/, '');
  const named = uri.endsWith('/SKILL.md') && folder.split('/').at(-1) === name;
  probe.judge('398', named, `The skill ${name} lies in another directory`, 'a directory of that name', list);
  await judgeFrontmatter(probe, session, skill);
  const { resources } = skill;
  probe.judge(
    '413',
    Array.isArray(resources) || resources === 'dynamic',
    `The skill ${name} has no resources`,
    'an array, or "dynamic"',
    list,
  );
  if (!Array.isArray(resources)) return;
  const uris = records(resources).map((file) => textOf(file, 'uri'));
  const whole =
    uris.includes(uri) &&
    new Set(uris).size === uris.length &&
    uris.every((file) => file.startsWith(`${folder}/`));
  probe.judge(
    '414',
    whole,
    `The files of ${name} are not complete`,
    'every file once, inside its directory',
    list,
  );
  for (const file of records(resources).slice(0, MAX_SKILLS))
    probe.judge(
      '397',
      await matches(session, file),
      `${textOf(file, 'uri')} does not match its digest`,
      'digest and size of the very bytes',
      list,
    );
}

/** Name and description stand in the file as they stand in the list. */
async function judgeFrontmatter(probe: Probe, session: ValidatorSession, skill: JsonObject): Promise<void> {
  const reply = await session.request('resources/read', { uri: textOf(skill, 'uri') });
  const [contents] = reply.kind === 'result' ? records(reply.result.contents) : [];
  const head = /^---\r?\n([\s\S]*?)\r?\n---/.exec(textOf(contents ?? {}, 'text'))?.[1];
  const frontmatter = isRecord(skill.frontmatter) ? skill.frontmatter : {};
  const field = (name: string): string =>
    new RegExp(`^${name}:[ \\t]*["']?(.*?)["']?[ \\t]*$`, 'm').exec(head ?? '')?.[1] ?? '';
  // A text over several lines is left to readers of YAML.
  const plain = (name: string): boolean => !/^[|>]/.test(field(name)) && field(name) !== '';
  const same = ['name', 'description'].every(
    (name) => !plain(name) || field(name) === textOf(frontmatter, name),
  );
  probe.judge(
    '398',
    head !== undefined && same,
    'The frontmatter in the list is not that of SKILL.md',
    'the same fields',
    reply,
  );
}

async function judgeDirectories(
  probe: Probe,
  session: ValidatorSession,
  settings: unknown,
  skills: readonly JsonObject[],
): Promise<void> {
  const [skill] = skills;
  if (!isRecord(settings) || settings.directoryRead !== true || skill === undefined)
    return probe.skip('415', 'the server does not declare directoryRead');
  const uri = textOf(skill, 'uri');
  const read = await session.request('resources/directory/read', { uri: uri.replace(/\/SKILL\.md$/, '') });
  probe.judge(
    '415',
    read.kind === 'result' && Array.isArray(read.result.resources),
    `resources/directory/read: ${outcomeOf(read)}`,
    'the files of the directory',
    read,
  );
  if (read.kind === 'result')
    probe.judge(
      '412',
      read.result.resultType === 'complete',
      'directory/read without resultType',
      'complete',
      read,
    );
  const file = await session.request('resources/directory/read', { uri });
  expectError(probe, '415', file, [INVALID_PARAMS], 'A file in place of a directory');
  const missing = await session.request('resources/directory/read', {
    uri: 'skill://plumb/no/such/directory',
  });
  expectError(probe, '415', missing, [INVALID_PARAMS], 'A directory that does not exist');
}

async function matches(session: ValidatorSession, file: JsonObject): Promise<boolean> {
  const reply = await session.request('resources/read', { uri: file.uri });
  const [contents] = reply.kind === 'result' ? records(reply.result.contents) : [];
  if (contents === undefined) return false;
  const bytes =
    typeof contents.blob === 'string'
      ? Buffer.from(contents.blob, 'base64')
      : Buffer.from(textOf(contents, 'text'));
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return file.digest === digest && file.size === bytes.length;
}
