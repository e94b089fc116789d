/** The lists of a chain: those of a server alone pass page by page, those of several become one. */

import type { Relay } from '../client/relay.js';
import { declaredSettings } from '../extensions/negotiation.js';
import { tasksExtension } from '../extensions/tasks/definition.js';
import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { ownResult } from '../middleware/subject.js';
import { ProtocolError } from '../protocol/errors.js';
import type { Optional } from '../protocol/given.js';
import type { ListKind } from '../protocol/list-kind.js';
import { type MirroredParameter, mirroredParameters } from '../protocol/mirrored-headers.js';
import type { Revision } from '../protocol/revisions/index.js';
import { type Answer, resultOf } from '../protocol/revisions/result-text.js';
import type { CallContext } from '../server/context.js';
import { Budget, type Charge, textLength, weigh } from '../store/budget.js';
import { ContextAsker, forward, type Relayed, relayed } from './forward.js';
import type { Instance } from './instance.js';
import { LateLists, settleInTime } from './late-lists.js';
import { type ListLimits, type ListNumbers, listNumbers } from './list-limits.js';
import type { ListedEntry } from './listed.js';
import { joined } from './meeting.js';
import { changedMembers, type ListField, mendEntry, mendPage } from './mend.js';
import { ListReports } from './reports.js';
import { listedUri, withOrigins, withPublishedApp } from './server-uris.js';
import { withOwnHandles } from './session-handles.js';
import type { Member, Upstreams } from './upstreams.js';

export interface ListSpec {
  readonly method: string;
  readonly field: ListField;
  readonly capability: ListKind;
}

const SPECS: Readonly<Record<ListField, ListSpec>> = {
  tools: { method: 'tools/list', field: 'tools', capability: 'tools' },
  prompts: { method: 'prompts/list', field: 'prompts', capability: 'prompts' },
  resources: { method: 'resources/list', field: 'resources', capability: 'resources' },
  resourceTemplates: {
    method: 'resources/templates/list',
    field: 'resourceTemplates',
    capability: 'resources',
  },
};

export const LIST_SPECS: readonly ListSpec[] = Object.values(SPECS);

const MAX_SCHEMAS = 10_000;

/** An entry as clients see it. */
interface Entry extends ListedEntry {
  readonly item: JsonObject;
}

interface MemberList {
  readonly member: Member;
  readonly pages: readonly JsonObject[];
  readonly entries: readonly Entry[];
  /** Released when it is merged. */
  readonly charge: Charge;
}

export class Lists {
  readonly #upstreams: Upstreams;
  readonly #onError: (error: unknown, method: string) => void;
  readonly #onChanged: (kind: ListSpec['capability']) => void;
  readonly #reports: ListReports;
  readonly #limits: ListNumbers;
  /** What is charged for lists while they are merged. */
  readonly #merging: Budget;
  readonly #late = new LateLists<MemberList>(({ charge }) => charge.release());
  /** Input schemas by published name: some arguments also travel in headers. */
  readonly #schemas = new Map<string, unknown>();

  /** `onChanged`: a list has become longer by the entries of a server that was late. */
  constructor(
    upstreams: Upstreams,
    onError: (error: unknown, method: string) => void,
    onChanged: (kind: ListSpec['capability']) => void,
    limits: Optional<ListLimits> = {},
  ) {
    this.#upstreams = upstreams;
    this.#onError = onError;
    this.#onChanged = onChanged;
    this.#reports = new ListReports(onError);
    this.#limits = listNumbers(limits);
    const { totalBytes: total } = this.#limits;
    this.#merging = new Budget({ total, perAccount: total });
  }

  /** The arguments of a tool that HTTP headers repeat. */
  mirroredParameters(tool: string): readonly MirroredParameter[] | undefined {
    const schema = this.inputSchema(tool);
    const mirrored = isRecord(schema) ? mirroredParameters(schema) : undefined;
    return mirrored?.ok === true ? mirrored.parameters : undefined;
  }

  inputSchema(tool: string): unknown {
    return this.#schemas.get(tool);
  }

