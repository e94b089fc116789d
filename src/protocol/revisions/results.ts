/** Results for a peer of a given revision, by method. An object that needs no change is returned as it is. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { CacheHints, Implementation } from '../model/base.js';
import type { ClientCapabilities, ServerCapabilities } from '../model/capabilities.js';
import type { DiscoverResult, InitializeResult } from '../model/lifecycle.js';
import { META_SERVER_INFO } from '../model/meta.js';
import type { GetPromptResult, ListPromptsResult, Prompt } from '../model/prompts.js';
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '../model/resources.js';
import type { CallToolResult, ListToolsResult, Tool } from '../model/tools.js';
import { encodeBlock, encodeContent, encodeResourceContents, withAnnotations } from './content.js';
import type { Revision } from './revision.js';
import { mapUnchanged, readable } from './vocabulary.js';

/** What the server adds to every result of a stateless revision. */
export interface ResultStamp {
  readonly serverInfo: Implementation;
  readonly cache: Required<CacheHints>;
}

type ResultEncoder = (revision: Revision, result: JsonObject) => object;

/** A Map, because method names come from the peer and an object would answer to `constructor`. */
const ENCODERS = new Map<string, ResultEncoder>([
  ['initialize', (revision, result) => encodeInitialize(revision, result as unknown as InitializeResult)],
  ['server/discover', (revision, result) => encodeDiscover(revision, result as unknown as DiscoverResult)],
  [
    'tools/list',
    (revision, result) => {
      const list = result as unknown as ListToolsResult;
      return replace(
        list,
        'tools',
        mapUnchanged(list.tools, (tool) => encodeTool(revision, tool)),
      );
    },
  ],
  ['tools/call', (revision, result) => encodeToolResult(revision, result as unknown as CallToolResult)],
  [
    'resources/list',
    (revision, result) => {
      const list = result as unknown as ListResourcesResult;
      const map = mapUnchanged(list.resources, (resource) =>
        withAnnotations(revision, readable(revision, 'resource', resource)),
      );
      return replace(list, 'resources', map);
    },
  ],
  [
    'resources/templates/list',
    (revision, result) => {
      const list = result as unknown as ListResourceTemplatesResult;
      const map = mapUnchanged(list.resourceTemplates, (template) =>
        withAnnotations(revision, readable(revision, 'resourceTemplate', template)),
      );
      return replace(list, 'resourceTemplates', map);
    },
  ],
  [
    'resources/read',
    (revision, result) => {
      const read = result as unknown as ReadResourceResult;
      const map = mapUnchanged(read.contents, (contents) => encodeResourceContents(revision, contents));
      return replace(read, 'contents', map);
    },
  ],
  [
    'prompts/list',
    (revision, result) => {
      const list = result as unknown as ListPromptsResult;
      return replace(
        list,
        'prompts',
        mapUnchanged(list.prompts, (prompt) => encodePrompt(revision, prompt)),
      );
    },
  ],
  [
    'prompts/get',
    (revision, result) => {
      const prompt = result as unknown as GetPromptResult;
      const messages = mapUnchanged(prompt.messages, (message) =>
        replace(message, 'content', encodeBlock(revision, message.content)),
      );
      return replace(prompt, 'messages', messages);
    },
  ],
]);

/** The result as a peer of this revision reads it, still an object. */
export function encodeResult(revision: Revision, method: string, result: JsonObject): JsonObject {
  // Questions instead of a result: nothing in them is the method's own, and they carry no cache hints.
  if (result.resultType === 'input_required') return result;
  const encode = ENCODERS.get(method);
  const encoded = encode === undefined ? result : (encode(revision, result) as JsonObject);
  return revision.cacheable.has(method) ? encoded : readable(revision, 'cacheHints', encoded);
}

/**
 * Writes the result as JSON, with what the revision wants on each one. The stamp is spliced into the text
 * instead of copied into a new object: this runs once a call.
 */
export function writeResult(
  revision: Revision,
  method: string,
  result: JsonObject,
  stamp: ResultStamp,
): string {
  if (!isRecord(result)) throw notAnObject(method, result);
  const encoded = encodeResult(revision, method, result);
  if (revision.lifecycle === 'handshake') return requireObject(JSON.stringify(withoutStamp(encoded)), method);
  const stamped = addStamp(revision, method, encoded, stamp);
  if ('resultType' in stamped || '_meta' in stamped || method === 'server/discover') {
    const { resultType = 'complete', _meta, ...rest } = stamped;
    const serverInfo = method === 'server/discover' ? stamp.serverInfo : briefly(stamp.serverInfo);
    const meta = { ...(isRecord(_meta) ? _meta : {}), [META_SERVER_INFO]: serverInfo };
    return requireObject(JSON.stringify({ resultType, ...rest, _meta: meta }), method);
  }
  const head = stampHead(stamp);
  const body = requireObject(JSON.stringify(stamped), method);
  return body === '{}' ? `${head}}` : `${head},${body.slice(1)}`;
}

/**
 * Whether the text of a result from a peer of one revision can go to a peer of the other as it is: both read the same,
 * and no stamp goes on it.
 */
