/** Two pairs of real handshake servers behind one gateway: what they say and ask during a call reaches its caller. */

import { fileURLToPath } from 'node:url';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { type Chain, createChain } from 'plumb-mcp/chain';
import { connect } from 'plumb-mcp/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import type { HttpHandle } from '../../../src/server/http/service.js';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const EVERYTHING = file('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const TALKATIVE = file('./fixtures/talkative-server.mjs');
const program = (...args: string[]): { command: string; args: string[] } => ({
  command: process.execPath,
  args,
});

let gateway: Chain;
let handle: HttpHandle;

beforeAll(async () => {
  gateway = createChain({ onError: () => undefined }).to({
    one: program(EVERYTHING, 'stdio'),
    two: program(EVERYTHING, 'stdio'),
    left: program(TALKATIVE, 'left'),
    right: program(TALKATIVE, 'right'),
  });
  handle = await gateway.http();
});
afterAll(() => gateway.close({ drain: 0 }));

/** One client, and what it was asked. */
interface Caller {
  readonly asked: string[];
  call(
    name: string,
    args: Record<string, unknown>,
    onProgress?: (progress: unknown) => void,
  ): Promise<string>;
}

const CAPABILITIES = { sampling: {}, elicitation: { form: {} }, roots: {} };

const answersOf = (who: string, asked: string[]) => ({
  elicit: () => {
    asked.push('elicitation');
    return { action: 'accept' as const, content: { name: who } };
  },
  sample: () => {
    asked.push('sampling');
    const content = { type: 'text' as const, text: `sampled by ${who}` };
    return { role: 'assistant' as const, content, model: who };
  },
  roots: () => {
    asked.push('roots');
    return { roots: [{ uri: `file:///${who}` }] };
  },
});

async function openV1(who: string): Promise<Caller> {
  const asked: string[] = [];
  const answers = answersOf(who, asked);
  const client = new ClientV1({ name: who, version: '1' }, { capabilities: CAPABILITIES });
  client.setRequestHandler(ElicitRequestSchema, answers.elicit);
  client.setRequestHandler(CreateMessageRequestSchema, answers.sample);
  client.setRequestHandler(ListRootsRequestSchema, answers.roots);
  await client.connect(new HttpV1(new URL(handle.url)) as Parameters<ClientV1['connect']>[0]);
  onTestFinished(() => client.close());
  return {
    asked,
    call: async (name, args, onprogress) =>
      JSON.stringify(
        await client.callTool(
          { name, arguments: args },
          undefined,
          onprogress === undefined ? {} : { onprogress },
        ),
      ),
  };
}

async function openV2(who: string, mode: 'auto' | 'legacy'): Promise<Caller> {
  const asked: string[] = [];
  const answers = answersOf(who, asked);
  const client = new ClientV2(
    { name: who, version: '1' },
    { capabilities: CAPABILITIES, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', answers.elicit);
  client.setRequestHandler('sampling/createMessage', answers.sample);
  client.setRequestHandler('roots/list', answers.roots);
  await client.connect(new HttpV2(new URL(handle.url)));
  onTestFinished(() => client.close());
  return {
    asked,
    call: async (name, args, onprogress) =>
      JSON.stringify(
        await client.callTool({ name, arguments: args }, onprogress === undefined ? {} : { onprogress }),
      ),
  };
}

async function openOurs(who: string, revision: string): Promise<Caller & { readonly logged: unknown[] }> {
  const asked: string[] = [];
  const logged: unknown[] = [];
  const answers = answersOf(who, asked);
  const client = await connect(handle.url, {
    revisions: [revision],
    elicit: answers.elicit,
    sample: answers.sample,
    roots: () => answers.roots().roots,
  });
  client.on('log', (message) => logged.push(message.data));
  await client.logging.setLevel('info');
  onTestFinished(() => client.close());
  return {
    asked,
    logged,
    call: async (name, args, onProgress) =>
      JSON.stringify(await client.tools.call(name, args, onProgress === undefined ? {} : { onProgress })),
  };
}

const CLIENTS: Readonly<Record<string, (who: string) => Promise<Caller>>> = {
  'SDK v1': openV1,
  'SDK v2, handshake': (who) => openV2(who, 'legacy'),
  'SDK v2, stateless': (who) => openV2(who, 'auto'),
  ...Object.fromEntries(
    REVISIONS.map(({ version }) => [`Plumb ${version}`, (who: string) => openOurs(who, version)]),
  ),
};

describe.each(Object.entries(CLIENTS))('clients of %s', (_name, open) => {
  test('get the progress of their own call on each of two servers', async () => {
    const [ada, bob] = await Promise.all([open('ada'), open('bob')]);
    const operation = 'trigger-long-running-operation';
    const seen: Record<string, unknown[]> = { ada: [], bob: [] };
    const [first, second] = await Promise.all([
      ada.call(`one__${operation}`, { duration: 0.3, steps: 3 }, (progress) => seen.ada?.push(progress)),
      bob.call(`two__${operation}`, { duration: 0.3, steps: 2 }, (progress) => seen.bob?.push(progress)),
    ]);
    expect([first, second]).toEqual([
      expect.stringContaining('Steps: 3'),
      expect.stringContaining('Steps: 2'),
    ]);
    expect(seen.ada).toMatchObject([1, 2, 3].map((progress) => ({ progress, total: 3 })));
    expect(seen.bob).toMatchObject([1, 2].map((progress) => ({ progress, total: 2 })));
  });

  test('are asked for samples by the server that works for them, at the same time as another client', async () => {
    const [ada, bob] = await Promise.all([open('ada'), open('bob')]);
    const args = { prompt: 'a word', maxTokens: 9 };
    const [first, second] = await Promise.all([
      ada.call('one__trigger-sampling-request', args),
      bob.call('two__trigger-sampling-request', args),
    ]);
    expect(first).toContain('sampled by ada');
    expect(second).toContain('sampled by bob');
    expect([ada.asked, bob.asked]).toEqual([['sampling'], ['sampling']]);
  });

  test('are asked for roots by the server that works for them', async () => {
    const [ada, bob] = await Promise.all([open('ada'), open('bob')]);
    const [first, second] = await Promise.all([ada.call('left__places', {}), bob.call('right__places', {})]);
    expect(first).toContain('left: file:///ada');
    expect(second).toContain('right: file:///bob');
  });
});

/** The first two revisions have no forms. */
const WITH_FORMS = Object.entries(CLIENTS).filter(([name]) => !/2024-11-05|2025-03-26/.test(name));

describe.each(WITH_FORMS)('clients of %s', (_name, open) => {
  test('are asked for forms by the server that works for them', async () => {
    const [ada, bob] = await Promise.all([open('ada'), open('bob')]);
    const [first, second] = await Promise.all([
      ada.call('one__trigger-elicitation-request', {}),
      bob.call('two__trigger-elicitation-request', {}),
    ]);
    expect(first).toContain('ada');
    expect(second).toContain('bob');
    expect([ada.asked, bob.asked]).toEqual([['elicitation'], ['elicitation']]);
  });
});

describe.each(REVISIONS.map(({ version }) => version))('clients of %s', (version) => {
  test('get what a server logs during their calls, and nothing of what others have it log', async () => {
    const [ada, bob] = await Promise.all([openOurs('ada', version), openOurs('bob', version)]);
    await Promise.all([ada.call('left__log', {}), bob.call('right__log', {})]);
    await expect.poll(() => [ada.logged, bob.logged]).toEqual([['said by left'], ['said by right']]);
  });
});
