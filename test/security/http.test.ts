/** Attacks on a listening server (and on `server.fetch`) that have hit MCP software before. */

import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/jsonrpc/message.js';
import { post, SessionPeer, stateless, statelessCall, statelessTool } from '../support/http-peer.js';
import { createFixture } from '../support/http-server.js';
import { describeMatrix, type HttpTarget, sendTo } from '../support/http-target.js';
import { LegacyPeer } from '../support/legacy-peer.js';
import { textOf } from '../support/wire-peer.js';

describeMatrix('clients with the same ids at the same time', (start) => {
  it('never get what belongs to another', async () => {
    const { server } = createFixture();
    server.tool(
      'slow-echo',
      { input: { type: 'object', properties: { text: { type: 'string' } } } },
      async (args, ctx) => {
        ctx.progress(1, 2, `${args.text}`);
        await new Promise((resolve) => setImmediate(resolve));
        ctx.progress(2, 2, `${args.text}`);
        return `${args.text}`;
      },
    );
    const target = await start(server);
    const peers = await Promise.all(Array.from({ length: 10 }, () => SessionPeer.open(target, '2025-06-18')));
    const rounds = Array.from({ length: 5 }, (_, round) => round);
    const results = await Promise.all(
      peers.flatMap((peer, index) =>
        rounds.flatMap((round) => {
          const text = `client ${index} round ${round}`;
          const options = { id: round, meta: { progressToken: round } };
          return [
            peer
              .tool('slow-echo', { text }, options)
              .then(async (answer) => ({ text, messages: await answer.messages() })),
            statelessTool(target, 'slow-echo', { text: `${text} modern` }, options).then(async (answer) => ({
              text: `${text} modern`,
              messages: await answer.messages(),
            })),
          ];
        }),
      ),
    );
    expect(results).toHaveLength(100);
    for (const { text, messages } of results) {
      expect(messages.slice(0, -1).map(({ params }) => params?.message)).toEqual([text, text]);
      expect(textOf(messages.at(-1)?.result ?? {})).toBe(text);
    }
  });
});

describeMatrix('the state of a call that waits for input', (start) => {
  const authenticate = (request: { header(name: string): string | undefined }) => ({
    principal: request.header('authorization'),
  });
  const ABLE = { capabilities: { elicitation: {} } };
  const ANSWER = { 'ask-1': { action: 'accept', content: { name: 'Ada' } } };

  /** Asks as someone, and returns the state that came back. */
  const ask = async (target: HttpTarget, user: string, tool = 'ask'): Promise<string> => {
    const answer = await statelessTool(target, tool, {}, { ...ABLE, headers: { authorization: user } });
    return String((await answer.result()).requestState);
  };
  const retry = async (
    target: HttpTarget,
    user: string,
    requestState: string,
    tool = 'ask',
    more: JsonObject = {},
  ) => {
    const params = { name: tool, arguments: {}, requestState, inputResponses: ANSWER, ...more };
    return stateless(target, 'tools/call', params, { ...ABLE, headers: { authorization: user } });
  };

  const open = async (now = { value: 0 }) => {
    const { server } = createFixture({
      http: { authenticate },
      requestState: { ttl: 1000, now: () => now.value },
    });
    server.tool('ask-too', {}, async (_args, ctx) => {
      await ctx.elicit('Really?', { type: 'object', properties: { name: { type: 'string' } } });
      return 'done';
    });
    return start(server);
  };

  it('opens for whoever it was given to', async () => {
    const target = await open();
    const answer = await retry(target, 'ada', await ask(target, 'ada'));
    expect(textOf(await answer.result())).toContain('Ada');
  });

  it('does not open when a single character was changed', async () => {
    const target = await open();
    const state = await ask(target, 'ada');
    for (let index = 0; index < state.length; index += 7) {
      const other = state[index] === 'A' ? 'B' : 'A';
      const tampered = state.slice(0, index) + other + state.slice(index + 1);
      const answer = await retry(target, 'ada', tampered);
      expect((await answer.error()).code).toBe(-32602);
    }
  });

  it('does not open for anyone else, for another call, for other arguments, or on another server', async () => {
    const target = await open();
    const state = await ask(target, 'ada');
    const elsewhere = await open();
    for (const answer of [
      await retry(target, 'bob', state),
      await retry(target, 'ada', state, 'ask-too'),
      await retry(target, 'ada', state, 'ask', { arguments: { more: 1 } }),
      await retry(elsewhere, 'ada', state),
      await retry(target, 'ada', ''),
      await retry(target, 'ada', 'p1.AAAA.AAAA'),
      await retry(target, 'ada', 'x'.repeat(100_000)),
    ]) {
      expect((await answer.error()).code).toBe(-32602);
    }
  });

  it('does not open when it is too old', async () => {
    const now = { value: 0 };
    const target = await open(now);
    const state = await ask(target, 'ada');
    now.value = 1001;
    expect((await (await retry(target, 'ada', state)).error()).message).toContain('expired');
  });

  it('shows nothing of what is in it', async () => {
    const target = await open();
    const state = await ask(target, 'ada');
    const readable = state
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'))
      .join();
    expect(readable).not.toContain('answers');
    expect(readable).not.toContain('ada');
  });
});