export function passesUnchanged(from: Revision, to: Revision): boolean {
  return from === to && to.lifecycle === 'handshake';
}

/** A `toJSON` can turn an object into anything, and what is spliced must be the text of an object. */
function requireObject(text: string | undefined, method: string): string {
  if (text?.startsWith('{') !== true) throw notAnObject(method, text ?? null);
  return text;
}

/** Nothing at all comes from a middleware that forgot to return it. */
function notAnObject(method: string, result?: unknown): TypeError {
  const is =
    result === undefined ? 'undefined; a middleware has to return the result of next()' : 'not a JSON object';
  return new TypeError(`The result of ${method} is ${is}`);
}

/** A result that a stateless server sent, without what it writes on each one: a handshake said all of that. */
function withoutStamp(result: JsonObject): JsonObject {
  const { resultType, _meta } = result;
  const named = isRecord(_meta) && META_SERVER_INFO in _meta;
  if (resultType !== 'complete' && !named) return result;
  const rest = { ...result };
  if (resultType === 'complete') delete rest.resultType;
  if (named) {
    const { [META_SERVER_INFO]: _, ...meta } = _meta;
    if (Object.keys(meta).length === 0) delete rest._meta;
    else rest._meta = meta;
  }
  return rest;
}

const HEADS = new WeakMap<ResultStamp, string>();

function stampHead(stamp: ResultStamp): string {
  let head = HEADS.get(stamp);
  if (head === undefined) {
    const meta = JSON.stringify({ [META_SERVER_INFO]: briefly(stamp.serverInfo) });
    head = `{"resultType":"complete","_meta":${meta}`;
    HEADS.set(stamp, head);
  }
  return head;
}

/** Every result names the server; icons and descriptions are sent once, on discovery. */
function briefly({ name, version }: Implementation): Implementation {
  return { name, version };
}

/** Interim results carry no cache hints, complete ones of cacheable methods always do. */
function addStamp(revision: Revision, method: string, result: JsonObject, stamp: ResultStamp): JsonObject {
  if (!revision.cacheable.has(method) || result.resultType === 'input_required') return result;
  if (result.ttlMs !== undefined && result.cacheScope !== undefined) return result;
  return { ttlMs: stamp.cache.ttlMs, cacheScope: stamp.cache.cacheScope, ...result };
}

function encodeToolResult(revision: Revision, result: CallToolResult): CallToolResult {
  if (result.content === undefined) return result;
  const content = encodeContent(revision, result.content);
  const encoded = content === result.content ? result : { ...result, content: [...content] };
  if (!('structuredContent' in encoded) || readsStructured(revision, encoded.structuredContent))
    return encoded;
  const { structuredContent: _, ...rest } = encoded;
  return rest;
}

export function readsStructured(revision: Revision, value: unknown): boolean {
  if (revision.structuredContent === 'any') return true;
  if (revision.structuredContent === 'none') return false;
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A tool as it is listed, or offered to the client's model. */
export function encodeTool(revision: Revision, tool: Tool): Tool {
  const encoded = readable(revision, 'tool', tool);
  if (revision.structuredContent !== 'object' || encoded.outputSchema === undefined) return encoded;
  if (encoded.outputSchema.type === 'object') return encoded;
  const { outputSchema: _, ...rest } = encoded;
  return rest;
}

function encodePrompt(revision: Revision, prompt: Prompt): Prompt {
  const encoded = readable(revision, 'prompt', prompt);
  if (encoded.arguments === undefined) return encoded;
  const list = mapUnchanged(encoded.arguments, (argument) => readable(revision, 'promptArgument', argument));
  return replace(encoded, 'arguments', list);
}

function encodeInitialize(revision: Revision, result: InitializeResult): InitializeResult {
  return {
    ...result,
    capabilities: encodeServerCapabilities(revision, result.capabilities),
    serverInfo: readable(revision, 'implementation', result.serverInfo),
  };
}

function encodeDiscover(revision: Revision, result: DiscoverResult): DiscoverResult {
  return { ...result, capabilities: encodeServerCapabilities(revision, result.capabilities) };
}

function encodeServerCapabilities(revision: Revision, capabilities: ServerCapabilities): ServerCapabilities {
  return readable(revision, 'serverCapabilities', capabilities);
}

/** Client capabilities as a server of this revision reads them. */
export function encodeClientCapabilities(
  revision: Revision,
  capabilities: ClientCapabilities,
): ClientCapabilities {
  const encoded = { ...readable(revision, 'clientCapabilities', capabilities) };
  if (encoded.roots !== undefined) encoded.roots = readable(revision, 'rootsCapability', encoded.roots);
  if (encoded.sampling !== undefined) {
    encoded.sampling = readable(revision, 'samplingCapability', encoded.sampling);
  }
  if (encoded.elicitation !== undefined) {
    encoded.elicitation = readable(revision, 'elicitationCapability', encoded.elicitation);
  }
  return encoded;
}

function replace<T extends object, K extends keyof T>(object: T, key: K, value: unknown): T {
  return object[key] === value ? object : { ...object, [key]: value };
}
