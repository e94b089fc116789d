/** Variants of skills, apps and tasks of the extension, written from their texts before the checks were read. */

import { isRecord, type JsonObject } from '../../../../../src/jsonrpc/message.js';
import { createExtensionServer } from '../../extension-server.js';
import { type TaskFaults, taskServer } from '../../task-server.js';
import { error, result, tool, without } from '../change.js';
import { type Mutation, mutatedPipe } from '../harness.js';
import { COMPLETE, failure, instead, m, paramsOf } from './pieces.js';

const SKILLS = 'io.modelcontextprotocol/skills';
const broken = (id: string, name: string, change: Partial<Mutation>): Mutation =>
  m(id, name, { pipe: mutatedPipe(change, createExtensionServer) });
const records = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];
/** Changes every entry, in the list and alone. */
const entries = (change: (skill: JsonObject) => JsonObject): Partial<Mutation> => ({
  out: (message, asked) => {
    if (!isRecord(message.result)) return message;
    const given = message.result;
    if (asked?.method === 'skills/list')
      return { ...message, result: { ...given, skills: records(given.skills).map(change) } };
    if (asked?.method === 'skills/get' && isRecord(given.skill))
      return { ...message, result: { ...given, skill: change(given.skill) } };
    return message;
  },
});
const files = (change: (files: readonly JsonObject[]) => readonly JsonObject[]): Partial<Mutation> =>
  entries((skill) => ({ ...skill, resources: change(records(skill.resources)) }));
const declared = (change: (capabilities: JsonObject) => JsonObject): Partial<Mutation> =>
  result('server/discover', (given) => ({
    ...given,
    capabilities: change(isRecord(given.capabilities) ? given.capabilities : {}),
  }));
const read = (
  fits: (uri: string) => boolean,
  change: (content: JsonObject) => JsonObject,
): Partial<Mutation> =>
  result('resources/read', (given, asked) =>
    fits(String(asked.params.uri)) ? { ...given, contents: records(given.contents).map(change) } : given,
  );
const isPage = (uri: string): boolean => uri.startsWith('ui://');
const app = (change: (ui: JsonObject) => JsonObject): Partial<Mutation> =>
  tool('sales', (given) => {
    const meta = isRecord(given._meta) ? given._meta : {};
    return { ...given, _meta: { ui: change(isRecord(meta.ui) ? meta.ui : {}) } };
  });

const OF_SKILLS: readonly Mutation[] = [
  broken('396', 'skills/list is not served', {
    ...instead(
      ({ method }) => method === 'skills/list',
      () => failure(-32601),
    ),
  }),
  broken('396', 'skills/get is not served', {
    ...instead(
      ({ method }) => method === 'skills/get',
      () => failure(-32601),
    ),
  }),
  broken(
    '396',
    'resources are not declared',
    declared((given) => without(given, 'resources')),
  ),
  broken('396', 'skills/get returns another skill', {
    ...result('skills/get', (given) => ({
      ...given,
      skill: { ...(isRecord(given.skill) ? given.skill : {}), uri: 'skill://other/SKILL.md' },
    })),
  }),
  broken('397', 'digests are of something else', {
    ...files((given) => given.map((file) => ({ ...file, digest: `sha256:${'0'.repeat(64)}` }))),
  }),
  broken('397', 'digests are in capitals', {
    ...files((given) => given.map((file) => ({ ...file, digest: String(file.digest).toUpperCase() }))),
  }),
  broken('397', 'sizes count characters of base64', {
    ...files((given) => given.map((file) => ({ ...file, size: Math.ceil(Number(file.size) / 3) * 4 }))),
  }),
  broken('397', 'a file has changed since it was listed', {
    ...read(
      (uri) => uri.endsWith('checklist.md'),
      (content) => ({ ...content, text: `${String(content.text)}\nOne more line.` }),
    ),
  }),
  broken('398', 'the description is another', {
    ...entries((skill) => ({
      ...skill,
      frontmatter: { ...(isRecord(skill.frontmatter) ? skill.frontmatter : {}), description: 'Another one.' },
    })),
  }),
  broken('398', 'the frontmatter is a part of it', {
    ...entries((skill) => {
      const { name } = isRecord(skill.frontmatter) ? skill.frontmatter : {};
      return { ...skill, frontmatter: { name } };
    }),
  }),
  broken('398', 'a skill is not named like its directory', {
    ...entries((skill) => ({
      ...skill,
      frontmatter: { ...(isRecord(skill.frontmatter) ? skill.frontmatter : {}), name: 'another-name' },
    })),
  }),
  broken('399', 'unknown skills get -32002', {
    ...error((given, asked) => (asked?.method === 'skills/get' ? { ...given, code: -32002 } : given)),
  }),
  broken('399', 'unknown skills are empty', {
    ...instead(
      (message) => message.method === 'skills/get' && !String(paramsOf(message).uri).includes('code-review'),
      () => ({ result: { ...COMPLETE, ttlMs: 0, cacheScope: 'private', skill: {} } }),
    ),
  }),
  broken(
    '412',
    'skills/list lacks ttlMs',
    result('skills/list', (given) => without(given, 'ttlMs')),
  ),
  broken(
    '412',
    'skills/get lacks cacheScope',
    result('skills/get', (given) => without(given, 'cacheScope')),
  ),
  broken('412', 'directory/read lacks resultType', {
    ...result('resources/directory/read', (given) => without(given, 'resultType')),
  }),
  broken(
    '413',
    'an entry lacks resources',
    entries((skill) => without(skill, 'resources')),
  ),
  broken(
    '413',
    'resources are an object',
    entries((skill) => ({ ...skill, resources: {} })),
  ),
  broken('414', 'SKILL.md is not listed', {
    ...files((given) => given.filter(({ uri }) => !String(uri).endsWith('SKILL.md'))),
  }),
  broken(
    '414',
    'a file is listed twice',
    files((given) => [...given, ...given.slice(0, 1)]),
  ),
  broken('414', 'a file of another directory', {
    ...files((given) => [...given, { ...given[0], uri: 'skill://elsewhere/file.md' }]),
  }),
  broken('415', 'directories cannot be read', {
    ...instead(
      ({ method }) => method === 'resources/directory/read',
      () => failure(-32601),
    ),
  }),
  broken('415', 'files are directories', {
    ...instead(
      (message) =>
        message.method === 'resources/directory/read' && String(paramsOf(message).uri).endsWith('.md'),
      () => ({ result: { ...COMPLETE, resources: [] } }),
    ),
  }),
  broken('415', 'missing directories are empty', {
    ...instead(
      (message) =>
        message.method === 'resources/directory/read' &&
        !String(paramsOf(message).uri).includes('code-review'),
      () => ({ result: { ...COMPLETE, resources: [] } }),
    ),
  }),
  broken('391', 'skills are declared without a prefix', {
    ...declared((given) => ({ ...given, extensions: { skills: {} } })),
  }),
  broken('069', 'the setting of skills is a list', {
    ...declared((given) => ({
      ...given,
      extensions: { ...(isRecord(given.extensions) ? given.extensions : {}), [SKILLS]: [] },
    })),
  }),
];

