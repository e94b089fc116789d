/** The request state of a stateless server behind a chain belongs to the caller and the call that it was given to. */

import { describe, expect, it } from 'vitest';
import { type ChainOptions, createChain } from '../../src/chain/index.js';
import { log } from '../../src/middleware/index.js';
import { createServer, type Server, type ServerOptions } from '../../src/server/index.js';
import { cleanup } from '../support/cleanup.js';
import { type Sender, statelessTool } from '../support/http-peer.js';
import { type HttpCall, sendTo } from '../support/http-target.js';
import { STATELESS_VERSION, textOf } from '../support/wire-peer.js';

const FORM = { type: 'object', properties: { name: { type: 'string' } } } as const;
const CAPABILITIES = { elicitation: { form: {} } };
const KEYS = ['a key that two nodes share'];

const authenticate: NonNullable<NonNullable<ServerOptions['http']>['authenticate']> = (request) => ({
  principal: request.header('x-user'),
});

function asking(): Server {
  const server = createServer({ name: 'asking', version: '1', revisions: [STATELESS_VERSION] });
  server.tool('ask', { input: { type: 'object', additionalProperties: true } }, async (args, ctx) => {
    const first = await ctx.elicit('Your name?', FORM);
    const second = await ctx.elicit('Again?', FORM);
    return JSON.stringify([args, first, second]);
  });
  return server;
}

interface Front {
  /** Calls the tool, perhaps with the state of an earlier call. */
  call(
    user: string | undefined,
    more?: Record<string, unknown>,
    args?: Record<string, unknown>,
  ): Promise<Answer>;
}

interface Answer {
  readonly error: string | undefined;
  readonly result: Record<string, unknown>;
}

async function front(
  options: ChainOptions = {},
  layers: Parameters<ReturnType<typeof createChain>['use']> = [],
): Promise<Front> {
  const proxy = createChain({ ...options, http: { authenticate } })
    .use(...layers)
    .to(asking());
  const handle = await proxy.http();
  cleanup(() => proxy.close({ drain: 0 }));
  const target = { send: (call: HttpCall) => sendTo(handle.origin, call) };
  return {
    call: async (user, more = {}, args = { file: 'a' }) => {
      const answer = await statelessTool(target, 'ask', args, {
        capabilities: CAPABILITIES,
        headers: { 'x-user': user },
        params: more,
      });
      const { error, result = {} } = await answer.response();
      return { error: error?.message, result };
    },
  };
}

/** What brings the answer to the questions of a result. */
function answering({ result }: Answer): Record<string, unknown> {
  const keys = Object.keys(result.inputRequests as object);
  const inputResponses = Object.fromEntries(
    keys.map((key) => [key, { action: 'accept', content: { name: key } }]),
  );
  return { requestState: result.requestState, inputResponses };
}

describe.each([
  ['nothing in between', []],
  ['middleware that sees every message', [log({ write: () => undefined })]],
])('with %s', (_name, layers) => {
  it('opens for its principal alone, round after round', async () => {
    const { call } = await front({}, layers);
    const asked = await call('ann');
    expect(asked.result.resultType).toBe('input_required');
    expect((await call('bob', answering(asked))).error).toContain('The request state is not valid');
    expect((await call(undefined, answering(asked))).error).toContain('not valid');
    const again = await call('ann', answering(asked));
    expect(again.result.resultType).toBe('input_required');
    expect((await call('bob', answering(again))).error).toContain('not valid');
    const done = await call('ann', answering(again));
    expect(textOf(done.result)).toContain('"file":"a"');
  });

  it('opens for its own parameters alone', async () => {
    const { call } = await front({}, layers);
    const asked = await call('ann');
    expect((await call('ann', answering(asked), { file: 'b' })).error).toContain('not valid');
  });

  it('does not open when it was never sealed, or was tampered with', async () => {
    const { call } = await front({}, layers);
    const anonymous = await call(undefined);
    expect((await call('ann', answering(anonymous))).error).toContain('not valid');
    const asked = await call('ann');
    const { requestState, ...rest } = answering(asked);
    const text = String(requestState);
    const tampered = `${text.slice(0, -10)}${text.at(-10) === 'A' ? 'B' : 'A'}${text.slice(-9)}`;
    expect((await call('ann', { ...rest, requestState: tampered })).error).toContain('not valid');
  });
});

it('passes as it is for callers without a principal', async () => {
  const { call } = await front();
  const asked = await call(undefined);
  const again = await call(undefined, answering(asked));
  const done = await call(undefined, answering(again));
  expect(textOf(done.result)).toContain('"file":"a"');
});

it('opens on another node that has the same keys, where the server has them too', async () => {
  const upstream = createServer({ name: 'asking', version: '1', requestState: { keys: KEYS } });
  upstream.tool('ask', {}, async (_args, ctx) => JSON.stringify(await ctx.elicit('Your name?', FORM)));
  const nodes: Sender[] = [];
  for (const _node of [1, 2]) {
    const proxy = createChain({ requestState: { keys: KEYS }, http: { authenticate } }).to(upstream);
    const handle = await proxy.http();
    cleanup(() => proxy.close({ drain: 0 }));
    nodes.push({ send: (call: HttpCall) => sendTo(handle.origin, call) });
  }
  const call = async (node: number, user: string, params: Record<string, unknown> = {}): Promise<Answer> => {
    const target = nodes[node];
    if (target === undefined) throw new Error('There are two nodes');
    const options = { capabilities: CAPABILITIES, headers: { 'x-user': user }, params };
    const { error, result = {} } = await (await statelessTool(target, 'ask', {}, options)).response();
    return { error: error?.message, result };
  };
  const asked = await call(0, 'ann');
  expect((await call(1, 'bob', answering(asked))).error).toContain('not valid');
  expect(textOf((await call(1, 'ann', answering(asked))).result)).toContain('accept');
});
