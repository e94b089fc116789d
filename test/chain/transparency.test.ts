/** A server behind `plumb proxy` is the same server, as far as the official SDK's client can tell. */

import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test } from 'vitest';

const path = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const MAIN = path('dist/cli/main.js');
const MODULES = 'node_modules/@modelcontextprotocol';
const EVERYTHING = [path(`${MODULES}/server-everything/dist/index.js`), 'stdio'];
const FILES = [path(`${MODULES}/server-filesystem/dist/index.js`)];

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Recorded {
  readonly client: Client;
  /** Everything that came from the server, ids and clocks aside. */
  readonly messages: unknown[];
}

async function open(args: readonly string[], capable: boolean, root = '/tmp'): Promise<Recorded> {
  const capabilities = capable ? { roots: { listChanged: true }, sampling: {}, elicitation: {} } : {};
  const client = new Client({ name: 'recorder', version: '1' }, { capabilities });
  if (capable) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: [{ uri: `file://${root}`, name: 'r' }],
    }));
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      role: 'assistant',
      content: { type: 'text', text: 'sampled' },
      model: 'm',
    }));
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' }));
  }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    stderr: 'ignore',
  });
  const messages: unknown[] = [];
  await client.connect(transport);
  const receive = transport.onmessage;
  transport.onmessage = (message) => {
    messages.push(withoutId(message));
    receive?.(message);
  };
  cleanups.push(() => client.close());
  return { client, messages };
}

function withoutId(message: object): unknown {
  return { ...message, id: undefined };
}

/** Answers in the order of the questions; what comes in between has its own order. */
const CONVERSATION: readonly ((client: Client) => Promise<unknown>)[] = [
  async (client) => [client.getServerVersion(), client.getServerCapabilities(), client.getInstructions()],
  (client) => client.ping(),
  (client) => client.listTools(),
  (client) => client.listResources(),
  (client) => client.listResourceTemplates(),
  (client) => client.listPrompts(),
  (client) => client.callTool({ name: 'echo', arguments: { message: 'hi' } }),
  (client) => client.callTool({ name: 'get-sum', arguments: { a: 1, b: 2 } }),
  (client) => client.callTool({ name: 'get-sum', arguments: { a: 'x' } }),
  (client) => client.callTool({ name: 'get-tiny-image', arguments: {} }),
  (client) => client.callTool({ name: 'get-structured-content', arguments: { location: 'Chicago' } }),
  (client) => client.callTool({ name: 'nonsense', arguments: {} }),
  (client) => client.getPrompt({ name: 'simple-prompt' }),
  (client) => client.getPrompt({ name: 'nonsense' }),
  (client) => client.readResource({ uri: 'demo://resource/nowhere/else' }),
  (client) => client.setLoggingLevel('debug'),
  (client) => client.subscribeResource({ uri: 'demo://resource/dynamic/text/1' }),
  (client) => client.unsubscribeResource({ uri: 'demo://resource/dynamic/text/1' }),
  (client) =>
    client.complete({
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'department', value: 'S' },
    }),
  // The SDK may drop the last step when it comes with the result; the recorded messages have them all.
  (client) => {
    const params = { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 2 } };
    return client.callTool(params, undefined, { onprogress: () => undefined });
  },
];

const CAPABLE: typeof CONVERSATION = [
  (client) => client.callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'p', maxTokens: 5 } }),
  (client) => client.callTool({ name: 'trigger-elicitation-request', arguments: {} }),
  (client) => client.callTool({ name: 'get-roots-list', arguments: {} }),
];

describe.each([
  ['without capabilities', false],
  ['with roots, sampling and elicitation', true],
] as const)('server-everything, for a client %s', (_name, capable) => {
  test('answers the same through the proxy', async () => {
    const direct = await open(EVERYTHING, capable);
    const proxied = await open([MAIN, 'proxy', '--', process.execPath, ...EVERYTHING], capable);
    for (const step of [...CONVERSATION, ...(capable ? CAPABLE : [])]) {
      const [expected, actual] = await Promise.all([
        outcome(step(direct.client)),
        outcome(step(proxied.client)),
      ]);
      expect(actual).toEqual(expected);
    }
    // Some things are said a while after the connection was opened.
    await expect.poll(() => sorted(proxied.messages), { timeout: 5_000 }).toEqual(sorted(direct.messages));
  }, 60_000);
});

test('a server that asks for roots outside of any call gets them through the proxy', async () => {
  const { client } = await open([MAIN, 'proxy', '--', process.execPath, ...FILES], true, path('test'));
  await expect
    .poll(() => client.callTool({ name: 'list_allowed_directories', arguments: {} }), { timeout: 10_000 })
    .toMatchObject({ content: [{ text: expect.stringContaining(path('test').replace(/\/$/, '')) }] });
}, 30_000);

async function outcome(step: Promise<unknown>): Promise<unknown> {
  try {
    return { result: await step };
  } catch (error) {
    if (!(error instanceof Error)) return { error };
    return { error: error.message, code: 'code' in error ? error.code : undefined };
  }
}

/** Without the server's word, before any list was fetched, that its lists have changed since it started. */
function sorted(messages: readonly unknown[]): string[] {
  const texts = messages
    .map((message) => JSON.stringify(message, byKey))
    .filter((text) => !text.includes('list_changed'));
  // How often the server asks for roots by itself depends on its timers.
  return [...new Set(texts)].sort();
}

/** Params that are empty and params that are absent say the same. */
function byKey(key: string, value: unknown): unknown {
  if (key === 'params' && JSON.stringify(value) === '{}') return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
