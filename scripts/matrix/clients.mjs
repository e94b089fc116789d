/** The clients of the matrix: ours in each revision, and those of the official SDKs, behind one interface. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
  LOG_LEVEL_META_KEY,
  SSEClientTransport as SseV2,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { root } from '../run.mjs';
import { transportsOf } from './servers.mjs';

/** @typedef {import('./servers.mjs').Transport} Transport */

/**
 * What all of them can do here.
 *
 * @typedef {object} Peer
 * @property {(cursor?: string) => Promise<{ tools: any[], nextCursor: string | undefined }>} page
 * @property {(name: string, args?: Record<string, any>, options?: { onProgress?: (progress: any) => void, signal?: AbortSignal }) => Promise<any>} call
 * @property {() => Promise<any[]>} resources
 * @property {(uri: string) => Promise<any>} read
 * @property {() => Promise<any[]>} prompts
 * @property {(name: string, args: object) => Promise<any>} prompt
 * @property {(ref: any, argument: any) => Promise<any>} complete
 * @property {(heard: () => void) => Promise<unknown>} onToolsChanged
 * @property {(uri: string, heard: () => void) => Promise<unknown>} subscribe
 * @property {(heard: () => void) => Promise<unknown>} onLog
 * @property {() => Promise<unknown>} close
 */

/** @typedef {{ command: string, args: string[] } | { url: string }} Endpoint */

/**
 * @typedef {object} MatrixClient
 * @property {string} name
 * @property {readonly Transport[]} transports
 * @property {boolean} elicits
 * @property {(endpoint: Endpoint, transport: Transport) => Promise<Peer>} open
 */

const ANSWER = { action: 'accept', content: { username: 'ada', email: 'a@b.c' } };
const SAMPLE = {
  role: 'assistant',
  content: { type: 'text', text: 'Paris' },
  model: 'm',
  stopReason: 'endTurn',
};
const ROOTS = [{ uri: 'file:///here', name: 'here' }];

/** @type {typeof import('plumb-mcp/client')} */
const { connect } = await import(pathToFileURL(join(root, 'dist', 'client', 'index.js')).href);

/**
 * @param {readonly any[]} revisions
 * @returns {MatrixClient[]}
 */
export function clientsOf(revisions) {
  return [
    ...revisions.map(({ version, lifecycle, elicitation }) => ({
      name: `Plumb ${version}`,
      transports: transportsOf(lifecycle),
      elicits: elicitation !== 'none',
      open: (/** @type {Endpoint} */ endpoint) => openPlumb(endpoint, version),
    })),
    { name: 'SDK v1', transports: transportsOf('handshake'), elicits: true, open: openV1 },
    {
      name: 'SDK v2, handshake',
      transports: transportsOf('handshake'),
      elicits: true,
      open: (endpoint, transport) => openV2(endpoint, transport, 'legacy'),
    },
    {
      name: 'SDK v2, stateless',
      transports: transportsOf('stateless'),
      elicits: true,
      open: (endpoint, transport) => openV2(endpoint, transport, 'auto'),
    },
  ];
}

/**
 * @param {Endpoint} endpoint
 * @param {string} revision
 * @returns {Promise<Peer>}
 */
async function openPlumb(endpoint, revision) {
  const client = await connect(endpoint, {
    revisions: [revision],
    elicit: () => /** @type {any} */ (ANSWER),
    sample: () => /** @type {any} */ (SAMPLE),
    roots: ROOTS,
    cache: false,
  });
  return {
    page: async (cursor) => {
      const { items, nextCursor } = await client.tools.page(cursor);
      return { tools: [...items], nextCursor };
    },
    call: (name, args = {}, options = {}) => client.tools.call(name, args, options),
    resources: () => client.resources.list(),
    read: (uri) => client.resources.read(uri),
    prompts: () => client.prompts.list(),
    prompt: (name, args) => client.prompts.get(name, /** @type {any} */ (args)),
    complete: (ref, argument) => client.completion.complete(ref, argument),
    onToolsChanged: async (heard) => client.on('toolsChanged', heard),
    subscribe: (uri, heard) => client.resources.subscribe(uri, heard),
    onLog: (heard) => {
      client.on('log', heard);
      return client.logging.setLevel('debug');
    },
    close: () => client.close(),
  };
}

/**
 * @param {Endpoint} endpoint
 * @param {Transport} transport
 * @returns {Promise<Peer>}
 */
