/** Requests of extensions, and their fields of listen filters. Loaded with the first of them. */

import { type ExtensionShape, hasEra } from '../extensions/extension.js';
import { checkSettings, declaredSettings, undeclaredExtension } from '../extensions/negotiation.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { invalidParams, methodNotFound } from '../protocol/errors.js';
import { describeIssues, type Schema } from '../protocol/schema/schema.js';
import type { CallContext } from './context.js';
import type {
  ExtensionEntry,
  ExtensionHandler,
  ExtensionNotification,
  HonouredFilter,
} from './extensions.js';

/** The fields of extensions in the filter of a listen request. Throws for a client that did not declare them. */
export async function honouredFilters(
  entries: readonly ExtensionEntry[],
  requested: JsonObject,
  ctx: CallContext,
): Promise<readonly HonouredFilter[]> {
  const honoured: HonouredFilter[] = [];
  for (const { extension, implementation } of entries) {
    if (!hasEra(extension, ctx.peer.revision)) continue;
    for (const [field, kind] of Object.entries(extension.listenFilters ?? {})) {
      const wanted = requested[field];
      if (wanted === undefined) continue;
      if (isUndeclared(extension, ctx))
        throw undeclaredExtension(extension, `"${field}" of subscriptions/listen`);
      const value = filterValue(field, kind, wanted);
      const source = implementation.listen?.[field];
      const kept = source?.honour === undefined ? value : await source.honour(value, ctx);
      if (kept === undefined) continue;
      const current = async (key: string): Promise<ExtensionNotification | undefined> =>
        source?.current?.(key);
      honoured.push({ field, value: kept, current });
    }
  }
  return honoured;
}

export async function handleMethod(
  extension: ExtensionShape,
  handler: ExtensionHandler,
  schema: Schema | undefined,
  params: JsonObject,
  ctx: CallContext,
): Promise<JsonObject> {
  if (!hasEra(extension, ctx.peer.revision)) throw methodNotFound(ctx.method);
  if (isUndeclared(extension, ctx)) throw undeclaredExtension(extension, ctx.method);
  const settings = await clientSettings(extension, ctx);
  const checked = schema === undefined ? { value: params } : await schema.check(params);
  if (checked.issues !== undefined)
    throw invalidParams(`Invalid params for ${ctx.method}: ${describeIssues(checked.issues)}`, {
      issues: checked.issues,
    });
  return handler(checked.value, ctx, settings);
}

function isUndeclared({ id, client = 'required' }: ExtensionShape, { peer }: CallContext): boolean {
  return client === 'required' && declaredSettings(peer.capabilities, id) === undefined;
}

async function clientSettings(
  { id, settings }: ExtensionShape,
  { peer }: CallContext,
): Promise<JsonObject | undefined> {
  const declared = declaredSettings(peer.capabilities, id);
  if (declared === undefined) return undefined;
  const checked = await checkSettings(declared, settings?.client);
  if (checked.problem === undefined) return checked.settings;
  throw invalidParams(`The settings that the client declared for ${id} are invalid: ${checked.problem}`);
}

function filterValue(field: string, kind: 'strings' | 'flag', value: unknown): true | readonly string[] {
  if (kind === 'flag' && value === true) return true;
  if (kind === 'strings' && Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return [...new Set<string>(value)];
  throw invalidParams(`"${field}" must be ${kind === 'flag' ? 'true' : 'an array of strings'}`);
}
