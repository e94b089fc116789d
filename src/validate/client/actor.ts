/** A correct little server, for scenarios to change one thing about. */

import { METHOD_NOT_FOUND } from '../../jsonrpc/codes.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { SESSION_HEADER } from '../../protocol/mirrored-headers.js';
import { META_PROTOCOL_VERSION, META_SERVER_INFO } from '../../protocol/model/meta.js';
import type { Revision } from '../../protocol/revisions/revision.js';
import type { Behaviour, StageAnswer, StageRequest } from './stage.js';

const SERVER_INFO = { name: 'plumb-stage', version: '1.0.0' };
/** The id of every session on the stage. */
export const SESSION = 'plumb-0f3a9c51-stage-session';

export const TOOL: JsonObject = {
  name: 'echo',
  description: 'Returns its text.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
};

export interface ActorOptions {
  readonly tools?: readonly JsonObject[];
  readonly capabilities?: JsonObject;
  /** The result of tools/call, in place of a text. */
  readonly called?: (params: JsonObject) => JsonObject;
  /** Answers as event streams. */
  readonly stream?: boolean;
  /** Sent before the response on its stream. */
  readonly before?: readonly JsonObject[];
}

/** Whether the request belongs to the stateless era. */
export function isModern({ message, headers }: StageRequest): boolean {
  const params = isRecord(message?.params) ? message.params : {};
  const meta = isRecord(params._meta) ? params._meta : {};
  return META_PROTOCOL_VERSION in meta || headers['mcp-method'] !== undefined;
}

export function methodOf({ message }: StageRequest): string {
  return typeof message?.method === 'string' ? message.method : '';
}

export function respond(
  heard: StageRequest,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): StageAnswer {
  return { status, headers, body: { jsonrpc: '2.0', id: heard.message?.id, ...body } };
}

/** The results that every revision has. */
function resultFor(
  revision: Revision,
  method: string,
  params: JsonObject,
  options: ActorOptions,
): JsonObject | undefined {
  const plain = plainResult(revision, method, params, options);
  if (plain === undefined || revision.lifecycle === 'handshake') return plain;
  const hints = revision.cacheable.has(method) ? { ttlMs: 0, cacheScope: 'private' } : {};
  return { resultType: 'complete', ...hints, _meta: { [META_SERVER_INFO]: SERVER_INFO }, ...plain };
}

function plainResult(
  revision: Revision,
  method: string,
  params: JsonObject,
  options: ActorOptions,
): JsonObject | undefined {
  const capabilities = options.capabilities ?? { tools: {}, resources: {}, prompts: {}, logging: {} };
  switch (method) {
    case 'initialize':
      return { protocolVersion: revision.version, capabilities, serverInfo: SERVER_INFO };
    case 'server/discover':
      return { supportedVersions: [revision.version], capabilities };
    case 'ping':
    case 'logging/setLevel':
      return {};
    case 'tools/list':
      return { tools: options.tools ?? [TOOL] };
    case 'tools/call':
      return options.called?.(params) ?? { content: [{ type: 'text', text: 'done' }] };
    case 'resources/list':
      return { resources: ['text', 'other'].map((name) => ({ uri: `stage://${name}`, name })) };
    case 'resources/templates/list':
      return { resourceTemplates: [] };
    case 'resources/read':
      return { contents: [{ uri: String(params.uri), text: 'A text.' }] };
    case 'prompts/list':
      return { prompts: [{ name: 'greet', arguments: [{ name: 'name', required: true }] }] };
    case 'prompts/get':
      return { messages: [{ role: 'user', content: { type: 'text', text: 'Hello.' } }] };
    default:
      return undefined;
  }
}

/** Serves the revision of the stage and no other. */
export function actor(options: ActorOptions = {}): Behaviour {
  return (heard, stage) => {
    const { revision } = stage;
    if (heard.method === 'GET') {
      return revision.http.sessions
        ? { events: [], open: true, headers: { [SESSION_HEADER]: SESSION } }
        : { status: 405 };
    }
    if (heard.method === 'DELETE') return { status: revision.http.sessions ? 200 : 405 };
    const method = methodOf(heard);
    if (heard.message === undefined)
      return {
        status: 400,
        body: { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'One message at a time' } },
      };
    if (method === '' || !('id' in heard.message)) return { status: 202 };
    const modern = isModern(heard);
    if (modern !== (revision.lifecycle === 'stateless')) return wrongEra(heard, revision);
    const params = isRecord(heard.message.params) ? heard.message.params : {};
    const result = resultFor(revision, method, params, options);
    if (result === undefined)
      return respond(
        heard,
        { error: { code: METHOD_NOT_FOUND, message: 'Unknown' } },
        {},
        modern ? 404 : 200,
      );
    const headers = method === 'initialize' && revision.http.sessions ? { [SESSION_HEADER]: SESSION } : {};
    if (options.stream !== true) return respond(heard, { result }, headers);
    return {
      headers,
      events: [
        ...(method === 'initialize' ? [] : (options.before ?? [])),
        { jsonrpc: '2.0', id: heard.message.id, result },
      ],
    };
  };
}

function wrongEra(heard: StageRequest, revision: Revision): StageAnswer {
  return revision.lifecycle === 'stateless'
    ? respond(
        heard,
        {
          error: {
            code: -32022,
            message: 'Unsupported',
            data: { supported: [revision.version], requested: '' },
          },
        },
        {},
        400,
      )
    : respond(heard, { error: { code: -32000, message: 'Server not initialized' } }, {}, 400);
}