async function openV1(endpoint, transport) {
  const capabilities = { roots: { listChanged: true }, sampling: {}, elicitation: {} };
  const client = new ClientV1({ name: 'sdk-v1', version: '1' }, { capabilities });
  client.setRequestHandler(types.ElicitRequestSchema, () => /** @type {any} */ (ANSWER));
  client.setRequestHandler(types.CreateMessageRequestSchema, () => /** @type {any} */ (SAMPLE));
  client.setRequestHandler(types.ListRootsRequestSchema, () => ({ roots: ROOTS }));
  const opened =
    'command' in endpoint
      ? new StdioV1({ ...endpoint, stderr: 'ignore' })
      : new (transport === 'sse' ? SseV1 : HttpV1)(new URL(endpoint.url));
  await client.connect(/** @type {any} */ (opened));
  return {
    ...common(client),
    call: (name, args = {}, { onProgress, signal } = {}) =>
      client.callTool({ name, arguments: { ...args } }, undefined, {
        ...(onProgress === undefined ? {} : { onprogress: onProgress }),
        ...(signal === undefined ? {} : { signal }),
      }),
    onToolsChanged: async (heard) =>
      client.setNotificationHandler(types.ToolListChangedNotificationSchema, heard),
    subscribe: (uri, heard) => {
      client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, heard);
      return client.subscribeResource({ uri });
    },
    onLog: (heard) => {
      client.setNotificationHandler(types.LoggingMessageNotificationSchema, heard);
      return client.setLoggingLevel('debug');
    },
  };
}

/**
 * @param {Endpoint} endpoint
 * @param {Transport} transport
 * @param {'auto' | 'legacy'} mode
 * @returns {Promise<Peer>}
 */
async function openV2(endpoint, transport, mode) {
  const capabilities = { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} } };
  const client = new ClientV2(
    { name: 'sdk-v2', version: '2' },
    { capabilities, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', () => /** @type {any} */ (ANSWER));
  client.setRequestHandler('sampling/createMessage', () => /** @type {any} */ (SAMPLE));
  client.setRequestHandler('roots/list', () => ({ roots: ROOTS }));
  const opened =
    'command' in endpoint
      ? new StdioV2({ ...endpoint, stderr: 'ignore' })
      : new (transport === 'sse' ? SseV2 : HttpV2)(new URL(endpoint.url));
  await client.connect(/** @type {any} */ (opened));
  const isStateless = mode === 'auto';
  /** In the stateless era each request says what it wants to hear. @type {Record<string, string>} */
  let meta = {};
  return {
    ...common(client),
    call: (name, args = {}, { onProgress, signal } = {}) =>
      client.callTool(
        { name, arguments: /** @type {any} */ (args), _meta: meta },
        {
          ...(onProgress === undefined ? {} : { onprogress: onProgress }),
          ...(signal === undefined ? {} : { signal }),
        },
      ),
    onToolsChanged: async (heard) => {
      client.setNotificationHandler('notifications/tools/list_changed', heard);
      if (isStateless) await client.listen({ toolsListChanged: true });
    },
    subscribe: (uri, heard) => {
      client.setNotificationHandler('notifications/resources/updated', heard);
      return isStateless
        ? client.listen({ resourceSubscriptions: [uri] })
        : client.subscribeResource({ uri });
    },
    onLog: async (heard) => {
      client.setNotificationHandler('notifications/message', heard);
      if (isStateless) meta = { [LOG_LEVEL_META_KEY]: 'debug' };
      else await client.setLoggingLevel('debug');
    },
  };
}

/**
 * @param {ClientV1 | ClientV2} client
 * @returns {Pick<Peer, 'page' | 'resources' | 'read' | 'prompts' | 'prompt' | 'complete' | 'close'>}
 */
function common(client) {
  const any = /** @type {any} */ (client);
  return {
    page: async (cursor) => {
      const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } };
      const schema = client instanceof ClientV1 ? [types.ListToolsResultSchema] : [];
      return any.request(request, ...schema);
    },
    resources: async () => (await any.listResources()).resources,
    read: (uri) => any.readResource({ uri }),
    prompts: async () => (await any.listPrompts()).prompts,
    prompt: (name, args) => any.getPrompt({ name, arguments: args }),
    complete: (ref, argument) => any.complete({ ref, argument }),
    close: () => client.close(),
  };
}
