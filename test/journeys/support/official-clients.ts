/** The clients of the official SDKs, v1 and v2, behind one set of methods. */

import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
  SSEClientTransport as SseV2,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { StdioEntry, ToolCall } from './servers.js';

/**
 * A program, or the address of a server; one that ends in /sse speaks the old HTTP+SSE.
 * `direct` is the address of a server that is not Plumb.
 */
export type ClientTarget = StdioEntry | string | { readonly direct: string };

/**
 * A connection for each request. Most servers close a connection that was idle for 5 s, also when a client on a busy
 * machine is about to use it.
 */
function fetchOnce(url: string | URL, init?: RequestInit): Promise<Response> {
  const headers = new Headers(init?.headers);
  headers.set('connection', 'close');
  return fetch(url, { ...init, headers });
}

/** What a server may ask of the client, with the answers that it gets. */
export interface Answers {
  readonly elicitation?: Readonly<Record<string, string | number | boolean>>;
  readonly sampling?: string;
  readonly roots?: readonly string[];
}

export interface Heard {
  toolsChanged: number;
  readonly updated: string[];
  readonly logged: unknown[];
  /** As it arrives: official clients drop progress that comes together with the result of its call. */
  readonly progress: unknown[];
}

export interface OfficialClient {
  readonly sdk: SdkName;
  readonly revision: string | undefined;
  readonly capabilities: object | undefined;
  readonly server: object | undefined;
  readonly instructions: string | undefined;
  /** What the server sent without being asked. */
  readonly heard: Heard;
  listTools(): Promise<{ tools: { name: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  callTool(call: ToolCall, onProgress?: (progress: number) => void): Promise<object>;
  readResource(uri: string): Promise<object>;
  getPrompt(name: string, args?: Record<string, string>): Promise<object>;
  complete(params: CompleteParams): Promise<{ completion: { values: string[] } }>;
  /** Resolves to what ends the subscription. */
  subscribe(uri: string): Promise<() => Promise<unknown>>;
  /** Before it, a client of 2026-07-28 hears of no changes. */
  listen(): Promise<unknown>;
  close(): Promise<void>;
}

export interface CompleteParams {
  readonly ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };
  readonly argument: { name: string; value: string };
}

/** v2 speaks the handshake unless told otherwise; the third finds the newest revision that the server speaks. */
export const sdks = ['v1', 'v2', 'v2 stateless'] as const;
export type SdkName = (typeof sdks)[number];

/** Answers may take a while on a busy machine. */
const LIMIT = { timeout: 120_000 };

export function openOfficial(
  sdk: SdkName,
  target: ClientTarget,
  answers: Answers = {},
): Promise<OfficialClient> {
  return sdk === 'v1' ? openV1(target, answers) : openV2(sdk, target, answers);
}

function capabilitiesOf({ elicitation, sampling, roots }: Answers): Record<string, object> {
  return {
    ...(elicitation === undefined ? {} : { elicitation: { form: {}, url: {} } }),
    ...(sampling === undefined ? {} : { sampling: {} }),
    ...(roots === undefined ? {} : { roots: { listChanged: true } }),
  };
}

const IDENTITY = { name: 'journey', version: '1.0.0' };

async function openV1(target: ClientTarget, answers: Answers): Promise<OfficialClient> {
  const client = new ClientV1(IDENTITY, { capabilities: capabilitiesOf(answers) });
  const { elicitation, sampling, roots } = answers;
  if (elicitation !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: elicitation }));
  }
  if (sampling !== undefined) {
    client.setRequestHandler(CreateMessageRequestSchema, () => sampled(sampling));
  }
  if (roots !== undefined) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: roots.map((uri) => ({ uri })) }));
  }
  const heard: Heard = { toolsChanged: 0, updated: [], logged: [], progress: [] };
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    heard.toolsChanged += 1;
  });
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    heard.updated.push(params.uri);
  });
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    heard.logged.push(params.data);
  });
  const transport = transportV1(target);
  await client.connect(transport, LIMIT);
  hearProgress(transport, heard);
  return {
    sdk: 'v1',
    revision: revisionOf(transport),
    capabilities: client.getServerCapabilities(),
    server: client.getServerVersion(),
    instructions: client.getInstructions(),
    heard,
    listTools: () => everyPage((page) => client.listTools(page, LIMIT), 'tools'),
    listPrompts: () => everyPage((page) => client.listPrompts(page, LIMIT), 'prompts'),
    listResources: () => everyPage((page) => client.listResources(page, LIMIT), 'resources'),
    listResourceTemplates: () =>
      everyPage((page) => client.listResourceTemplates(page, LIMIT), 'resourceTemplates'),
    callTool: ({ name, arguments: args }, onProgress) =>
      client.callTool({ name, arguments: { ...args } }, undefined, {
        ...LIMIT,
        ...(onProgress === undefined ? {} : { onprogress: ({ progress }) => onProgress(progress) }),
      }),
    readResource: (uri) => client.readResource({ uri }, LIMIT),
    getPrompt: (name, args) =>
      client.getPrompt(args === undefined ? { name } : { name, arguments: args }, LIMIT),
    complete: (params) => client.complete(params, LIMIT),
    subscribe: async (uri) => {
      await client.subscribeResource({ uri }, LIMIT);
      return () => client.unsubscribeResource({ uri }, LIMIT);
    },
    listen: () => Promise.resolve(),
    close: () => client.close(),
  };
}

