/**
 * What a server shows to clients and models: its instructions and its lists, in one canonical spelling. Two surfaces with
 * the same text are the same, in whatever order the server lists and writes them.
 */

import type { Client } from '../../client/client.js';
import type { CallOptions } from '../../client/options.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { ListField } from '../mend.js';

export const SURFACE_FIELDS: readonly ListField[] = ['tools', 'prompts', 'resources', 'resourceTemplates'];

export interface Surface {
  readonly server: { readonly name: string; readonly version: string } | undefined;
  /** The protocol revision in which it was read. */
  readonly revision: string;
  readonly instructions: string | undefined;
  /** A list that is not here is not part of the contract. */
  readonly lists: { readonly [Field in ListField]?: readonly JsonObject[] };
}

/** Everything that the server lists, or only these lists. */
export async function readSurface(
  client: Client,
  options: CallOptions = {},
  fields: readonly ListField[] = SURFACE_FIELDS,
): Promise<Surface> {
  const { server, capabilities, instructions, revision } = client;
  const list = (field: ListField): Promise<readonly object[]> => {
    switch (field) {
      case 'tools':
        return capabilities.tools === undefined ? NOTHING : client.tools.list(options);
      case 'prompts':
        return capabilities.prompts === undefined ? NOTHING : client.prompts.list(options);
      case 'resources':
        return capabilities.resources === undefined ? NOTHING : client.resources.list(options);
      case 'resourceTemplates':
        return capabilities.resources === undefined ? NOTHING : client.resources.templates().list(options);
    }
  };
  const lists: { [Field in ListField]?: readonly JsonObject[] } = {};
  for (const field of fields) {
    const entries = (await list(field)).map((entry): JsonObject => lasting(field, { ...entry }));
    lists[field] = entries.sort((one, other) => compareTexts(sortKey(field, one), sortKey(field, other)));
  }
  return {
    server: server === undefined ? undefined : { name: server.name, version: server.version },
    revision,
    instructions,
    lists,
  };
}

const NOTHING: Promise<readonly object[]> = Promise.resolve([]);

/** By what clients know an entry. */
export function entryKey(field: ListField, entry: JsonObject): string {
  const key =
    field === 'resources' ? entry.uri : field === 'resourceTemplates' ? entry.uriTemplate : entry.name;
  return String(key);
}

/** The entry without what changes with the contents of a resource. */
export function lasting(field: ListField, entry: JsonObject): JsonObject {
  if (field !== 'resources' && field !== 'resourceTemplates') return entry;
  const { size: _, annotations, ...rest } = entry;
  if (!isRecord(annotations)) return rest;
  const { lastModified: __, ...kept } = annotations;
  return Object.keys(kept).length === 0 ? rest : { ...rest, annotations: kept };
}

/** The value with the keys of all objects in one order. */
export function canonicalValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalValue);
  if (!isRecord(value)) return value;
  const keys = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort(compareTexts);
  return Object.fromEntries(keys.map((key) => [key, canonicalValue(value[key])]));
}

/** The same value has the same text. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(canonicalValue(value)) ?? 'null';
}

function sortKey(field: ListField, entry: JsonObject): string {
  return `${entryKey(field, entry)}\n${canonicalText(entry)}`;
}

/** By code units: the same on every machine, whatever its language. */
function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
