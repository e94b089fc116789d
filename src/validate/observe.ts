/**
 * What each tool does, found out by calling it and watching. Names and annotations are claims; checks rely on
 * what was seen.
 */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { META_LOG_LEVEL } from '../protocol/model/meta.js';
import { LISTS, listPages, type ObservedCatalogue, textOf } from './catalogue.js';
import { converse, type Exercise, type Use } from './exercise.js';
import type { WireReply } from './session/reply.js';
import type { ValidatorSession } from './session/session.js';

export interface Effects {
  readonly use: Use;
  /** Fields of lists that were another after the call: `tools`, `prompts`, `resources`, `resourceTemplates`. */
  readonly lists: ReadonlySet<string>;
  /** Resources that were reported as updated, or whose contents changed. */
  readonly resources: ReadonlySet<string>;
  /** Methods that the server asked of us meanwhile. */
  readonly asks: ReadonlySet<string>;
  /** Levels of its log messages. */
  readonly logs: readonly string[];
  readonly progress: number;
}

export interface ObserveOptions {
  readonly timeoutMs: number;
  /** How long a notification may take after the answer. */
  readonly settleMs: number;
}

/** Slower tools are not called again only to be watched. */
const QUICK_MS = 900;
const MAX_TOOLS = 40;
const MAX_RESOURCES = 12;
/** So many are called between two looks at the lists. */
const GROUP = 8;

export async function observe(
  session: ValidatorSession,
  catalogue: ObservedCatalogue,
  { calls }: Exercise,
  options: ObserveOptions,
): Promise<readonly Effects[]> {
  const quick = calls.filter(({ last }) => last.kind !== 'silence' && last.elapsedMs <= QUICK_MS);
  if (quick.length === 0) return calls.map((use) => slowEffects(session, use));
  await prepare(session, catalogue);
  const uris = await stableResources(session, catalogue);
  const found: Effects[] = [];
  let before = await snapshot(session, uris);
  const groups = grouped(quick.slice(0, MAX_TOOLS));
  for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
    const seen: Watched[] = [];
    for (const use of group) {
      if (!session.connection.ended) seen.push(await watchCall(session, use, options));
    }
    if (session.connection.ended) break;
    const after = await snapshot(session, uris);
    const changed = changes(before, after);
    before = after;
    if (group.length > 1 && changed.lists.size + changed.resources.size > 0) {
      // One of them did it: each is called again, and looked at alone.
      groups.unshift(...group.map((use) => [use]));
      continue;
    }
    for (const { updated, ...effects } of seen)
      found.push({
        ...effects,
        lists: changed.lists,
        resources: new Set([...changed.resources, ...updated]),
      });
  }
  await restore(session, found, catalogue, options);
  const slow = calls.filter((use) => !quick.includes(use)).map((use) => slowEffects(session, use));
  return [...found.toSorted((a, b) => a.use.last.elapsedMs - b.use.last.elapsedMs), ...slow];
}

/** Tools that say that they change nothing are believed until something changes; all others are watched alone. */
function grouped(uses: readonly Use[]): Use[][] {
  const groups: Use[][] = [];
  for (const use of uses) {
    const last = groups.at(-1);
    const first = last?.[0];
    const joins = first !== undefined && last !== undefined && last.length < GROUP;
    if (joins && isReadOnly(first) && isReadOnly(use)) last.push(use);
    else groups.push([use]);
  }
  return groups;
}

function isReadOnly({ subject }: Use): boolean {
  return isRecord(subject.annotations) && subject.annotations.readOnlyHint === true;
}

interface Watched extends Pick<Effects, 'use' | 'asks' | 'logs' | 'progress'> {
  /** Resources that were reported as updated meanwhile. */
  readonly updated: readonly string[];
}

async function watchCall(session: ValidatorSession, use: Use, options: ObserveOptions): Promise<Watched> {
  const mark = session.inbox.length;
  const asked = session.asked.length;
  // The first call had a text as its token: a server may know only one of the two types.
  const progressToken = mark + 1;
  const meta = { progressToken, ...(session.stateless ? { [META_LOG_LEVEL]: 'debug' } : {}) };
  const again = await converse(session, use.method, use.subject, use.params, options.timeoutMs, meta);
  await session.quiet(options.settleMs);
  const updated = session.inbox.slice(mark).flatMap(({ value }) => {
    if (!isRecord(value) || value.method !== 'notifications/resources/updated') return [];
    return isRecord(value.params) ? [textOf(value.params, 'uri')] : [];
  });
  const { logs, progress } = said(session, mark);
  return {
    use,
    updated,
    asks: new Set([...session.asked.slice(asked).map(({ method }) => method), ...askedIn(again)]),
    logs,
    progress: Math.max(progress, reportsOf(session, use)),
  };
}