  async list(spec: ListSpec, params: JsonObject, ctx: CallContext): Promise<Answer> {
    const { only } = this.#upstreams;
    if (only !== undefined) return this.#listAlone(spec, only, params, ctx);
    const asked = this.#upstreams.with(spec.capability);
    const members = await joined(asked, ctx, this.#isAnyReady(asked));
    const { lists, failures } = await this.#fetch(spec, members, withoutCursor(params), ctx);
    // Where a server is there and has nothing of this kind, the list is empty, and only the others are missing from it.
    if (lists.length === 0 && failures.length > 0 && !this.#isAnyReady(asked)) throw failures[0];
    const merged = merge(spec, lists, this.#shown(spec, lists));
    for (const { charge } of lists) charge.release();
    return merged;
  }

  /** Has these servers list, for a call that only their lists can place. */
  async learn(field: ListField, members: readonly Member[], ctx: CallContext): Promise<void> {
    if (members.length === 0) return;
    const others = this.#upstreams.members.length > members.length;
    const ready = await joined(members, ctx, others);
    const { lists } = await this.#fetch(SPECS[field], ready, {}, ctx);
    for (const { charge } of lists) charge.release();
  }

  /** Whether one of the servers that are not asked is connected. */
  #isAnyReady(asked: readonly Member[]): boolean {
    return this.#upstreams.members.some((member) => member.upstream.isOpen && !asked.includes(member));
  }

  /** A chain whose servers may change declares lists that its server does not have: those are empty. */
  async #listAlone(spec: ListSpec, only: Member, params: JsonObject, ctx: CallContext): Promise<Answer> {
    const { upstream } = only;
    if (upstream.known === undefined) await upstream.forCall(ctx).open();
    const isServed = upstream.capabilities[spec.capability] !== undefined;
    return isServed ? this.#page(spec, only, params, ctx) : merge(spec, [], []);
  }

  /** What needs no change goes on as it was written. */
  async #page(spec: ListSpec, only: Member, params: JsonObject, ctx: CallContext): Promise<Answer> {
    const { answer, revision } = await fetchPage(only, spec, params, ctx, forward);
    const page = resultOf(answer);
    const mended = mendPage(spec.field, page);
    this.#reportPage(spec, only, page, mended);
    const items = itemsOf(spec, mended);
    const entries = this.#entries(spec, only, items, revision);
    // Its URIs go back to it as it wrote them.
    if (only.naming.isSelective) this.#upstreams.saw(only, spec.field, entries);
    const shown = only.upstream.isIsolated ? ownResult(mended) : mended;
    const isSame =
      entries.length === items.length && entries.every(({ item }, index) => item === items[index]);
    if (isSame) return shown === page ? answer : shown;
    return { ...shown, [spec.field]: entries.map(({ item }) => item) };
  }

