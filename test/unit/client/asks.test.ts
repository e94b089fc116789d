import { describe, expect, it } from 'vitest';
import type { ClientFault } from '../../../src/client/events.js';
import {
  accept,
  acceptDefaults,
  type ConnectOptions,
  connect,
  decline,
  dismiss,
  refuse,
} from '../../../src/client/index.js';
import type { AskContext } from '../../../src/client/input/asks.js';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import type { CreateMessageResult } from '../../../src/protocol/model/index.js';
import {
  handshakeServer,
  type ScriptedServer,
  statelessServer,
  turn,
  type WireMessage,
} from '../../support/scripted-server.js';

const FORM = {
  message: 'Who?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      age: { type: 'integer', default: 7 },
      colour: { type: 'string', enum: ['red', 'blue'], default: 'red' },
      pets: { type: 'array', items: { enum: ['cat', 'dog'] } },
      size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
    },
    required: ['name'],
  },
} as const;

const MESSAGE: CreateMessageResult = { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' };

async function open(
  options: ConnectOptions,
  version = '2025-11-25',
): Promise<{ server: ScriptedServer; ask(method: string, params?: JsonObject): Promise<WireMessage> }> {
  const server = handshakeServer(version);
  await connect(server, { ...options, revisions: [version] });
  let id = 0;
  return {
    server,
    ask: (method, params) => {
      server.ask(`q${++id}`, method, params);
      return server.next();
    },
  };
}

describe('questions of a handshake server', () => {
  it('answers ping, also without any handler', async () => {
    const { ask } = await open({});
    expect(await ask('ping')).toMatchObject({ id: 'q1', result: {} });
  });

  it('refuses what it has no handler for with -32601', async () => {
    const { ask } = await open({});
    for (const method of ['roots/list', 'sampling/createMessage', 'elicitation/create', 'foo/bar']) {
      expect((await ask(method, { ...FORM })).error).toMatchObject({ code: -32601 });
    }
  });

  it('lists roots from an array and from a function', async () => {
    const fixed = await open({ roots: [{ uri: 'file:///a', name: 'A' }] });
    expect((await fixed.ask('roots/list')).result).toEqual({ roots: [{ uri: 'file:///a', name: 'A' }] });
    const computed = await open({ roots: async () => [{ uri: 'file:///b' }] });
    expect((await computed.ask('roots/list')).result).toEqual({ roots: [{ uri: 'file:///b' }] });
  });

  it('refuses to declare a root that is no file URI', async () => {
    await expect(open({ roots: [{ uri: 'https://example.com' }] })).rejects.toThrow(/file:\/\//);
  });

  it('samples, and completes the result', async () => {
    const { ask } = await open({ sample: () => MESSAGE });
    const answer = await ask('sampling/createMessage', {
      messages: [{ role: 'user', content: { type: 'text', text: 'x' } }],
      maxTokens: 5,
    });
    expect(answer.result).toEqual({ ...MESSAGE, stopReason: 'endTurn' });
  });

  it.each([
    ['without messages', { maxTokens: 5 }],
    ['without maxTokens', { messages: [] }],
    ['with tools, undeclared', { messages: [], maxTokens: 5, tools: [] }],
    [
      'with tool results mixed with text',
      {
        maxTokens: 5,
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'x', input: {} }] },
          {
            role: 'user',
            content: [
              { type: 'tool_result', toolUseId: '1', content: [] },
              { type: 'text', text: '' },
            ],
          },
        ],
      },
    ],
    [
      'with a tool use left open',
      {
        maxTokens: 5,
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'x', input: {} }] },
          { role: 'user', content: { type: 'text', text: '' } },
        ],
      },
    ],
  ])('refuses sampling %s with -32602', async (_case, params) => {
    const { ask } = await open({ sample: () => MESSAGE });
    expect((await ask('sampling/createMessage', params)).error).toMatchObject({ code: -32602 });
  });

  it('takes balanced tool results when tools are declared', async () => {
    const { ask } = await open({ sample: () => MESSAGE, sampleTools: true });
    const messages = [
      { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'x', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', toolUseId: '1', content: [] }] },
    ];
    expect((await ask('sampling/createMessage', { messages, maxTokens: 5, tools: [] })).result).toMatchObject(
      MESSAGE,
    );
  });

  it('fills defaults into an accepted form, and takes a missing mode for a form', async () => {
    const { ask } = await open({ elicit: () => accept({ name: 'Ada', pets: ['cat'] }) });
    expect((await ask('elicitation/create', FORM)).result).toEqual({
      action: 'accept',
      content: { name: 'Ada', age: 7, colour: 'red', pets: ['cat'] },
    });
  });

  it.each([
    ['decline', decline()],
    ['cancel', dismiss()],
  ])('sends no content with %s', async (action, answer) => {
    const { ask } = await open({ elicit: () => ({ ...answer, content: { name: 'x' } }) });
    expect((await ask('elicitation/create', FORM)).result).toEqual({ action });
  });

  it('sends no content with an accepted URL', async () => {
    const { ask } = await open({ elicit: () => accept({ a: 1 }) });
    const url = { mode: 'url', message: 'Go', url: 'https://example.com', elicitationId: 'e' };
    expect((await ask('elicitation/create', url)).result).toEqual({ action: 'accept' });
  });

  it.each([
    ['a required field is missing', {}],
    ['a type is wrong', { name: 5 }],
    ['a choice is none', { name: 'x', colour: 'green' }],
    ['a choice of several is none', { name: 'x', pets: ['cow'] }],
    ['a titled choice is none', { name: 'x', size: 'Small' }],
    ['an integer is none', { name: 'x', age: 1.5 }],
  ])('does not send an accepted form in which %s', async (_case, content) => {
    const faults: ClientFault[] = [];
    const { ask } = await open({ elicit: () => accept(content), onFault: (fault) => faults.push(fault) });
    expect((await ask('elicitation/create', FORM)).error).toEqual({
      code: -32603,
      message: 'The client could not answer elicitation/create',
    });
    expect(faults).toMatchObject([{ kind: 'handler', message: expect.stringContaining('does not fit') }]);
  });

  it('accepts all defaults with one call', () => {
    expect(acceptDefaults(FORM.requestedSchema as never)).toEqual({
      action: 'accept',
      content: { age: 7, colour: 'red' },
    });
  });

  it('refuses an elicitation mode that it did not declare with -32602', async () => {
    const { ask } = await open({ elicit: decline, elicitModes: ['form'] });
    const url = { mode: 'url', message: 'Go', url: 'https://example.com', elicitationId: 'e' };
    expect((await ask('elicitation/create', url)).error).toMatchObject({ code: -32602 });
    expect((await ask('elicitation/create', FORM)).result).toEqual({ action: 'decline' });
    const urls = await open({ elicit: decline, elicitModes: ['url'] });
    expect((await urls.ask('elicitation/create', FORM)).error).toMatchObject({ code: -32602 });
  });

  it('knows no elicitation before the revision that has it', async () => {
    const { ask } = await open({ elicit: decline }, '2025-03-26');
    expect((await ask('elicitation/create', FORM)).error).toMatchObject({ code: -32601 });
  });

  it('refuses a question without its parts with -32602', async () => {
    const { ask } = await open({ elicit: decline });
    expect((await ask('elicitation/create', { message: 'Who?' })).error).toMatchObject({ code: -32602 });
    expect((await ask('elicitation/create', { mode: 'url', message: 'Go' })).error).toMatchObject({
      code: -32602,
    });
  });

  it('tells a refusal from a failure, and keeps the details of a failure to itself', async () => {
    const faults: ClientFault[] = [];
    const refused = await open({ sample: () => refuse('not today'), elicit: () => refuse() });
    const sampling = { messages: [], maxTokens: 5 };
    expect((await refused.ask('sampling/createMessage', sampling)).error).toEqual({
      code: -1,
      message: 'not today',
    });
    expect((await refused.ask('elicitation/create', FORM)).result).toEqual({ action: 'decline' });
    const broken = await open({
      sample: () => Promise.reject(new Error('key sk-123 is wrong')),
      onFault: (fault) => faults.push(fault),
    });
    const answer = await broken.ask('sampling/createMessage', sampling);
    expect(JSON.stringify(answer)).not.toContain('sk-123');
    expect(answer.error).toMatchObject({ code: -32603 });
    expect(faults).toMatchObject([{ message: expect.stringContaining('sk-123') }]);
  });

  it('aborts the handler and does not answer when the server cancels', async () => {
    const contexts: AskContext[] = [];
    const { server } = await open({
      elicit: (_request, context) => {
        contexts.push(context);
        return new Promise((resolve) => context.signal.addEventListener('abort', () => resolve(decline())));
      },
    });
    server.ask(1, 'elicitation/create', FORM);
    await turn();
    expect(contexts[0]).toMatchObject({
      revision: '2025-11-25',
      call: undefined,
      signal: { aborted: false },
    });
    server.notify('notifications/cancelled', { requestId: 'other' });
    server.notify('notifications/cancelled', {});
    server.notify('notifications/cancelled', { requestId: 1 });
    await turn();
    expect(contexts[0]?.signal.aborted).toBe(true);
    server.ask(2, 'ping');
    expect((await server.next()).id).toBe(2);
  });

  it('aborts the handler when the connection is gone', async () => {
    let signal: AbortSignal | undefined;
    const { server } = await open({
      elicit: (_request, context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
    });
    server.ask(1, 'elicitation/create', FORM);
    await turn();
    await server.hangUp();
    await turn();
    expect(signal?.aborted).toBe(true);
  });

  it('asks once when the server sends the same request twice', async () => {
    const faults: ClientFault[] = [];
    let asked = 0;
    let answer = (): void => {};
    const { server } = await open({
      elicit: () => {
        asked += 1;
        return new Promise((resolve) => (answer = () => resolve(decline())));
      },
      onFault: (fault) => faults.push(fault),
    });
    server.ask(1, 'elicitation/create', FORM);
    server.ask(1, 'elicitation/create', FORM);
    await turn();
    answer();
    await server.next();
    await turn();
    expect(asked).toBe(1);
    expect(server.received.filter(({ method }) => method === undefined)).toHaveLength(1);
    expect(faults).toMatchObject([{ kind: 'unexpected_message' }]);
  });
});

