/**
 * Handles of what the servers behind a chain keep for a client without a session. Through a chain with one server they
 * pass as they are. With several, each has its own, under a key with its name. For a client that has a session here,
 * and knows nothing of handles, the chain keeps them with that session.
 */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { META_SESSION } from '../protocol/model/meta.js';
import { type Answer, ResultText } from '../protocol/revisions/result-text.js';
import type { CallContext } from '../server/context.js';
import type { ChangeHub } from '../server/hub.js';
import type { Member } from './upstreams.js';

const NESTED = `${META_SESSION}.`;

export interface HandleHost {
  readonly hub: ChangeHub;
  readonly onError: (error: unknown, method: string) => void;
}

/** Servers that were seen to send handles. */
const senders = new WeakSet<Member['upstream']>();

/** Makes the call with the handles of the server, and returns its answer with those that the client is to keep. */
export function withHandles(
  host: HandleHost,
  member: Member,
  params: JsonObject,
  ctx: CallContext,
  call: (params: JsonObject) => Promise<Answer>,
): Promise<Answer> {
  if (hasSession(ctx)) return inSession(host, member, params, ctx, call);
  if (member.naming.isAlone) return call(params);
  const prefix = prefixOf(member);
  return call(withOwnHandles(member, params)).then((answer) =>
    answer instanceof ResultText ? answer : changeMeta(answer, (key) => publishedKey(key, prefix)),
  );
}

/** A request as the server gets it: with its own handles, and not with those of others. */
export function withOwnHandles(member: Member, params: JsonObject): JsonObject {
  if (member.naming.isAlone) return params;
  const prefix = prefixOf(member);
  return changeMeta(params, (key) => ownKey(key, prefix));
}

function prefixOf({ upstream }: Member): string {
  return `${NESTED}${keyPart(upstream.name)}`;
}

function hasSession({ peer }: CallContext): boolean {
  return peer.revision.lifecycle === 'handshake' && peer.passing !== true;
}

function inSession(
  host: HandleHost,
  member: Member,
  params: JsonObject,
  ctx: CallContext,
  call: (params: JsonObject) => Promise<Answer>,
): Promise<Answer> {
  const { upstream } = member;
  // A server with sessions has no handles.
  if (upstream.forCall(ctx).relay?.revision.lifecycle === 'handshake') return call(params);
  const keep = async (answer: Answer): Promise<Answer> => {
    const handles = answer instanceof ResultText ? {} : handlesOf(answer);
    if (answer instanceof ResultText || Object.keys(handles).length === 0) return answer;
    senders.add(upstream);
    await ctx.session.set(upstream.name, handles).catch((error: unknown) => host.onError(error, ctx.method));
    return changeMeta(answer, (key) => (isHandleKey(key) ? undefined : key));
  };
  // Another node may have kept one for this session.
  const isShared = host.hub.relayStore !== undefined;
  if (!senders.has(upstream) && !isShared) return call(params).then(keep);
  return ctx.session
    .get(upstream.name)
    .catch((error: unknown) => host.onError(error, ctx.method))
    .then((kept) => call(isRecord(kept) ? { ...params, _meta: { ...metaOf(params), ...kept } } : params))
    .then(keep);
}

function isHandleKey(key: string): boolean {
  return key === META_SESSION || key.startsWith(NESTED);
}

function metaOf({ _meta }: JsonObject): JsonObject {
  return isRecord(_meta) ? _meta : {};
}

function handlesOf(result: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metaOf(result)).filter(([key]) => isHandleKey(key)));
}

/** With other keys for handles; undefined leaves one out. An object without handles is returned as it is. */
function changeMeta(object: JsonObject, rename: (key: string) => string | undefined): JsonObject {
  const meta = metaOf(object);
  if (!Object.keys(meta).some(isHandleKey)) return object;
  const changed: JsonObject = {};
  for (const [key, value] of Object.entries(meta)) {
    const name = isHandleKey(key) ? rename(key) : key;
    if (name !== undefined) changed[name] = value;
  }
  if (Object.keys(changed).length > 0) return { ...object, _meta: changed };
  const { _meta: _, ...rest } = object;
  return rest;
}

/** The server's own key of a handle that the client brings; those of other servers are none of its business. */
function ownKey(key: string, prefix: string): string | undefined {
  if (key === prefix) return META_SESSION;
  return key.startsWith(`${prefix}.`) ? `${NESTED}${key.slice(prefix.length + 1)}` : undefined;
}

function publishedKey(key: string, prefix: string): string {
  return key === META_SESSION ? prefix : `${prefix}.${key.slice(NESTED.length)}`;
}

/** Names of servers are any text, and the keys of `_meta` are not; dots separate servers behind servers. */
function keyPart(name: string): string {
  return name.replace(
    /[^A-Za-z0-9-]|^-|-$/g,
    (character) => `_${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