  /** The lists of those that answer, best server first. The others are still there, and no client can help the rest. */
  async #fetch(
    spec: ListSpec,
    members: readonly Member[],
    params: JsonObject,
    ctx: CallContext,
  ): Promise<{ lists: MemberList[]; failures: unknown[] }> {
    const { method } = spec;
    const asked = members
      .map((member) => ({ member, instance: member.upstream.forCall(ctx) }))
      .filter(({ instance }) => !this.#late.isAwaited(instance, method))
      .map(({ member, instance }) => {
        const late = this.#late.take(instance, method);
        const list = late === undefined ? this.#fetchAll(spec, member, params, ctx) : Promise.resolve(late);
        return { member, instance, list };
      });
    const outcomes = await settleInTime(asked.map(({ list }) => list));
    const lists: MemberList[] = [];
    const failures: unknown[] = [];
    for (const [index, { member, instance, list }] of asked.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined) this.#await(spec, member, instance, list);
      else if (outcome.status === 'fulfilled') lists.push(outcome.value);
      else failures.push(outcome.reason);
    }
    for (const failure of failures) this.#onError(failure, method);
    for (const { member, entries } of lists) this.#upstreams.saw(member, spec.field, entries);
    return { lists, failures };
  }

  /** The others do not wait for this one; it joins when it answers. */
  #await(spec: ListSpec, member: Member, instance: Instance, list: Promise<MemberList>): void {
    const { method, field, capability } = spec;
    this.#reports.late(member.upstream.name, method);
    const arrived = ({ entries }: MemberList): void => {
      this.#upstreams.saw(member, field, entries);
      this.#onChanged(capability);
    };
    this.#late.expect(instance, method, list, arrived, (error) => this.#onError(error, method));
  }

  async #fetchAll(spec: ListSpec, member: Member, params: JsonObject, ctx: CallContext): Promise<MemberList> {
    const charge = this.#merging.charge(undefined, 0);
    if (charge === undefined) throw tooMuch(spec, member);
    try {
      return await this.#fetchPages(spec, member, params, ctx, charge);
    } catch (error) {
      charge.release();
      // Seen in the wild: a capability that is declared and a list that does not exist.
      if (error instanceof ProtocolError && error.code === 'method_not_found')
        return { member, pages: [], entries: [], charge };
      throw error;
    }
  }

  async #fetchPages(
    spec: ListSpec,
    member: Member,
    params: JsonObject,
    ctx: CallContext,
    charge: Charge,
  ): Promise<MemberList> {
    const limits = this.#limits;
    const pages: JsonObject[] = [];
    const entries: Entry[] = [];
    let bytes = 0;
    let characters = 0;
    const cursors = new Set<unknown>([undefined]);
    let cursor: unknown;
    do {
      const current = cursor === undefined ? params : { ...params, cursor };
      const { answer, revision } = await fetchPage(member, spec, current, ctx, request);
      bytes += weigh(answer, limits.bytes);
      characters += textLength(answer, limits.textBytes);
      const count = entries.length + itemsOf(spec, answer).length;
      const isTooLong = bytes > limits.bytes || characters > limits.textBytes || count > limits.entries;
      if (isTooLong || !charge.resize(bytes)) {
        // What came before it can be shown; a server that begins with too much has nothing that could.
        if (pages.length === 0) throw tooMuch(spec, member);
        this.#reports.deviation(
          member.upstream.name,
          spec.method,
          'its list is too long, and the rest is left out',
        );
        break;
      }
      const page = mendPage(spec.field, answer);
      this.#reportPage(spec, member, answer, page);
      pages.push(member.upstream.isIsolated ? ownResult(page) : page);
      for (const entry of this.#entries(spec, member, itemsOf(spec, page), revision)) entries.push(entry);
      cursors.add(cursor);
      cursor = page.nextCursor;
    } while (!cursors.has(cursor) && pages.length < limits.pages);
    return {
      member,
      pages,
      entries: spec.field === 'tools' ? withOrigins(member, entries) : entries,
      charge,
    };
  }

  /** What is shown of the items of a page, under the names that clients see. */
  #entries(spec: ListSpec, member: Member, items: readonly unknown[], revision: Revision): Entry[] {
    const entries: Entry[] = [];
    for (const [index, item] of items.entries()) {
      const mended = mendEntry(spec.field, item, revision);
      if (mended !== item) this.#report(spec, member, item, index, mended);
      const shown = mended === undefined ? undefined : withTaskSupport(spec, member, mended);
      const entry = shown === undefined ? undefined : entryOf(spec, member, shown);
      if (entry === undefined) continue;
      entries.push(entry);
      if (spec.field === 'tools') this.#keepSchema(entry);
    }
    return entries;
  }

  #keepSchema({ key, item }: Entry): void {
    if (this.#schemas.size >= MAX_SCHEMAS) this.#schemas.clear();
    this.#schemas.set(key, item.inputSchema);
  }

  /** Servers come best first, so the first to show a name or a URI has it. */
  #shown({ method }: ListSpec, lists: readonly MemberList[]): JsonObject[] {
    const taken = new Map<string, string>();
    const items: JsonObject[] = [];
    for (const { member, entries } of lists) {
      const { name } = member.upstream;
      const lost = new Map<string, string[]>();
      for (const { key, item } of entries) {
        const by = taken.get(key);
        if (by === undefined) {
          taken.set(key, name);
          items.push(item);
        } else lost.set(by, [...(lost.get(by) ?? []), key]);
      }
      for (const [by, keys] of lost) this.#reports.taken(name, method, keys, by);
    }
    return items;
  }

  #report(
    { field, method }: ListSpec,
    { upstream }: Member,
    item: unknown,
    index: number,
    mended: JsonObject | undefined,
  ): void {
    const named = isRecord(item) ? (item.name ?? item.uri ?? item.uriTemplate) : undefined;
    const which = typeof named === 'string' ? JSON.stringify(named) : `number ${index + 1}`;
    const what =
      mended === undefined || !isRecord(item)
        ? 'cannot be read by clients and is left out'
        : `was mended (${changedMembers(item, mended).join(', ')})`;
    this.#reports.deviation(upstream.name, method, `${which} of its ${field} ${what}`);
  }

  #reportPage({ method }: ListSpec, { upstream }: Member, page: JsonObject, mended: JsonObject): void {
    if (page === mended) return;
    const wrong = changedMembers(page, mended).map((key) => `"${key}"`);
    this.#reports.deviation(upstream.name, method, `${wrong.join(' and ')} of its answer is not valid`);
  }
}

