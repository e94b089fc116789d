/** The entries of one client's file, as text in and text out. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { ClientDefinition } from './client-definition.js';
import { type ConfigEditor, entriesOf, styleOf } from './editors/editor.js';
import { jsonEditor } from './editors/json.js';
import { tomlEditor } from './editors/toml.js';
import { yamlEditor } from './editors/yaml.js';

const EDITORS: Readonly<Record<ClientDefinition['format'], ConfigEditor>> = {
  json: jsonEditor,
  yaml: yamlEditor,
  toml: tomlEditor,
};

export function readEntries(client: ClientDefinition, text: string): ReadonlyMap<string, unknown> {
  const document = EDITORS[client.format].parse(text);
  return entriesOf(document, client.container(document));
}

/** Names at the root of the document. */
export function rootKeys(client: ClientDefinition, text: string): string[] {
  const document = EDITORS[client.format].parse(text);
  return isRecord(document) ? Object.keys(document) : [];
}

/** `text` undefined: the file does not exist. */
export function withEntry(
  client: ClientDefinition,
  text: string | undefined,
  name: string,
  entry: JsonObject,
): string {
  const editor = EDITORS[client.format];
  const { bom, eol } = styleOf(text ?? '');
  const blank = text === undefined || text.slice(bom.length).trim() === '';
  const start = blank ? bom + (client.initialText ?? '').replaceAll('\n', eol) : text;
  return editor.set(start, client.container(editor.parse(start)), name, entry);
}

/**
 * The text without the entry; undefined when the file holds nothing else than what `withEntry` creates, and can go.
 * `earlier` are versions of this file from before changes: where adding the entry to one of them gives this text, that
 * version comes back byte for byte, also where white space or an empty object would tell nothing of what was there.
 */
export function withoutEntry(
  client: ClientDefinition,
  text: string,
  name: string,
  earlier: readonly string[] = [],
): string | undefined {
  const editor = EDITORS[client.format];
  const entry = readEntries(client, text).get(name);
  if (isRecord(entry)) {
    const added = addedEntry(client, entry);
    for (const version of [...earlier, undefined]) {
      if (leadsTo(client, version, name, added, text)) return version;
    }
  }
  const rest = editor.remove(text, client.container(editor.parse(text)), name);
  // Nothing is left, and nothing was there before our own entries.
  return isBlank(rest) && !earlier.some(isBlank) ? undefined : rest;
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function leadsTo(
  client: ClientDefinition,
  version: string | undefined,
  name: string,
  entry: JsonObject,
  text: string,
): boolean {
  try {
    if (version !== undefined && readEntries(client, version).has(name)) return false;
    return withEntry(client, version, name, entry) === text;
  } catch {
    // A version from before the user mended the file.
    return false;
  }
}

/** A list item without its name, which the editor puts there. */
function addedEntry(client: ClientDefinition, entry: JsonObject): JsonObject {
  const { nameField } = client.container({});
  if (nameField === undefined) return entry;
  return Object.fromEntries(Object.entries(entry).filter(([key]) => key !== nameField));
}