async function openV2(sdk: SdkName, target: ClientTarget, answers: Answers): Promise<OfficialClient> {
  const client = new ClientV2(IDENTITY, {
    capabilities: capabilitiesOf(answers),
    versionNegotiation: { mode: sdk === 'v2' ? 'legacy' : 'auto' },
  });
  const { elicitation, sampling, roots } = answers;
  if (elicitation !== undefined) {
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: elicitation }));
  }
  if (sampling !== undefined) client.setRequestHandler('sampling/createMessage', () => sampled(sampling));
  if (roots !== undefined) {
    client.setRequestHandler('roots/list', () => ({ roots: roots.map((uri) => ({ uri })) }));
  }
  const heard: Heard = { toolsChanged: 0, updated: [], logged: [], progress: [] };
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    heard.toolsChanged += 1;
  });
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    heard.updated.push(params.uri);
  });
  client.setNotificationHandler('notifications/message', ({ params }) => {
    heard.logged.push(params.data);
  });
  const transport = transportV2(target);
  await client.connect(transport, LIMIT);
  hearProgress(transport, heard);
  return {
    sdk,
    revision: client.getNegotiatedProtocolVersion(),
    capabilities: client.getServerCapabilities(),
    server: client.getServerVersion(),
    instructions: client.getInstructions(),
    heard,
    listTools: () => client.listTools(undefined, LIMIT),
    listPrompts: () => client.listPrompts(undefined, LIMIT),
    listResources: () => client.listResources(undefined, LIMIT),
    listResourceTemplates: () => client.listResourceTemplates(undefined, LIMIT),
    callTool: ({ name, arguments: args }, onProgress) =>
      client.callTool(
        { name, arguments: { ...args } },
        {
          ...LIMIT,
          ...(onProgress === undefined ? {} : { onprogress: ({ progress }) => onProgress(progress) }),
        },
      ),
    readResource: (uri) => client.readResource({ uri }, LIMIT),
    getPrompt: (name, args) =>
      client.getPrompt(args === undefined ? { name } : { name, arguments: args }, LIMIT),
    complete: (params) => client.complete(params, LIMIT),
    subscribe: async (uri) => {
      if (sdk === 'v2 stateless') {
        const subscription = await client.listen({ resourceSubscriptions: [uri] }, LIMIT);
        return () => subscription.close();
      }
      await client.subscribeResource({ uri }, LIMIT);
      return () => client.unsubscribeResource({ uri }, LIMIT);
    },
    listen: async () => {
      if (sdk === 'v2 stateless') await client.listen({ toolsListChanged: true }, LIMIT);
    },
    close: () => client.close(),
  };
}

interface Receiver<Message, Extra extends readonly unknown[]> {
  onmessage?: ((message: Message, ...extra: Extra) => void) | undefined;
}

function hearProgress<Message extends object, Extra extends readonly unknown[]>(
  transport: Receiver<Message, Extra>,
  { progress }: Heard,
): void {
  const receive = transport.onmessage;
  transport.onmessage = (message, ...extra) => {
    const { method, params }: { method?: unknown; params?: { progress?: unknown } } = message;
    if (method === 'notifications/progress') progress.push(params?.progress);
    receive?.(message, ...extra);
  };
}

function sampled(text: string): {
  role: 'assistant';
  model: string;
  content: { type: 'text'; text: string };
} {
  return { role: 'assistant', model: 'journey-model', content: { type: 'text', text } };
}

function revisionOf(transport: object): string | undefined {
  return 'protocolVersion' in transport ? String(transport.protocolVersion) : undefined;
}

/** v1 returns a page at a time, v2 all of them. */
async function everyPage<Name extends string, Item>(
  list: (page: {
    cursor?: string;
  }) => Promise<{ [key in Name]: Item[] } & { nextCursor?: string | undefined }>,
  name: Name,
): Promise<{ [key in Name]: Item[] }> {
  const first = await list({});
  const items = [...first[name]];
  for (let cursor = first.nextCursor; cursor !== undefined; ) {
    const page = await list({ cursor });
    items.push(...page[name]);
    cursor = page.nextCursor;
  }
  return { ...first, [name]: items };
}

function transportV1(target: ClientTarget): HttpV1 | SseV1 | StdioV1 {
  if (typeof target === 'string') return new HttpV1(new URL(target));
  if ('command' in target) {
    return new StdioV1({ ...target, args: [...target.args], env: { ...target.env }, stderr: 'ignore' });
  }
  const Transport = target.direct.endsWith('/sse') ? SseV1 : HttpV1;
  return new Transport(new URL(target.direct), { fetch: fetchOnce });
}

function transportV2(target: ClientTarget): HttpV2 | SseV2 | StdioV2 {
  if (typeof target === 'string') return new HttpV2(new URL(target));
  if ('command' in target) {
    return new StdioV2({ ...target, args: [...target.args], env: { ...target.env }, stderr: 'ignore' });
  }
  const Transport = target.direct.endsWith('/sse') ? SseV2 : HttpV2;
  return new Transport(new URL(target.direct), { fetch: fetchOnce });
}
