/** The official clients, v1 and v2, with everything that they are sent written down. */

import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

export type Sdk = 'v1' | 'v2';
export type Endpoint = { readonly args: readonly string[] } | { readonly url: string };

export interface RecordedOptions {
  /** Whether it has roots, sampling and elicitation. */
  readonly capable: boolean;
  readonly root?: string;
}

/** What both have in common, and a call with progress. */
export type OfficialClient = Pick<
  ClientV1,
  | 'ping'
  | 'listTools'
  | 'listResources'
  | 'listResourceTemplates'
  | 'listPrompts'
  | 'getPrompt'
  | 'readResource'
  | 'setLoggingLevel'
  | 'subscribeResource'
  | 'unsubscribeResource'
  | 'complete'
  | 'getServerVersion'
  | 'getServerCapabilities'
  | 'getInstructions'
>;

export interface RecordedClient {
  readonly official: OfficialClient;
  call(name: string, args: Record<string, unknown>, onProgress?: () => void): Promise<unknown>;
  /** Everything that came from the server, ids aside. */
  readonly messages: unknown[];
  close(): Promise<void>;
}

const CAPABILITIES = { roots: { listChanged: true }, sampling: {}, elicitation: {} };
const INFO = { name: 'recorder', version: '1' };
const SAMPLED = {
  role: 'assistant' as const,
  content: { type: 'text' as const, text: 'sampled' },
  model: 'm',
};

interface Recordable {
  onmessage?: ((message: never) => void) | undefined;
}

export function openRecorded(
  sdk: Sdk,
  endpoint: Endpoint,
  options: RecordedOptions,
): Promise<RecordedClient> {
  return sdk === 'v1' ? openV1(endpoint, options) : openV2(endpoint, options);
}

async function openV1(endpoint: Endpoint, { capable, root }: RecordedOptions): Promise<RecordedClient> {
  const client = new ClientV1(INFO, { capabilities: capable ? CAPABILITIES : {} });
  if (capable) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: rootsOf(root) }));
    client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLED);
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' }));
  }
  const transport = 'url' in endpoint ? new HttpV1(new URL(endpoint.url)) : new StdioV1(program(endpoint));
  await client.connect(transport as Parameters<ClientV1['connect']>[0]);
  return {
    official: client,
    call: (name, args, onprogress) =>
      client.callTool({ name, arguments: args }, undefined, onprogress === undefined ? {} : { onprogress }),
    messages: recorded(transport),
    close: () => client.close(),
  };
}

async function openV2(endpoint: Endpoint, { capable, root }: RecordedOptions): Promise<RecordedClient> {
  const client = new ClientV2(INFO, { capabilities: capable ? CAPABILITIES : {} });
  if (capable) {
    client.setRequestHandler('roots/list', () => ({ roots: rootsOf(root) }));
    client.setRequestHandler('sampling/createMessage', () => SAMPLED);
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
  }
  const transport = 'url' in endpoint ? new HttpV2(new URL(endpoint.url)) : new StdioV2(program(endpoint));
  await client.connect(transport);
  return {
    official: client as unknown as OfficialClient,
    call: (name, args, onprogress) =>
      client.callTool(
        { name, arguments: args as Record<string, never> },
        onprogress === undefined ? {} : { onprogress },
      ),
    messages: recorded(transport),
    close: () => client.close(),
  };
}

function program({ args }: { readonly args: readonly string[] }) {
  return { command: process.execPath, args: [...args], stderr: 'ignore' as const };
}

function rootsOf(root = '/tmp'): { uri: string; name: string }[] {
  return [{ uri: `file://${root}`, name: 'r' }];
}

function recorded(transport: Recordable): unknown[] {
  const messages: unknown[] = [];
  const receive = transport.onmessage;
  transport.onmessage = (message: object) => {
    messages.push({ ...message, id: undefined });
    receive?.(message as never);
  };
  return messages;
}