const OF_APPS: readonly Mutation[] = [
  broken('393', 'a tool with a page returns no content', {
    ...result('tools/call', (given, asked) =>
      asked.params.name === 'sales' ? { ...given, content: [] } : given,
    ),
  }),
  broken(
    '394',
    'the page is plain HTML',
    read(isPage, (content) => ({ ...content, mimeType: 'text/html' })),
  ),
  broken(
    '394',
    'the page is at https',
    app((ui) => ({ ...ui, resourceUri: 'https://example.com/chart' })),
  ),
  broken(
    '416',
    'the page does not exist',
    app((ui) => ({ ...ui, resourceUri: 'ui://nothing' })),
  ),
  broken(
    '416',
    'the page is empty',
    read(isPage, (content) => ({ ...content, text: '' })),
  ),
  broken(
    '417',
    'visibility is a text',
    app((ui) => ({ ...ui, visibility: 'model' })),
  ),
  broken(
    '417',
    'visibility names people',
    app((ui) => ({ ...ui, visibility: ['user'] })),
  ),
];

const task = (id: string, name: string, faults: TaskFaults): Mutation => ({
  id,
  name,
  revision: 5,
  pipe: taskServer(faults),
});
const results = (method: string, change: (result: JsonObject) => JsonObject): TaskFaults => ({
  change: (given, answer) =>
    given === method && isRecord(answer.result) ? { result: change(answer.result) } : answer,
});

const OF_TASKS: readonly Mutation[] = [
  task('420', 'unknown answers are an error', {
    change: (method, answer, params) =>
      method === 'tasks/update' &&
      isRecord(params.inputResponses) &&
      Object.keys(params.inputResponses).some((key) => key !== 'first' && key !== 'second')
        ? { error: { code: -32602, message: 'unknown key' } }
        : answer,
  }),
  task(
    '421',
    'a new task has no ttlMs',
    results('tools/call', (given) => without(given, 'ttlMs')),
  ),
  task(
    '421',
    'a new task has no times',
    results('tools/call', (given) => without(given, 'createdAt')),
  ),
  task('421', 'a new task has its result', {
    ...results('tools/call', (given) => ({ ...given, result: { content: [] } })),
  }),
  task('421', 'the status of a new task is unknown', {
    ...results('tools/call', (given) => ({ ...given, status: 'queued' })),
  }),
  task('330', 'tasks/update says that it is a task', {
    ...results('tasks/update', (given) => ({ ...given, resultType: 'task' })),
  }),
  task('332', 'a waiting task asks with a list', {
    ...results('tasks/get', (given) =>
      given.status === 'input_required' ? { ...given, inputRequests: [] } : given,
    ),
  }),
  task('334', 'tasks/update returns the task', {
    ...results('tasks/update', (given) => ({ ...given, taskId: 'x', status: 'working' })),
  }),
  task('335', 'an unknown task is completed', {
    change: (method, answer) =>
      method === 'tasks/get' && isRecord(answer.error) && answer.error.code === -32602
        ? { result: { resultType: 'complete', taskId: 'x', status: 'completed', result: { content: [] } } }
        : answer,
  }),
  task(
    '330',
    'tasks/get has no resultType',
    results('tasks/get', (given) => without(given, 'resultType')),
  ),
];

export const EXTENSION_VARIANTS: readonly Mutation[] = [...OF_SKILLS, ...OF_APPS, ...OF_TASKS];
