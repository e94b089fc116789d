import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { accept, type Client, connect, decline, refuse } from '../../../src/client/index.js';
import type { AskContext } from '../../../src/client/input/asks.js';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import { meta, rpcError, STATELESS, statelessServer, token, turn } from '../../support/scripted-server.js';

const FORM = {
  message: 'Who?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
};
const ELICIT = { method: 'elicitation/create', params: FORM };
const ROOTS = { method: 'roots/list' };
const SAMPLE = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } };
const DONE = { resultType: 'complete', content: [{ type: 'text', text: 'done' }] };
const ODD_STATE = '{"a":"\u2028 \\ud800 "}\u0000';

function needs(inputRequests?: JsonObject, requestState?: string): JsonObject {
  return {
    resultType: 'input_required',
    ...(inputRequests === undefined ? {} : { inputRequests }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

const sample = () => ({
  role: 'assistant' as const,
  content: { type: 'text' as const, text: 'hi' },
  model: 'm',
});

describe('a call that needs input', () => {
  it('answers every question and sends the call again, state untouched', async () => {
    const contexts: AskContext[] = [];
    const server = statelessServer();
    const results = [needs({ who: ELICIT, where: ROOTS, what: SAMPLE }, ODD_STATE), DONE];
    server.on('tools/call', () => results.shift());
    const client = await connect(server, {
      elicit: (_request, context) => {
        contexts.push(context);
        return accept({ name: 'Ada' });
      },
      sample,
      roots: [{ uri: 'file:///a' }],
    });
    const result = await client.tools.call('greet', { loud: true }, { onProgress: () => {} });
    expect(result.content).toEqual(DONE.content);
    const [first, second] = server.all('tools/call');
    expect(second?.id).not.toBe(first?.id);
    expect(second?.params).toMatchObject({
      name: 'greet',
      arguments: { loud: true },
      requestState: ODD_STATE,
    });
    expect(second?.params.inputResponses).toEqual({
      who: { action: 'accept', content: { name: 'Ada' } },
      where: { roots: [{ uri: 'file:///a' }] },
      what: { ...sample(), stopReason: 'endTurn' },
    });
    expect(second && meta(second, 'protocolVersion')).toBe(STATELESS);
    expect(second && meta(second, 'clientCapabilities')).toBeDefined();
    expect(second && token(second)).not.toBe(first && token(first));
    expect(contexts[0]?.call).toEqual({
      method: 'tools/call',
      params: { name: 'greet', arguments: { loud: true } },
    });
  });

  it('sends no state when none was given, and none of an earlier round', async () => {
    const server = statelessServer();
    const results = [needs({ a: ELICIT }, 'first'), needs({ b: ELICIT }), DONE];
    server.on('tools/call', () => results.shift());
    const client = await connect(server, { elicit: decline });
    await client.tools.call('x');
    const [, second, third] = server.all('tools/call');
    expect(second?.params).toMatchObject({
      requestState: 'first',
      inputResponses: { a: { action: 'decline' } },
    });
    expect(third?.params).not.toHaveProperty('requestState');
    expect(third?.params.inputResponses).toEqual({ b: { action: 'decline' } });
  });

  it('keeps rounds of parallel calls apart', async () => {
    const server = statelessServer();
    server.on('tools/call', (params) =>
      params.requestState === undefined
        ? needs({ q: ELICIT }, `state of ${params.name}`)
        : { ...DONE, structuredContent: params.requestState },
    );
    const client = await connect(server, { elicit: decline });
    const results = await Promise.all(['a', 'b', 'c'].map((name) => client.tools.call(name)));
    expect(results.map((result) => result.structuredContent)).toEqual([
      'state of a',
      'state of b',
      'state of c',
    ]);
  });

  it('works for prompts, resources and raw requests too', async () => {
    const server = statelessServer();
    const finish = (result: JsonObject) => (params: JsonObject) =>
      params.inputResponses === undefined ? needs({ q: ELICIT }) : { resultType: 'complete', ...result };
    server.on('prompts/get', finish({ messages: [] })).on('resources/read', finish({ contents: [] }));
    const client = await connect(server, { elicit: decline });
    await client.prompts.get('p');
    await client.resources.read('a:b');
    await client.request('resources/read', { uri: 'a:c' });
    expect(server.all('resources/read')).toHaveLength(4);
  });

  it.each([
    ['a method that may not ask', 'completion/complete', needs({ q: ELICIT })],
    ['an unknown resultType', 'tools/call', { resultType: 'weird', content: [] }],
    ['neither questions nor state', 'tools/call', needs()],
    ['state that is no string', 'tools/call', { resultType: 'input_required', requestState: 5 }],
    ['questions that are no object', 'tools/call', { resultType: 'input_required', inputRequests: [] }],
    ['a question without a method', 'tools/call', needs({ q: {} })],
  ])('is invalid with %s', async (_case, method, result) => {
    const server = statelessServer().on(method, () => result);
    const client = await connect(server, { elicit: decline });
    const call =
      method === 'tools/call'
        ? client.tools.call('x')
        : client.completion.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' });
    await expect(call).rejects.toMatchObject({ code: 'invalid_result' });
    expect(server.all(method)).toHaveLength(1);
  });

  it('takes a missing resultType for complete', async () => {
    const server = statelessServer().on('tools/call', () => ({ content: [] }));
    expect(await (await connect(server)).tools.call('x')).toMatchObject({ isError: false });
  });

  it('leaves result types of extensions to raw requests', async () => {
    const server = statelessServer().on('tools/call', () => ({ resultType: 'task', taskId: 't' }));
    const client = await connect(server);
    await expect(client.tools.call('x')).rejects.toMatchObject({ code: 'invalid_result' });
    expect(await client.request('tools/call', { name: 'x' })).toEqual({ resultType: 'task', taskId: 't' });
  });

  it.each([
    ['input_refused', 'the user refuses', { sample: () => refuse('no') }],
    ['input_failed', 'the handler fails', { sample: () => Promise.reject(new Error('offline')) }],
    ['input_failed', 'there is no handler', {}],
  ])('ends with %s and is not sent again when %s', async (code, _case, options) => {
    const server = statelessServer().on('tools/call', () => needs({ q: SAMPLE }));
    const client = await connect(server, options);
    await expect(client.tools.call('x')).rejects.toMatchObject({ code });
    await turn();
    expect(server.all('tools/call')).toHaveLength(1);
    expect(server.all('notifications/cancelled')).toHaveLength(0);
  });

  it('tells the other handlers when one question cannot be answered', async () => {
    let signal: AbortSignal | undefined;
    const server = statelessServer().on('tools/call', () => needs({ a: ELICIT, b: SAMPLE }));
    const client = await connect(server, {
      elicit: (_request, context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
      sample: () => refuse(),
    });
    await expect(client.tools.call('x')).rejects.toMatchObject({ code: 'input_refused' });
    expect(signal?.aborted).toBe(true);
  });

  it('stops a server that never has enough', async () => {
    const server = statelessServer().on('tools/call', () => needs({ q: ELICIT }));
    const client = await connect(server, { elicit: decline, maxInputRounds: 3 });
    await expect(client.tools.call('x')).rejects.toMatchObject({ code: 'too_many_rounds' });
    expect(server.all('tools/call')).toHaveLength(4);
  });

  it('answers keys that look like parts of an object', async () => {
    const server = statelessServer();
    server.on('tools/call', (params) => {
      if (params.inputResponses === undefined) {
        return needs(
          JSON.parse(`{"__proto__":${JSON.stringify(ELICIT)},"constructor":${JSON.stringify(ROOTS)}}`),
        );
      }
      return DONE;
    });
    const client = await connect(server, { elicit: decline, roots: [] });
    await client.tools.call('x');
    const retry = server.all('tools/call')[1]?.params.inputResponses ?? {};
    expect(Object.keys(retry).sort()).toEqual(['__proto__', 'constructor']);
  });

  it('can be aborted while the user thinks, without a word to the server', async () => {
    let signal: AbortSignal | undefined;
    const server = statelessServer().on('tools/call', () => needs({ q: ELICIT }));
    const client = await connect(server, {
      elicit: (_request, context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
    });
    const controller = new AbortController();
    const call = client.tools.call('x', {}, { signal: controller.signal });
    await turn();
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await turn();
    expect(signal?.aborted).toBe(true);
    expect(server.methods()).toEqual(['server/discover', 'tools/call']);
  });

  it('is lost with the connection while the user thinks', async () => {
    let signal: AbortSignal | undefined;
    const server = statelessServer().on('tools/call', () => needs({ q: ELICIT }));
    const client = await connect(server, {
      elicit: (_request, context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
    });
    const call = client.tools.call('x');
    await turn();
    await server.hangUp();
    await expect(call).rejects.toMatchObject({ code: 'connection_closed' });
    expect(signal?.aborted).toBe(true);
  });
});

describe('a version refused in the middle', () => {
  it('is tried again once in a version that the server names, be it the same', async () => {
    const server = statelessServer();
    let refusals = 1;
    server.on('tools/call', () =>
      refusals-- > 0 ? rpcError(-32022, 'no', { supported: [STATELESS], requested: STATELESS }) : DONE,
    );
    const client = await connect(server);
    await client.tools.call('x');
    expect(server.all('tools/call')).toHaveLength(2);
  });

  it.each([
    ['keeps refusing', [STATELESS], 2],
    ['names none of ours', ['1900-01-01'], 1],
    ['names only handshake revisions', ['2025-11-25'], 1],
  ])('reaches the caller when the server %s', async (_case, supported, attempts) => {
    const server = statelessServer().on('tools/call', () =>
      rpcError(-32022, 'no', { supported, requested: STATELESS }),
    );
    const client = await connect(server);
    await expect(client.tools.call('x')).rejects.toMatchObject({
      code: 'unsupported_version',
      rpcCode: -32022,
    });
    expect(server.all('tools/call')).toHaveLength(attempts);
  });
});

describe('rounds and the clock', () => {
  const clients: Client[] = [];
  const open: typeof connect = async (target, options) => {
    const client = await connect(target, options);
    clients.push(client);
    return client;
  };
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it('sends a call again at once on state alone, and then less and less often', async () => {
    const server = statelessServer().on('tools/call', () => needs(undefined, 's'));
    const client = await open(server, { maxInputRounds: 3 });
    const failure = expect(client.tools.call('x')).rejects.toMatchObject({ code: 'too_many_rounds' });
    await turn();
    await vi.advanceTimersByTimeAsync(0);
    await turn();
    expect(server.all('tools/call')).toHaveLength(2);
    expect(server.all('tools/call')[1]?.params).not.toHaveProperty('inputResponses');
    expect(server.all('tools/call')[1]?.params.requestState).toBe('s');
    await vi.advanceTimersByTimeAsync(99);
    expect(server.all('tools/call')).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    await turn();
    expect(server.all('tools/call')).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(200);
    await failure;
  });

  it('leaves no timer when the call is aborted between two attempts', async () => {
    const server = statelessServer().on('tools/call', () => needs(undefined, 's'));
    const client = await open(server);
    const controller = new AbortController();
    const failure = expect(client.tools.call('x', {}, { signal: controller.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    await turn();
    await vi.advanceTimersByTimeAsync(0);
    await turn();
    controller.abort();
    await failure;
  });

  it('does not count the time that the user takes', async () => {
    let answer = (): void => {};
    const server = statelessServer();
    const results = [needs({ q: ELICIT }), DONE];
    server.on('tools/call', () => results.shift());
    const client = await open(server, {
      elicit: () => new Promise((resolve) => (answer = () => resolve(decline()))),
    });
    const call = client.tools.call('x', {}, { timeout: 1_000 });
    await turn();
    await vi.advanceTimersByTimeAsync(3_600_000);
    answer();
    await call;
  });
});