/** Makes the server report what it reports only to those who asked. */
async function prepare(
  session: ValidatorSession,
  { capabilities, resources }: ObservedCatalogue,
): Promise<void> {
  if (session.stateless) return;
  if (capabilities.logging !== undefined) await session.request('logging/setLevel', { level: 'debug' });
  const declared = capabilities.resources;
  if (!isRecord(declared) || declared.subscribe !== true) return;
  await Promise.all(
    resources.slice(0, MAX_RESOURCES).map(({ uri }) => session.request('resources/subscribe', { uri })),
  );
}

/** Resources that do not change by themselves. */
async function stableResources(
  session: ValidatorSession,
  { resources }: ObservedCatalogue,
): Promise<readonly string[]> {
  const uris = resources.slice(0, MAX_RESOURCES).map((resource) => textOf(resource, 'uri'));
  const [first, second] = [await readAll(session, uris), await readAll(session, uris)];
  return uris.filter((uri) => first.get(uri) === second.get(uri));
}

async function readAll(
  session: ValidatorSession,
  uris: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const replies = await Promise.all(
    uris.map(async (uri) => [uri, textIn(await session.request('resources/read', { uri }))] as const),
  );
  return new Map(replies);
}

function textIn(reply: WireReply): string {
  return reply.kind === 'result' ? JSON.stringify(reply.result.contents) : reply.kind;
}

interface Snapshot {
  readonly lists: ReadonlyMap<string, string>;
  readonly resources: ReadonlyMap<string, string>;
}

async function snapshot(session: ValidatorSession, uris: readonly string[]): Promise<Snapshot> {
  const lists = await Promise.all(
    LISTS.map(async ({ method, field }) => {
      return [field, itemsIn(await listPages(session, method), field)] as const;
    }),
  );
  return { lists: new Map(lists), resources: await readAll(session, uris) };
}

function changes(before: Snapshot, after: Snapshot): Pick<Effects, 'lists' | 'resources'> {
  const lists = [...after.lists].filter(([field, text]) => before.lists.get(field) !== text);
  const contents = [...after.resources].filter(([uri, text]) => before.resources.get(uri) !== text);
  return {
    lists: new Set(lists.map(([field]) => field)),
    resources: new Set(contents.map(([uri]) => uri)),
  };
}

function askedIn({ rounds }: Use): readonly string[] {
  return rounds.flatMap((reply) => {
    const requests = reply.kind === 'result' ? reply.result.inputRequests : undefined;
    return isRecord(requests) ? Object.values(requests).filter(isRecord).map(methodIn) : [];
  });
}

function methodIn(request: JsonObject): string {
  return textOf(request, 'method');
}

function said(session: ValidatorSession, mark: number): Pick<Effects, 'logs' | 'progress'> {
  const methods = session.inbox.slice(mark).map(({ value }) => (isRecord(value) ? value : {}));
  const logs = methods.flatMap(({ method, params }) =>
    method === 'notifications/message' && isRecord(params) ? [textOf(params, 'level')] : [],
  );
  return { logs, progress: methods.filter(({ method }) => method === 'notifications/progress').length };
}

/** A tool that is not called again: what its own call showed beyond doubt. */
function slowEffects(session: ValidatorSession, use: Use): Effects {
  const progress = reportsOf(session, use);
  return { use, lists: new Set(), resources: new Set(), asks: new Set(askedIn(use)), logs: [], progress };
}

/** How often a call reported progress. */
function reportsOf(session: ValidatorSession, use: Use): number {
  const token = progressTokenOf(use);
  return session.inbox.filter(
    ({ value }) => isRecord(value) && isRecord(value.params) && value.params.progressToken === token,
  ).length;
}

function progressTokenOf({ last }: Use): unknown {
  const sent: unknown = JSON.parse(last.sent);
  const params = isRecord(sent) && isRecord(sent.params) ? sent.params : {};
  return isRecord(params._meta) ? params._meta.progressToken : undefined;
}

/** Leaves the server as it was found, where calling the same tools once more does that. */
async function restore(
  session: ValidatorSession,
  found: readonly Effects[],
  catalogue: ObservedCatalogue,
  { timeoutMs }: ObserveOptions,
): Promise<void> {
  for (const { method, field } of LISTS) {
    const changing = found.find(({ lists }) => lists.has(field));
    if (changing === undefined) continue;
    const now = itemsIn(await listPages(session, method), field);
    if (now === itemsIn(catalogue.pages.get(method) ?? [], field)) continue;
    await converse(session, changing.use.method, changing.use.subject, changing.use.params, timeoutMs);
  }
}

function itemsIn(pages: readonly WireReply[], field: string): string {
  return JSON.stringify(pages.flatMap((page) => (page.kind === 'result' ? [page.result[field]] : [])));
}
