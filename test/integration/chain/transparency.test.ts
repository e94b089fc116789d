/**
 * A server behind `plumb proxy` is the same server, as far as the official clients can tell, over whatever transport the
 * proxy reaches it and serves it.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { cleanup } from '../../support/cleanup.js';
import { freePort } from '../../support/free-port.js';
import { type Endpoint, openRecorded, type RecordedClient, type Sdk } from './recorded-client.js';

const path = (relative: string): string => fileURLToPath(new URL(`../../../${relative}`, import.meta.url));
const MAIN = path('dist/cli/main.js');
const MODULES = 'node_modules/@modelcontextprotocol';
const EVERYTHING = path(`${MODULES}/server-everything/dist/index.js`);
const FILES = [path(`${MODULES}/server-filesystem/dist/index.js`)];

async function open(sdk: Sdk, endpoint: Endpoint, capable: boolean, root?: string): Promise<RecordedClient> {
  const client = await openRecorded(sdk, endpoint, { capable, ...(root === undefined ? {} : { root }) });
  cleanup(() => client.close());
  return client;
}

type Step = (client: RecordedClient) => Promise<unknown>;

/** Answers in the order of the questions; what comes in between has its own order. */
const CONVERSATION: readonly Step[] = [
  async ({ official }) => {
    // Tasks are the chain's own, and only clients that it can tell from others may list theirs.
    const { tasks: _, ...capabilities } = official.getServerCapabilities() ?? {};
    return [official.getServerVersion(), capabilities, official.getInstructions()];
  },
  ({ official }) => official.ping(),
  ({ official }) => official.listTools(),
  ({ official }) => official.listResources(),
  ({ official }) => official.listResourceTemplates(),
  ({ official }) => official.listPrompts(),
  (client) => client.call('echo', { message: 'hi' }),
  (client) => client.call('get-sum', { a: 1, b: 2 }),
  (client) => client.call('get-sum', { a: 'x' }),
  (client) => client.call('get-tiny-image', {}),
  (client) => client.call('get-structured-content', { location: 'Chicago' }),
  (client) => client.call('nonsense', {}),
  ({ official }) => official.getPrompt({ name: 'simple-prompt' }),
  ({ official }) => official.getPrompt({ name: 'nonsense' }),
  ({ official }) => official.readResource({ uri: 'demo://resource/nowhere/else' }),
  ({ official }) => official.setLoggingLevel('debug'),
  ({ official }) => official.subscribeResource({ uri: 'demo://resource/dynamic/text/1' }),
  ({ official }) => official.unsubscribeResource({ uri: 'demo://resource/dynamic/text/1' }),
  ({ official }) =>
    official.complete({
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'department', value: 'S' },
    }),
  // The SDK may drop the last step when it comes with the result; the recorded messages have them all.
  (client) => client.call('trigger-long-running-operation', { duration: 0.2, steps: 2 }, () => undefined),
];

const CAPABLE: readonly Step[] = [
  (client) => client.call('trigger-sampling-request', { prompt: 'p', maxTokens: 5 }),
  (client) => client.call('trigger-elicitation-request', {}),
  (client) => client.call('get-roots-list', {}),
];

interface Way {
  readonly name: string;
  /** The server itself, and the same behind the proxy. */
  start(): Promise<{ readonly direct: Endpoint; readonly proxied: Endpoint }>;
}

const STDIO: Endpoint = { args: [EVERYTHING, 'stdio'] };
const COMMAND = ['--', process.execPath, EVERYTHING, 'stdio'];

const WAYS: readonly Way[] = [
  {
    name: 'stdio in front of stdio',
    start: async () => ({ direct: STDIO, proxied: { args: [MAIN, 'proxy', ...COMMAND] } }),
  },
  {
    name: 'HTTP in front of stdio',
    start: async () => {
      const port = await freePort();
      await listening([MAIN, 'proxy', '--http', String(port), ...COMMAND], {}, 'listens at');
      return { direct: STDIO, proxied: { url: `http://127.0.0.1:${port}/mcp` } };
    },
  },
  {
    name: 'stdio in front of HTTP',
    start: async () => {
      const port = await freePort();
      await listening([EVERYTHING, 'streamableHttp'], { PORT: String(port) }, 'listening on port');
      const url = `http://127.0.0.1:${port}/mcp`;
      return { direct: { url }, proxied: { args: [MAIN, 'proxy', url, '--stdio'] } };
    },
  },
];

const CASES = WAYS.flatMap((way) =>
  (['v1', 'v2'] as const).flatMap((sdk) => [
    { way, sdk, capable: false, capabilities: 'without capabilities' },
    { way, sdk, capable: true, capabilities: 'with roots, sampling and elicitation' },
  ]),
);

describe.each(CASES)(
  'server-everything, $way.name, for a client of SDK $sdk $capabilities',
  ({ way, sdk, capable }) => {
    test('answers the same through the proxy', async () => {
      const { direct, proxied } = await way.start();
      const [itself, behind] = await Promise.all([open(sdk, direct, capable), open(sdk, proxied, capable)]);
      expect(itself.official.getServerCapabilities()).toHaveProperty('tasks');
      expect(behind.official.getServerCapabilities()).toHaveProperty('tasks.requests.tools.call');
      for (const step of [...CONVERSATION, ...(capable ? CAPABLE : [])]) {
        const [expected, actual] = await Promise.all([outcome(step(itself)), outcome(step(behind))]);
        expect(actual).toEqual(expected);
      }
      // Some things are said a while after the connection was opened.
      await expect.poll(() => sorted(behind.messages)).toEqual(sorted(itself.messages));
    }, 90_000);
  },
);

test('a server that asks for roots outside of any call gets them through the proxy', async () => {
  const args = [MAIN, 'proxy', '--', process.execPath, ...FILES];
  const client = await open('v1', { args }, true, path('test'));
  await expect
    .poll(() => client.call('list_allowed_directories', {}))
    .toMatchObject({ content: [{ text: expect.stringContaining(path('test').replace(/\/$/, '')) }] });
}, 60_000);

/** Starts a program and waits for what it says when it listens. */
async function listening(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  sign: string,
): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, args, { env: { ...process.env, ...env } });
  cleanup(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
  });
  let said = '';
  const take = (chunk: Buffer): void => {
    said += chunk;
  };
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  await expect.poll(() => said).toContain(sign);
}

async function outcome(step: Promise<unknown>): Promise<unknown> {
  try {
    return { result: await step };
  } catch (error) {
    if (!(error instanceof Error)) return { error };
    return { error: error.message, code: 'code' in error ? error.code : undefined };
  }
}

/** The server tells its sessions apart in its log messages. */
const SESSION_ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** Without the server's word, before any list was fetched, that its lists have changed since it started. */
function sorted(messages: readonly unknown[]): string[] {
  const texts = messages
    .map((message) => JSON.stringify(message, byKey).replaceAll(SESSION_ID, 'ID'))
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
