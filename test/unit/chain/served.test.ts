/** What a chain says that it can do, and what it passes on of what its clients can. */

import { createChain, type Destination } from 'plumb-mcp/chain';
import { type Client, connect } from 'plumb-mcp/client';
import { createMemoryPair, type Transport } from 'plumb-mcp/transports';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Destinations } from '../../../src/chain/targets.js';
import { decodeText } from '../../../src/jsonrpc/decode.js';
import type { JsonObject } from '../../../src/jsonrpc/message.js';

const SPOKEN = '2025-11-25';
const TASKS = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
const EXTENSIONS = { 'io.modelcontextprotocol/tasks': {}, 'com.example/other': { level: 2 } };

/** A server that declares this, and keeps the params of what it is asked. */
class DeclaringServer {
  readonly received: { method: string; params: JsonObject }[] = [];
  readonly #capabilities: JsonObject;

  constructor(capabilities: JsonObject) {
    this.#capabilities = capabilities;
  }

  transport(): Transport {
    const [ours, theirs] = createMemoryPair();
    const answer = (text: string): void => {
      const decoded = decodeText(text);
      if (decoded.kind !== 'request') return;
      const { id, method, params = {} } = decoded.message;
      this.received.push({ method, params });
      const serverInfo = { name: 'declaring', version: '1' };
      const introduction = { protocolVersion: SPOKEN, capabilities: this.#capabilities, serverInfo };
      const result = method === 'initialize' ? introduction : { content: [] };
      void ours.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
    };
    void ours.start({
      message: (_decoded, text) => answer(text),
      fault: () => undefined,
      closed: () => undefined,
    });
    return theirs;
  }
}

async function open(destinations: Destination | Destinations, revision = SPOKEN): Promise<Client> {
  const built = createChain({ onError: () => undefined }).to(destinations);
  const client = await connect(built, { revisions: [revision] });
  onTestFinished(async () => {
    await client.close();
    await built.close({ drain: 0 });
  });
  return client;
}

/** Tasks as the chain declares them to a client of this revision. */
const OFFERED: Readonly<Record<string, JsonObject>> = {
  [SPOKEN]: { tasks: TASKS },
  '2026-07-28': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

describe.each([SPOKEN, '2026-07-28'])('a client of %s', (revision) => {
  test('hears of tasks in the form that it knows, and of the extensions that the server has', async () => {
    const server = new DeclaringServer({ tools: {}, tasks: TASKS, extensions: EXTENSIONS });
    const { capabilities } = await open(server, revision);
    expect(capabilities).toMatchObject({ tools: {}, ...OFFERED[revision] });
    expect(capabilities.extensions).toHaveProperty(['com.example/other'], { level: 2 });
    expect(Object.keys(capabilities).sort()).toEqual(
      revision === SPOKEN ? ['extensions', 'tasks', 'tools'] : ['extensions', 'tools'],
    );
  });

  test('hears nothing of tasks that a server declares in the form of another revision', async () => {
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    const { capabilities } = await open(new DeclaringServer({ tools: {}, extensions }), revision);
    expect(capabilities).toEqual({ tools: {} });
  });

  test('hears what one of several servers can, whichever it is', async () => {
    const able = { resources: { subscribe: true, listChanged: true }, tools: { listChanged: true } };
    const unable = { resources: { subscribe: false }, tools: { listChanged: false } };
    for (const order of [
      [able, unable],
      [unable, able],
    ]) {
      const [one = {}, two = {}] = order;
      const client = await open(
        { one: new DeclaringServer(one), two: new DeclaringServer({ ...two, tasks: TASKS }) },
        revision,
      );
      expect(client.capabilities).toEqual({ ...able, ...OFFERED[revision] });
    }
  });
});

test('a call that wants to become a task does, and is passed on as the server has its tools', async () => {
  const server = new DeclaringServer({ tools: {}, tasks: TASKS });
  const client = await open(server);
  const answer = await client.request('tools/call', { name: 'run', arguments: {}, task: { ttl: 1000 } });
  expect(answer).toMatchObject({ task: { status: 'working', ttl: 1000 } });
  // It lists no tool that could run as a task.
  const called = (): JsonObject | undefined =>
    server.received.find(({ method }) => method === 'tools/call')?.params;
  await expect.poll(called).toEqual({ name: 'run', arguments: {} });
});

test('a server of its own hears what the client can, except for tasks', async () => {
  const server = new DeclaringServer({ tools: {} });
  const built = createChain({ onError: () => undefined }).to({ server, isolate: 'session' });
  const transport = built.transport();
  await transport.start({ message: () => undefined, fault: () => undefined, closed: () => undefined });
  onTestFinished(() => built.close({ drain: 0 }));
  const capabilities = { roots: {}, tasks: { list: {} } };
  const params = { protocolVersion: SPOKEN, capabilities, clientInfo: { name: 'raw', version: '1' } };
  await transport.send(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
  const introduced = (): JsonObject | undefined =>
    server.received.find(({ method }) => method === 'initialize')?.params;
  await expect.poll(() => introduced()?.capabilities).toEqual({ roots: {} });
});
