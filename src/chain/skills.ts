/**
 * Skills of several servers: entries, files and directories get the URIs that a gateway publishes. Two servers with the
 * same URI have two skills. Bytes, digests and frontmatter stay as they are.
 */

import { skills } from '../extensions/skills/skills.js';
import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { invalidParams, ProtocolError } from '../protocol/errors.js';
import type { ChainExtension, ExtensionServer } from './extensions.js';
import { ownUri, publishedUri } from './server-uris.js';

const MAX_PAGES = 100;
const MAX_SKILLS = 5_000;

export const chainSkills: ChainExtension = {
  extension: skills,
  methods: {
    'skills/list': (params, _ctx, servers) => {
      const [first] = servers;
      if (first?.isAlone === true) return first.request('skills/list', params);
      return listAll(servers);
    },
    'skills/get': (params, _ctx, servers) =>
      askOwner('skills/get', params, servers, (server, result) => ({
        ...result,
        skill: seenSkill(server.name, result.skill),
      })),
    'resources/directory/read': (params, _ctx, servers) =>
      askOwner('resources/directory/read', params, servers, (server, result) => ({
        ...result,
        resources: Array.isArray(result.resources)
          ? result.resources.map((resource) => seenUri(server.name, resource))
          : result.resources,
      })),
  },
};

async function listAll(servers: readonly ExtensionServer[]): Promise<JsonObject> {
  const outcomes = await Promise.allSettled(servers.map(pagesOf));
  const pages = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (pages.length === 0 && failed !== undefined) throw failed.reason;
  const lifetimes = pages.flatMap(({ ttlMs }) => (typeof ttlMs === 'number' ? [ttlMs] : [0]));
  const isPublic = failed === undefined && pages.every(({ cacheScope }) => cacheScope === 'public');
  return {
    skills: pages.flatMap((page) => page.skills).slice(0, MAX_SKILLS),
    // A server that failed may answer at once.
    ttlMs: failed === undefined ? Math.min(...lifetimes) : 0,
    cacheScope: isPublic ? 'public' : 'private',
  };
}

interface SkillPage {
  readonly skills: readonly unknown[];
  readonly ttlMs: unknown;
  readonly cacheScope: unknown;
}

async function pagesOf(server: ExtensionServer): Promise<readonly SkillPage[]> {
  const pages: SkillPage[] = [];
  const cursors = new Set<unknown>([undefined]);
  let cursor: unknown;
  do {
    cursors.add(cursor);
    const page = await server.request('skills/list', cursor === undefined ? {} : { cursor });
    const items: readonly unknown[] = Array.isArray(page.skills) ? page.skills : [];
    pages.push({
      skills: items.map((skill) => seenSkill(server.name, skill)),
      ttlMs: page.ttlMs,
      cacheScope: page.cacheScope,
    });
    cursor = page.nextCursor;
  } while (!cursors.has(cursor) && pages.length < MAX_PAGES);
  return pages;
}

/** Whose it is by its first segment; the server's own spelling works too while only one server has it. */
async function askOwner(
  method: string,
  params: JsonObject,
  servers: readonly ExtensionServer[],
  seen: (server: ExtensionServer, result: JsonObject) => JsonObject,
): Promise<JsonObject> {
  const { uri } = params;
  if (typeof uri !== 'string') throw invalidParams('"uri" must be a string');
  const [first] = servers;
  if (first?.isAlone === true) return first.request(method, params);
  for (const server of servers) {
    const own = ownUri(server.name, uri);
    if (own !== undefined) return seen(server, await server.request(method, { ...params, uri: own }));
  }
  const answers = await Promise.allSettled(servers.map((server) => server.request(method, params)));
  const [found, ...others] = servers.flatMap((server, index) => {
    const answer = answers[index];
    return answer?.status === 'fulfilled' ? [{ server, result: answer.value }] : [];
  });
  if (found !== undefined && others.length === 0) return seen(found.server, found.result);
  const trouble = answers.find((answer) => answer.status === 'rejected' && !isUnknown(answer.reason));
  if (found === undefined && trouble?.status === 'rejected') throw trouble.reason;
  throw invalidParams(
    found === undefined
      ? `No server behind this gateway has ${uri}; skills/list shows what there is`
      : `Several servers have ${uri}; put the name of the server first: ${publishedUri(found.server.name, uri)}`,
  );
}

function isUnknown(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === 'invalid_params';
}

function seenSkill(server: string, skill: unknown): unknown {
  if (!isRecord(skill)) return skill;
  const { resources } = skill;
  const files = Array.isArray(resources) ? resources.map((file) => seenUri(server, file)) : resources;
  return { ...seenUri(server, skill), ...(files === undefined ? {} : { resources: files }) };
}

function seenUri<Item>(server: string, item: Item): Item {
  return isRecord(item) && typeof item.uri === 'string'
    ? { ...item, uri: publishedUri(server, item.uri) }
    : item;
}