function tooMuch({ method }: ListSpec, { upstream }: Member): ProtocolError {
  return new ProtocolError(
    'internal_error',
    `The answer of ${upstream.name} to ${method} is too large to be merged`,
  );
}

function itemsOf({ field }: ListSpec, page: JsonObject): readonly unknown[] {
  const items = page[field];
  return Array.isArray(items) ? items : [];
}

function entryOf({ field }: ListSpec, member: Member, item: JsonObject): Entry | undefined {
  const { naming } = member;
  if (field === 'resources' || field === 'resourceTemplates') {
    const name = field === 'resources' ? 'uri' : 'uriTemplate';
    const own = String(item[name]);
    if (!naming.showsAddress(own)) return undefined;
    const key = listedUri(member, own);
    return { key, own, item: key === own ? item : { ...item, [name]: key } };
  }
  const own = String(item.name);
  const key = naming.publish(own);
  if (key === undefined) return undefined;
  const shown = field === 'tools' ? withPublishedApp(member, item) : item;
  return { key, own, item: key === own ? shown : { ...shown, name: key } };
}

type Send<T> = (instance: Instance, ctx: CallContext, request: Relayed, relay: Relay) => Promise<T>;

const request: Send<JsonObject> = (instance, ctx, relayedRequest, relay) =>
  instance.request(relayed(ctx, relayedRequest, relay));

async function fetchPage<T extends Answer>(
  member: Member,
  spec: ListSpec,
  asked: JsonObject,
  ctx: CallContext,
  send: Send<T>,
): Promise<{ answer: T; revision: Revision }> {
  const instance = member.upstream.forCall(ctx);
  const relay = await instance.open();
  const owner = new ContextAsker(ctx, true);
  const params = withOwnHandles(member, asked);
  const request = { method: spec.method, params, owner, until: ctx.cancellation };
  const answer = await send(instance, ctx, request, relay);
  const { revision } = relay;
  // Before anything is made of it: what was not approved is neither shown nor remembered.
  member.upstream.guard?.check(spec.field, itemsOf(spec, resultOf(answer)), revision);
  return { answer, revision };
}

function withoutCursor({ cursor: _, ...params }: JsonObject): JsonObject {
  return params;
}

/** Fresh for as long as all parts are, and public only if all parts are. */
function merge({ field }: ListSpec, lists: readonly MemberList[], items: readonly JsonObject[]): JsonObject {
  const pages = lists.flatMap((list) => list.pages);
  const ttls = pages.map(({ ttlMs }) => (typeof ttlMs === 'number' && ttlMs > 0 ? ttlMs : 0));
  const isPublic = pages.length > 0 && pages.every(({ cacheScope }) => cacheScope === 'public');
  return {
    [field]: items,
    ttlMs: ttls.length === 0 ? 0 : Math.min(...ttls),
    cacheScope: isPublic ? 'public' : 'private',
  };
}

/** Where the server decides which calls become tasks, clients that have to choose may choose one for each of its tools. */
function withTaskSupport({ field }: ListSpec, { upstream }: Member, item: JsonObject): JsonObject {
  if (field !== 'tools' || declaredSettings(upstream.capabilities, tasksExtension.id) === undefined)
    return item;
  return { ...item, execution: { taskSupport: 'optional' } };
}
