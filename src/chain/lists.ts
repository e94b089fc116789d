/** The lists of a chain: those of a server alone pass page by page, those of several become one. */

import type { Relay } from '../client/relay.js';
import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { ownResult } from '../middleware/subject.js';
import { ProtocolError } from '../protocol/errors.js';
import { type Answer, resultOf } from '../protocol/revisions/result-text.js';
import type { CallContext } from '../server/context.js';
import { ContextAsker, forward, type Relayed, relayed } from './forward.js';
import type { Instance } from './instance.js';
import type { Member, NamedKind, Upstreams } from './upstreams.js';

export interface ListSpec {
  readonly method: string;
  readonly field: 'tools' | 'prompts' | 'resources' | 'resourceTemplates';
  readonly capability: 'tools' | 'prompts' | 'resources';
}

export const LIST_SPECS: readonly ListSpec[] = [
  { method: 'tools/list', field: 'tools', capability: 'tools' },
  { method: 'prompts/list', field: 'prompts', capability: 'prompts' },
  { method: 'resources/list', field: 'resources', capability: 'resources' },
  { method: 'resources/templates/list', field: 'resourceTemplates', capability: 'resources' },
];

const MAX_PAGES = 1000;

export class Lists {
  readonly #upstreams: Upstreams;
  readonly #onError: (error: unknown, method: string) => void;
  /** Input schemas by published name: some arguments also travel in headers. */
  readonly #schemas = new Map<string, unknown>();

  constructor(upstreams: Upstreams, onError: (error: unknown, method: string) => void) {
    this.#upstreams = upstreams;
    this.#onError = onError;
  }

  inputSchema(tool: string): unknown {
    return this.#schemas.get(tool);
  }

  async list(spec: ListSpec, params: JsonObject, ctx: CallContext): Promise<Answer> {
    const { only } = this.#upstreams;
    if (only !== undefined) {
      const answer = await fetchPage(only, spec, params, ctx, forward);
      const page = resultOf(answer);
      const published = this.#publish(spec, only, page);
      // What needs no change goes on as it was written.
      return published === page ? answer : published;
    }
    const members = this.#upstreams.with(spec.capability);
    const pages = await Promise.allSettled(
      members.map((member) => this.#fetchAll(spec, member, withoutCursor(params), ctx)),
    );
    const lists: MemberPages[] = [];
    for (const [index, outcome] of pages.entries()) {
      const member = members[index];
      if (outcome.status === 'fulfilled' && member !== undefined)
        lists.push({ member, pages: outcome.value });
      // The others are still there, and the client cannot do anything about this one.
      else if (outcome.status === 'rejected') this.#onError(outcome.reason, spec.method);
    }
    if (lists.length === 0 && pages[0]?.status === 'rejected') throw pages[0].reason;
    if (spec.field === 'tools' || spec.field === 'prompts') this.#settleNames(spec.field, lists);
    return merge(
      spec,
      lists.flatMap((list) => list.pages),
    );
  }

  async #fetchAll(
    spec: ListSpec,
    member: Member,
    params: JsonObject,
    ctx: CallContext,
  ): Promise<JsonObject[]> {
    const pages: JsonObject[] = [];
    let cursor: unknown;
    do {
      const page = await fetchPage(
        member,
        spec,
        cursor === undefined ? params : { ...params, cursor },
        ctx,
        request,
      );
      pages.push({ ...this.#publish(spec, member, page) });
      cursor = page.nextCursor;
    } while (cursor !== undefined && pages.length < MAX_PAGES);
    return pages;
  }

  /** The page with the names that clients see; the same object where nothing changes. */
  #publish(spec: ListSpec, member: Member, page: JsonObject): JsonObject {
    const items = page[spec.field];
    if (!Array.isArray(items)) return page;
    let changed = false;
    const published: unknown[] = [];
    for (const item of items) {
      const shown = isRecord(item) ? this.#show(spec, member, item) : item;
      if (shown !== item) changed = true;
      if (shown !== undefined) published.push(shown);
    }
    const own = member.upstream.isIsolated ? ownResult(page) : page;
    return changed ? { ...own, [spec.field]: published } : own;
  }

  #show({ field }: ListSpec, member: Member, item: JsonObject): JsonObject | undefined {
    if (field === 'tools' || field === 'prompts') return this.#showNamed(field, member, item);
    const uri = field === 'resources' ? item.uri : item.uriTemplate;
    if (typeof uri !== 'string') return item;
    const isShown =
      field === 'resources'
        ? this.#upstreams.sawResource(uri, member)
        : this.#upstreams.sawTemplate(uri, member);
    return isShown ? item : undefined;
  }

  #showNamed(kind: NamedKind, member: Member, item: JsonObject): JsonObject | undefined {
    const { name } = item;
    if (typeof name !== 'string') return item;
    const published = member.naming.publish(name);
    if (published === undefined) return undefined;
    if (kind === 'tools') this.#schemas.set(published, item.inputSchema);
    return published === name ? item : { ...item, name: published };
  }

  /** Members come best first, so the first to show a name has it. */
  #settleNames(kind: NamedKind, lists: readonly MemberPages[]): void {
    const taken = new Set<string>();
    for (const { member, pages } of lists) {
      for (const page of pages) {
        const items: readonly unknown[] = Array.isArray(page[kind]) ? page[kind] : [];
        page[kind] = items.filter((item) => {
          const published = isRecord(item) ? item.name : undefined;
          if (typeof published !== 'string') return true;
          if (taken.has(published)) return false;
          taken.add(published);
          const name = member.naming.resolve(published);
          if (name !== undefined) this.#upstreams.sawNamed(kind, published, { ...member, name });
          return true;
        });
      }
    }
  }
}

interface MemberPages {
  readonly member: Member;
  readonly pages: readonly JsonObject[];
}

type Send<T> = (instance: Instance, ctx: CallContext, request: Relayed, relay: Relay) => Promise<T>;

const request: Send<JsonObject> = (instance, ctx, relayedRequest, relay) =>
  instance.request(relayed(ctx, relayedRequest, relay));

async function fetchPage<T>(
  { upstream }: Member,
  { method, field }: ListSpec,
  params: JsonObject,
  ctx: CallContext,
  send: Send<T>,
): Promise<T | JsonObject> {
  const instance = upstream.forCall(ctx);
  const relay = await instance.open();
  try {
    const owner = new ContextAsker(ctx, true);
    return await send(instance, ctx, { method, params, owner, until: ctx.cancellation }, relay);
  } catch (error) {
    // Seen in the wild: a capability that is declared and a list that does not exist.
    if (error instanceof ProtocolError && error.code === 'method_not_found') return { [field]: [] };
    throw error;
  }
}

function withoutCursor({ cursor: _, ...params }: JsonObject): JsonObject {
  return params;
}

/** Fresh for as long as all of it is, and for everybody's eyes only if all of it is. */
function merge({ field }: ListSpec, pages: readonly JsonObject[]): JsonObject {
  const items = pages.flatMap((page) => (Array.isArray(page[field]) ? page[field] : []));
  const ttls = pages.map(({ ttlMs }) => (typeof ttlMs === 'number' && ttlMs > 0 ? ttlMs : 0));
  const isPublic = pages.length > 0 && pages.every(({ cacheScope }) => cacheScope === 'public');
  return {
    [field]: items,
    ttlMs: ttls.length === 0 ? 0 : Math.min(...ttls),
    cacheScope: isPublic ? 'public' : 'private',
  };
}
