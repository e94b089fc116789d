/**
 * Headers that mirror parts of the body, so that intermediaries can route without parsing it
 * (Streamable HTTP, standard headers and custom headers). Both sides use the same rules.
 */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import type { JsonSchema } from './model/base.js';

export const VERSION_HEADER = 'mcp-protocol-version';
export const METHOD_HEADER = 'mcp-method';
export const NAME_HEADER = 'mcp-name';
export const PARAM_HEADER_PREFIX = 'mcp-param-';
export const SESSION_HEADER = 'mcp-session-id';

/** Which parameter `Mcp-Name` repeats, by method. */
const NAME_PARAMETER: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** The value that `Mcp-Name` must repeat; undefined where the method has none. */
export function nameOf(method: string, params: JsonObject | undefined): string | undefined {
  const parameter = NAME_PARAMETER.get(method);
  if (parameter === undefined) return undefined;
  const value = params?.[parameter];
  return typeof value === 'string' ? value : undefined;
}

const SENTINEL_START = '=?base64?';
const SENTINEL_END = '?=';

/** Both ends are there and do not share a character. */
function isSentinel(text: string): boolean {
  return (
    text.length >= SENTINEL_START.length + SENTINEL_END.length &&
    text.startsWith(SENTINEL_START) &&
    text.endsWith(SENTINEL_END)
  );
}

/** Visible ASCII and inner spaces travel as they are; everything else as the base64 of its UTF-8. */
export function encodeHeaderValue(value: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) || value === '';
  if (plain && !isSentinel(value)) return value;
  let binary = '';
  for (const byte of new TextEncoder().encode(value)) binary += String.fromCharCode(byte);
  return `${SENTINEL_START}${btoa(binary)}${SENTINEL_END}`;
}

/** The value behind the sentinel or the text itself; undefined when it is neither legal text nor base64 of UTF-8. */
export function decodeHeaderValue(header: string): string | undefined {
  if (!/^[\t\x20-\x7e]*$/.test(header)) return undefined;
  // Only spaces and tabs are left to trim.
  const text = header.trim();
  if (!isSentinel(text)) return text;
  const base64 = text.slice(SENTINEL_START.length, -SENTINEL_END.length);
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) return undefined;
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** One tool argument that travels in a header too. */
export interface MirroredParameter {
  /** Lower case, with the prefix. */
  readonly header: string;
  readonly path: readonly string[];
  readonly type: 'string' | 'integer' | 'boolean';
}

export type MirroredParameters =
  | { readonly ok: true; readonly parameters: readonly MirroredParameter[] }
  | { readonly ok: false; readonly reason: string };

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const ANNOTATION = 'x-mcp-header';

/** Reads the annotations of an input schema. A tool with a bad one must not be used over HTTP. */
export function mirroredParameters(schema: JsonSchema): MirroredParameters {
  const parameters: MirroredParameter[] = [];
  const reason = collect(schema, [], true, parameters);
  if (reason !== undefined) return { ok: false, reason };
  const headers = parameters.map((parameter) => parameter.header);
  const twice = headers.find((header, index) => headers.indexOf(header) !== index);
  if (twice !== undefined) return { ok: false, reason: `two properties claim the header ${twice}` };
  return { ok: true, parameters };
}

/** Follows `properties` only: an annotation reached in any other way is an error. */
function collect(
  schema: unknown,
  path: readonly string[],
  reachable: boolean,
  into: MirroredParameter[],
  depth = 0,
): string | undefined {
  if (depth > 64 || typeof schema !== 'object' || schema === null) return undefined;
  if (!Array.isArray(schema) && Object.hasOwn(schema, ANNOTATION) && isRecord(schema)) {
    const reason = annotate(schema, path, reachable, into);
    if (reason !== undefined) return reason;
  }
  for (const [keyword, child] of Object.entries(schema)) {
    if (VALUE_KEYWORDS.has(keyword) && !Array.isArray(schema)) continue;
    if (keyword === 'properties' && isRecord(child)) {
      for (const [name, property] of Object.entries(child)) {
        const reason = collect(property, [...path, name], reachable, into, depth + 1);
        if (reason !== undefined) return reason;
      }
      continue;
    }
    const reason = collect(child, path, false, into, depth + 1);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Keywords that hold values rather than schemas. */
const VALUE_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', ANNOTATION]);

function annotate(
  schema: JsonObject,
  path: readonly string[],
  reachable: boolean,
  into: MirroredParameter[],
): string | undefined {
  const name = schema[ANNOTATION];
  const place = path.join('.') || '(root)';
  if (typeof name !== 'string' || !TOKEN.test(name)) return `${place}: ${ANNOTATION} must be an HTTP token`;
  if (!reachable || path.length === 0) return `${place}: ${ANNOTATION} is only allowed on plain properties`;
  const { type } = schema;
  if (type !== 'string' && type !== 'integer' && type !== 'boolean') {
    return `${place}: ${ANNOTATION} needs a property of type string, integer or boolean`;
  }
  into.push({ header: `${PARAM_HEADER_PREFIX}${name.toLowerCase()}`, path, type });
  return undefined;
}

/** The headers for a call with these arguments; null and absent values have none. */
export function parameterHeaders(
  parameters: readonly MirroredParameter[],
  args: JsonObject,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const parameter of parameters) {
    const value = valueAt(args, parameter.path);
    if (value === undefined || value === null) continue;
    headers[parameter.header] = encodeHeaderValue(String(value));
  }
  return headers;
}

/** Why the headers do not repeat the arguments, or undefined when they do. */
export function parameterMismatch(
  parameters: readonly MirroredParameter[],
  args: JsonObject,
  header: (name: string) => string | undefined,
): string | undefined {
  for (const parameter of parameters) {
    const value = valueAt(args, parameter.path);
    if (value === undefined || value === null) continue;
    const sent = header(parameter.header);
    if (sent === undefined) return `Header ${parameter.header} is missing`;
    const decoded = decodeHeaderValue(sent);
    if (decoded === undefined) return `Header ${parameter.header} is not a legal value`;
    if (!sameValue(parameter, decoded, value))
      return `Header ${parameter.header} does not repeat the argument`;
  }
  return undefined;
}

function sameValue(parameter: MirroredParameter, text: string, value: unknown): boolean {
  // Beyond the safe range different numbers look alike, and a proxy might distinguish them.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return false;
  if (text === String(value)) return true;
  // 42.0 and 42 are the same integer.
  return parameter.type === 'integer' && /^-?\d+(\.0+)?$/.test(text) && Number(text) === value;
}

function valueAt(args: JsonObject, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const name of path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
