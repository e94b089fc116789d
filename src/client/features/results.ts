/**
 * Results as servers in the field send them, made into what the types promise: missing optional parts get their
 * default, older spellings the current one. What cannot be used is an `invalid_result`; what is merely odd is noted.
 */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { CompleteResult } from '../../protocol/model/completion.js';
import type { GetPromptResult, Prompt } from '../../protocol/model/prompts.js';
import type { ReadResourceResult, Resource, ResourceTemplate } from '../../protocol/model/resources.js';
import type { CallToolResult, Tool } from '../../protocol/model/tools.js';
import { invalidResult } from '../errors.js';

/** Takes note of an oddity. */
export type Note = (message: string) => void;

export function readToolResult(result: JsonObject): CallToolResult {
  if (!Array.isArray(result.content)) {
    result.content = typeof result.content === 'string' ? [{ type: 'text', text: result.content }] : [];
  }
  if (result.isError !== true) result.isError = false;
  return finished('tools/call', result, isToolResult);
}

function isToolResult(result: JsonObject): result is CallToolResult {
  if (!Array.isArray(result.content)) return false;
  for (let index = 0; index < result.content.length; index += 1) {
    const block: unknown = result.content[index];
    if (!isRecord(block)) return false;
    if (block.type === 'resource') result.content[index] = nestResource(block);
  }
  return true;
}

export function readPromptResult(result: JsonObject): GetPromptResult {
  if (!Array.isArray(result.messages)) result.messages = [];
  return finished('prompts/get', result, isPromptResult);
}

function isPromptResult(result: JsonObject): result is GetPromptResult {
  if (!Array.isArray(result.messages)) return false;
  for (const message of result.messages) {
    if (!isRecord(message)) return false;
    if (typeof message.content === 'string') message.content = { type: 'text', text: message.content };
    if (!isRecord(message.content)) return false;
    if (message.content.type === 'resource') message.content = nestResource(message.content);
  }
  return true;
}

export function readResourceResult(result: JsonObject): ReadResourceResult {
  if (!Array.isArray(result.contents)) result.contents = [];
  return finished('resources/read', result, isResourceResult);
}

function isResourceResult(result: JsonObject): result is ReadResourceResult {
  if (!Array.isArray(result.contents)) return false;
  for (let index = 0; index < result.contents.length; index += 1) {
    const item: unknown = result.contents[index];
    if (!isRecord(item)) return false;
    // Some wrap each one the way a tool result embeds it.
    const contents = isRecord(item.resource) ? item.resource : item;
    if (typeof contents.uri !== 'string') return false;
    result.contents[index] = contents;
  }
  return true;
}

export function readCompletion(result: JsonObject): CompleteResult {
  return finished('completion/complete', result, isCompletion);
}

function isCompletion(result: JsonObject): result is CompleteResult {
  if (!isRecord(result.completion)) return false;
  if (!Array.isArray(result.completion.values)) result.completion.values = [];
  return true;
}

/** An embedded resource has its contents in `resource`; older software put them beside `type`. */
function nestResource(block: JsonObject): JsonObject {
  if (isRecord(block.resource)) return block;
  const { type, annotations, _meta, ...resource } = block;
  const nested: JsonObject = {
    type,
    resource: 'text' in resource || 'blob' in resource ? resource : { ...resource, text: '' },
  };
  if (annotations !== undefined) nested.annotations = annotations;
  if (_meta !== undefined) nested._meta = _meta;
  return nested;
}

function finished<T extends JsonObject>(
  method: string,
  result: JsonObject,
  isFinished: (result: JsonObject) => result is T,
): T {
  if (isFinished(result)) return result;
  throw invalidResult(method, 'it does not have the shape that the protocol gives it');
}

export interface Page<T> {
  readonly items: T[];
  /** Opaque; absent on the last page. */
  readonly nextCursor: string | undefined;
}

/** How to read one kind of list. */
export interface ListReader<T> {
  readonly method: string;
  /** The field of the result that holds the items. */
  readonly field: string;
  isItem(item: JsonObject): item is T & JsonObject;
}

export const TOOL_LIST: ListReader<Tool> = {
  method: 'tools/list',
  field: 'tools',
  isItem: (item): item is Tool & JsonObject => {
    if (typeof item.name !== 'string') return false;
    if (!isRecord(item.inputSchema)) item.inputSchema = { type: 'object' };
    return true;
  },
};

export const RESOURCE_LIST: ListReader<Resource> = {
  method: 'resources/list',
  field: 'resources',
  isItem: (item): item is Resource & JsonObject => named(item, item.uri),
};

export const TEMPLATE_LIST: ListReader<ResourceTemplate> = {
  method: 'resources/templates/list',
  field: 'resourceTemplates',
  isItem: (item): item is ResourceTemplate & JsonObject => named(item, item.uriTemplate),
};

export const PROMPT_LIST: ListReader<Prompt> = {
  method: 'prompts/list',
  field: 'prompts',
  isItem: (item): item is Prompt & JsonObject => typeof item.name === 'string',
};

function named(item: JsonObject, uri: unknown): boolean {
  if (typeof uri !== 'string') return false;
  if (typeof item.name !== 'string') item.name = uri;
  return true;
}

export function readPage<T>(kind: ListReader<T>, result: JsonObject, note: Note): Page<T> {
  const { [kind.field]: list, nextCursor } = result;
  if (list !== undefined && list !== null && !Array.isArray(list)) {
    throw invalidResult(kind.method, `"${kind.field}" must be a list`);
  }
  if (!Array.isArray(list))
    note(`${kind.method} was answered without "${kind.field}"; it is treated as empty`);
  const items: T[] = [];
  for (const item of list ?? []) {
    if (isRecord(item) && kind.isItem(item)) items.push(item);
    else note(`${kind.method} contains an entry that is not one of the ${kind.field}; it is omitted`);
  }
  return { items, nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined };
}