describeMatrix('headers that only insiders should set', (start) => {
  it('change nothing', async () => {
    const { server } = createFixture({
      http: { authenticate: (request) => ({ principal: request.header('authorization') }) },
    });
    const target = await start(server);
    const headers = {
      authorization: 'ada',
      'x-plumb-principal': 'root',
      'x-user': 'root',
      'x-forwarded-user': 'root',
      'x-forwarded-for': '127.0.0.1',
      'x-original-url': '/admin',
      'x-http-method-override': 'DELETE',
      'mcp-principal': 'root',
    };
    const answer = await statelessTool(target, 'who', {}, { headers });
    expect(textOf(await answer.result())).toBe('{"principal":"ada"}');
    const peer = await SessionPeer.open(target, '2025-11-25', { headers });
    expect(textOf(await (await peer.tool('who')).result())).toBe('{"principal":"ada"}');
  });
});

describeMatrix('what went wrong inside', (start) => {
  it('stays inside', async () => {
    const { server, errors } = createFixture();
    server.resource('test://broken', {}, () => {
      throw new Error('the password is hunter2');
    });
    server.prompt('broken', {}, () => {
      throw new Error('the password is hunter2');
    });
    server.method('custom/broken', () => {
      throw new Error('the password is hunter2');
    });
    const target = await start(server);
    const peer = await SessionPeer.open(target, '2025-11-25');
    const answers = [
      await statelessTool(target, 'crash'),
      await peer.tool('crash'),
      await stateless(target, 'resources/read', { uri: 'test://broken' }),
      await peer.request('resources/read', { uri: 'test://broken' }),
      await stateless(target, 'prompts/get', { name: 'broken' }),
      await stateless(target, 'custom/broken'),
      await peer.request('custom/broken'),
    ];
    for (const answer of answers) {
      const text = await answer.text();
      expect(text).not.toContain('hunter2');
      expect(text).not.toContain(' at ');
    }
    expect(errors).toHaveLength(answers.length);
  });

  it('is told to clients only where that was asked for', async () => {
    const { server } = createFixture({ exposeErrors: true });
    const answer = await statelessTool(await start(server), 'crash');
    expect(await answer.text()).toContain('hunter2');
  });

  it('is no HTTP header either', async () => {
    const target = await start(createFixture().server);
    const answer = await statelessTool(target, 'echo');
    expect(answer.header('x-powered-by')).toBeUndefined();
    expect(answer.header('server')).toBeUndefined();
  });
});

describeMatrix('messages that two parsers read differently', (start) => {
  it('are refused or read the one way', async () => {
    const { server, steps } = createFixture();
    const target = await start(server);
    const peer = await SessionPeer.open(target, '2025-11-25');
    for (const text of [
      '{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"wait"}}',
      '{"jsonrpc":"2.0","ID":1,"METHOD":"tools/call","PARAMS":{"name":"wait"}}',
      '{"jsonrpc":"2.0","id":1,"method\\u0000":"tools/call","params":{"name":"wait"}}',
      '{"jsonrpc":"2.0","id":1,"__proto__":{"method":"tools/call"},"params":{"name":"wait"}}',
    ]) {
      expect((await peer.post(text)).status).toBe(400);
    }
    // Where a key comes twice the last one counts, for the header check too.
    const { headers } = statelessCall('tools/call', { name: 'echo' });
    const { body } = statelessCall('tools/call', { name: 'wait' });
    const twice = JSON.stringify(body).replace('"name":"wait"', '"name":"echo","name":"wait"');
    expect((await post(target, twice, headers)).status).toBe(400);
    expect(steps.count('started')).toBe(0);
  });

  it('cannot reach prototypes', async () => {
    const target = await start(createFixture().server);
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const tool = await statelessTool(target, name);
      expect((await tool.error()).code).toBe(-32602);
      const method = await stateless(target, name);
      expect(method.status).toBe(404);
    }
    const polluting =
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}';
    const peer = await SessionPeer.open(target, '2025-11-25');
    await peer.post(polluting);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('the process', () => {
  const rejections: unknown[] = [];
  const remember = (reason: unknown): void => void rejections.push(reason);
  afterEach(() => {
    process.off('unhandledRejection', remember);
    rejections.length = 0;
  });

  it('sees no rejection that nobody handles, whatever clients do', async () => {
    process.on('unhandledRejection', remember);
    const { server, steps } = createFixture();
    const handle = await server.http({ legacySse: true });
    const target = { send: (call: Parameters<typeof sendTo>[1]) => sendTo(handle.origin, call) };
    const peer = await SessionPeer.open(target, '2025-11-25', {
      capabilities: { roots: {}, elicitation: {} },
    });
    const asked = await peer.tool('roots', {}, { id: 'asked' });
    await asked.message('roots/list');
    asked.drop();
    const told = await statelessTool(target, 'tell', {}, { meta: { progressToken: 1 } });
    await told.message();
    told.drop();
    await steps.until('cancelled');
    const old = await LegacyPeer.open(target);
    await old.initialize('2024-11-05', { roots: {} });
    await old.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'roots' } });
    await old.stream.message('roots/list');
    old.stream.drop();
    await peer.end();
    await server.close({ drain: 0 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(rejections).toEqual([]);
  });
});