describe('batches', () => {
  const BATCH = [
    { jsonrpc: '2.0', id: 'a', method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'hi' } },
    { jsonrpc: '2.0', id: 'b', method: 'roots/list' },
    { jsonrpc: '2.0', id: 'c', method: 'foo/bar' },
  ];

  it('are taken apart, and their requests answered together, in the revision that has them', async () => {
    const logs: unknown[] = [];
    const server = handshakeServer('2025-03-26');
    await connect(server, { roots: [], onLog: ({ data }) => logs.push(data) });
    server.send(BATCH);
    await turn();
    expect(logs).toEqual(['hi']);
    const answers = server.raw.at(-1);
    expect(server.raw.filter(Array.isArray)).toHaveLength(1);
    expect(answers).toHaveLength(3);
    expect(answers).toEqual(
      expect.arrayContaining([
        { jsonrpc: '2.0', id: 'a', result: {} },
        { jsonrpc: '2.0', id: 'b', result: { roots: [] } },
        expect.objectContaining({ id: 'c', error: expect.objectContaining({ code: -32601 }) }),
      ]),
    );
  });

  it('may bring the answers to several calls', async () => {
    const server = handshakeServer('2025-03-26');
    const client = await connect(server);
    const calls = [client.tools.call('a'), client.tools.call('b')];
    await turn();
    server.send(server.all('tools/call').map(({ id }) => ({ jsonrpc: '2.0', id, result: { content: [] } })));
    await Promise.all(calls);
  });

  it('are refused everywhere else', async () => {
    const faults: ClientFault[] = [];
    const server = handshakeServer('2025-06-18');
    await connect(server, { onFault: (fault) => faults.push(fault) });
    await turn();
    const before = server.received.length;
    server.send(BATCH);
    await turn();
    expect(server.received).toHaveLength(before);
    expect(faults).toMatchObject([{ kind: 'unexpected_message', message: expect.stringContaining('batch') }]);
  });
});

it('never answers a request of a stateless server', async () => {
  const faults: ClientFault[] = [];
  const server = statelessServer();
  await connect(server, { roots: [], elicit: decline, onFault: (fault) => faults.push(fault) });
  for (const method of ['ping', 'roots/list', 'elicitation/create']) server.ask(method, method, FORM);
  await turn();
  expect(server.methods()).toEqual(['server/discover']);
  expect(faults).toHaveLength(3);
});
