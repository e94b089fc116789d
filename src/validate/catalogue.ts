/** What a server says it has, in one revision. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { mirroredParameters, parameterHeaders } from '../protocol/mirrored-headers.js';
import type { WireReply } from './session/reply.js';
import type { ValidatorSession } from './session/session.js';

export interface ObservedCatalogue {
  /** The result that named the capabilities: of `initialize` or `server/discover`. */
  readonly greeting: JsonObject;
  readonly capabilities: JsonObject;
  readonly tools: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  /** Every page of every list, by method. */
  readonly pages: ReadonlyMap<string, readonly WireReply[]>;
}

export const LISTS = [
  { method: 'tools/list', field: 'tools', capability: 'tools' },
  { method: 'resources/list', field: 'resources', capability: 'resources' },
  { method: 'resources/templates/list', field: 'resourceTemplates', capability: 'resources' },
  { method: 'prompts/list', field: 'prompts', capability: 'prompts' },
] as const;

const MAX_PAGES = 40;

/** Lists everything, declared or not: what is served without being declared is a finding. */
export async function explore(session: ValidatorSession, greeting: JsonObject): Promise<ObservedCatalogue> {
  const pages = new Map<string, readonly WireReply[]>();
  for (const { method } of LISTS) pages.set(method, await listPages(session, method));
  const catalogue = catalogueOf(greeting, pages);
  knowParameterHeaders(session, catalogue);
  return catalogue;
}

export function catalogueOf(
  greeting: JsonObject,
  pages: ReadonlyMap<string, readonly WireReply[]>,
): ObservedCatalogue {
  const items = (method: string, field: string): readonly JsonObject[] =>
    (pages.get(method) ?? []).flatMap((reply) =>
      reply.kind === 'result' ? records(reply.result[field]) : [],
    );
  return {
    greeting,
    capabilities: isRecord(greeting.capabilities) ? greeting.capabilities : {},
    tools: items('tools/list', 'tools'),
    resources: items('resources/list', 'resources'),
    templates: items('resources/templates/list', 'resourceTemplates'),
    prompts: items('prompts/list', 'prompts'),
    pages,
  };
}

/** Every page of a list. */
export async function listPages(session: ValidatorSession, method: string): Promise<readonly WireReply[]> {
  const replies: WireReply[] = [];
  let cursor: unknown;
  do {
    const reply = await session.request(method, cursor === undefined ? {} : { cursor });
    replies.push(reply);
    const next = reply.kind === 'result' ? reply.result.nextCursor : undefined;
    // A cursor that repeats would page for ever.
    cursor = next === cursor ? undefined : next;
  } while (typeof cursor === 'string' && replies.length < MAX_PAGES);
  return replies;
}

/** Over HTTP, calls of annotated tools repeat arguments in headers. */
export function knowParameterHeaders(session: ValidatorSession, catalogue: ObservedCatalogue): void {
  session.parameterHeaders = (name, args) => {
    const schema = catalogue.tools.find((tool) => tool.name === name)?.inputSchema;
    const mirrored = isRecord(schema) ? mirroredParameters(schema) : undefined;
    return mirrored?.ok === true ? parameterHeaders(mirrored.parameters, args) : {};
  };
}

export function records(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Text fields of objects that came from a stranger. */
export function textOf(object: JsonObject, field: string): string {
  const value = object[field];
  return typeof value === 'string' ? value : '';
}
