/**
 * What a handler returns, as the result that clients get: text, content blocks, any JSON value, or the result of
 * `tools/call` itself.
 */

import { isRecord } from '../jsonrpc/message.js';
import { McpError } from '../protocol/errors.js';
import type { ContentBlock } from '../protocol/model/content.js';
import type { CallToolResult } from '../protocol/model/tools.js';

/** A result spelled out, for data that could be mistaken for one: `return new ToolResult({ content: [] })`. */
export class ToolResult {
  readonly result: CallToolResult;

  constructor(result: Omit<CallToolResult, 'resultType'>) {
    this.result = result;
  }
}

/** Thrown by a handler: the message goes to the model as a failed tool result. Other errors keep their detail back. */
export class ToolError extends McpError<'tool_failed'> {
  readonly content: readonly ContentBlock[];

  constructor(
    message: string,
    options: { readonly content?: readonly ContentBlock[]; readonly cause?: unknown } = {},
  ) {
    super('tool_failed', message, 'cause' in options ? { cause: options.cause } : undefined);
    this.content = options.content ?? [{ type: 'text', text: message }];
  }
}

const RESULT_FIELDS: ReadonlySet<string> = new Set([
  'content',
  'structuredContent',
  'isError',
  '_meta',
  'resultType',
]);

/**
 * The result of `tools/call` that a handler returned, or undefined when the value is data. Only the fields of such a
 * result may be there; with an output schema, `{ content }` alone may be data that fits it.
 */
export function spelledResult(tool: string, value: unknown, hasOutput: boolean): CallToolResult | undefined {
  const result: unknown = value instanceof ToolResult ? value.result : value;
  if (!isRecord(result)) return undefined;
  if (result === value && !looksLikeResult(result, hasOutput)) return undefined;
  const { content = [], isError = false, _meta } = result;
  if (!Array.isArray(content)) throw malformed(tool, '"content" must be an array of content blocks');
  if (typeof isError !== 'boolean') throw malformed(tool, '"isError" must be a boolean');
  if (_meta !== undefined && !isRecord(_meta)) throw malformed(tool, '"_meta" must be an object');
  return withContent(tool, { ...result, content, isError });
}

function looksLikeResult(value: Readonly<Record<string, unknown>>, hasOutput: boolean): boolean {
  for (const key in value) if (!RESULT_FIELDS.has(key)) return false;
  if ('structuredContent' in value || typeof value.isError === 'boolean') return true;
  return !hasOutput && Array.isArray(value.content) && value.content.every(hasType);
}

function hasType(block: unknown): boolean {
  return isRecord(block) && typeof block.type === 'string';
}

/** Clients of older revisions see content alone, so structured content is never without text (Tools, structured content). */
function withContent(tool: string, result: CallToolResult): CallToolResult {
  const { content, structuredContent } = result;
  for (const [index, block] of content.entries()) {
    const problem = problemOf(block);
    if (problem !== undefined) throw malformed(tool, `content[${index}] ${problem}`);
  }
  if (structuredContent === undefined || content.length > 0) return result;
  return { ...result, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] };
}

/** Everything that is no result: text, one block or several, or data, which is shown as JSON. */
export function toContent(tool: string, value: unknown): ContentBlock[] {
  if (value === undefined) return [];
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (isContentBlock(value)) return [value];
  if (Array.isArray(value) && value.length > 0) {
    if (value.every(isContentBlock)) return value;
    // Some of them are blocks, so the others were meant to be.
    if (value.some(isContentBlock)) {
      const index = value.findIndex((block) => !isContentBlock(block));
      throw malformed(tool, `content[${index}] ${problemOf(value[index])}`);
    }
  }
  return [{ type: 'text', text: jsonText(tool, value) }];
}

function jsonText(tool: string, value: unknown): string {
  if (value instanceof Uint8Array) throw malformed(tool, 'bytes are no text; return image(bytes, mimeType)');
  let text: string | undefined;
  try {
    text = JSON.stringify(value, null, 2);
  } catch (error) {
    throw malformed(tool, error instanceof Error ? error.message : String(error));
  }
  if (text === undefined) throw malformed(tool, `a ${typeof value} cannot be shown as JSON`);
  // What JSON has no form for becomes an empty object. Only where there is one is it worth looking.
  const lost = text.includes('{}') ? lostValue(value, '') : undefined;
  if (lost !== undefined) throw malformed(tool, lost);
  return text;
}

/** What the model would read `{}` for, and what to do about it. Inside of data that is a promise alone, never meant. */
function lostValue(value: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof Promise) return `${path === '' ? 'it' : path} is a promise; await it`;
  if (path === '') {
    if (value instanceof Error) return 'it is an error; throw a ToolError with its message';
    if (value instanceof Map) return 'it is a Map; return Object.fromEntries(map)';
    if (value instanceof Set) return 'it is a Set; return [...set]';
  }
  for (const [key, part] of Object.entries(value)) {
    const lost = lostValue(part, path === '' ? key : `${path}.${key}`);
    if (lost !== undefined) return lost;
  }
  return undefined;
}

const BLOCK_FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['text', ['text']],
  ['image', ['data', 'mimeType']],
  ['audio', ['data', 'mimeType']],
  ['resource_link', ['uri', 'name']],
]);

/** A block is distinguished from other JSON by its type and the fields that go with it. */
export function isContentBlock(value: unknown): value is ContentBlock {
  return problemOf(value) === undefined;
}

function problemOf(block: unknown): string | undefined {
  if (!isRecord(block)) return 'is not an object';
  if (block.type === 'resource') {
    const { resource } = block;
    if (!isRecord(resource) || typeof resource.uri !== 'string')
      return '(resource) needs "resource" with a "uri"';
    if (typeof resource.text === 'string' || typeof resource.blob === 'string') return undefined;
    return '(resource) needs "text" or "blob" in "resource"';
  }
  const fields = BLOCK_FIELDS.get(block.type);
  if (fields === undefined)
    return `has the type ${JSON.stringify(block.type)}; use text, image, audio, resource_link or resource`;
  const missing = fields.find((field) => typeof block[field] !== 'string');
  return missing === undefined ? undefined : `(${String(block.type)}) needs "${missing}" as a string`;
}

function malformed(tool: string, problem: string): TypeError {
  return new TypeError(`Tool "${tool}" returned a malformed result: ${problem}`);
}
