/** Questions to the client that every revision can carry: the handshake way here, the stateless one in input-required. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import {
  type Context,
  createServer,
  elicit,
  ProtocolError,
  roots,
  type Server,
  sample,
} from '../../../src/server/index.js';
import { HANDSHAKE_VERSIONS, openRevision, textOf, VERSIONS } from '../../support/wire-peer.js';

function asking(ask: (ctx: Context) => Promise<unknown>, errors: unknown[] = []): Server {
  const server = createServer({ name: 's', version: '1', onError: (error) => errors.push(error) });
  server.tool('ask', {}, async (_args, ctx) => JSON.stringify(await ask(ctx)));
  return server;
}

const FORM = z.object({ name: z.string(), age: z.number().int().optional() });
const everything = { roots: {}, sampling: { tools: {} }, elicitation: { form: {}, url: {} } };
const withElicitation = HANDSHAKE_VERSIONS.filter((version) => version >= '2025-06-18');

const answerOf = async (server: Server, version: string, method: string, answer: JsonObject) => {
  const peer = await openRevision(server, version, { capabilities: everything });
  peer.wire.respond(method, () => answer);
  const result = await peer.tool('ask');
  return { peer, result, said: textOf(result) };
};

describe.each(HANDSHAKE_VERSIONS)('in %s', (version) => {
  test('roots are asked for by a request, and those without a URI are dropped', async () => {
    const { peer, said } = await answerOf(
      asking((ctx) => ctx.roots()),
      version,
      'roots/list',
      { roots: [{ uri: 'file:///a', name: 'a' }, { name: 'nowhere' }, 5] },
    );
    expect(JSON.parse(said)).toEqual([{ uri: 'file:///a', name: 'a' }]);
    expect(peer.wire.all('roots/list')).toHaveLength(1);
  });

  test('the model is asked with a message and a limit', async () => {
    const { peer, said } = await answerOf(
      asking((ctx) => ctx.sample('Hello?')),
      version,
      'sampling/createMessage',
      { role: 'assistant', content: { type: 'text', text: 'Hi' } },
    );
    expect(JSON.parse(said)).toEqual({
      model: 'unknown',
      role: 'assistant',
      content: { type: 'text', text: 'Hi' },
    });
    expect(peer.wire.all('sampling/createMessage')[0]?.params).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: 'Hello?' } }],
      maxTokens: 1000,
    });
  });

  test('several questions are asked at once, and every id is new', async () => {
    const server = asking((ctx) => ctx.ask({ where: roots(), what: sample('x') }));
    const peer = await openRevision(server, version, { capabilities: everything });
    const id = peer.post('tools/call', { name: 'ask' });
    const [where, what] = await Promise.all([
      peer.wire.question('roots/list'),
      peer.wire.question('sampling/createMessage'),
    ]);
    expect(where.id).not.toBe(what.id);
    peer.wire.send({
      jsonrpc: '2.0',
      id: what.id,
      result: { role: 'assistant', content: { type: 'text', text: 'y' }, model: 'm' },
    });
    peer.wire.send({ jsonrpc: '2.0', id: where.id, result: { roots: [] } });
    const answer = await peer.wire.answerTo(id);
    expect(JSON.parse(textOf(answer.result ?? {}))).toMatchObject({ where: [], what: { model: 'm' } });
  });

  test.each([
    ['an error', { error: { code: -1, message: 'User said no' } }],
    ['an answer that is no answer', { nonsense: true }],
  ])('%s fails the question, and the handler may go on', async (_name, answer) => {
    const errors: unknown[] = [];
    const server = asking(
      (ctx) => ctx.roots().catch((error) => ({ code: error.code, message: error.message })),
      errors,
    );
    const { said } = await answerOf(server, version, 'roots/list', answer as JsonObject);
    const failure = JSON.parse(said);
    expect(failure.code).toBe('error' in answer ? 'ask_refused' : 'invalid_params');
    expect(failure.message).toMatch('error' in answer ? /User said no/ : /roots/);
    expect(errors).toEqual([]);
  });

  test('a result that is no object fails the question too', async () => {
    const server = asking((ctx) => ctx.roots().catch((error) => error.code));
    const peer = await openRevision(server, version, { capabilities: everything });
    const id = peer.post('tools/call', { name: 'ask' });
    const question = await peer.wire.question('roots/list');
    peer.wire.send(`{"jsonrpc":"2.0","id":${question.id},"result":7}`);
    expect(textOf((await peer.wire.answerTo(id)).result ?? {})).toBe('"invalid_answer"');
  });

  test('a question can be asked from prompts, resources and methods of the author too', async () => {
    const server = createServer({ name: 's', version: '1' });
    server.prompt('p', {}, async (_args, ctx) => `${(await ctx.roots()).length}`);
    server.resource('test:r', {}, async (_request, ctx) => `${(await ctx.roots()).length}`);
    server.method('x/y', async (_params, ctx) => ({ count: (await ctx.roots()).length }));
    const peer = await openRevision(server, version, { capabilities: everything });
    peer.wire.respond('roots/list', () => ({ roots: [] }));
    expect(await peer.call('prompts/get', { name: 'p' })).toMatchObject({
      messages: [{ content: { text: '0' } }],
    });
    expect(await peer.call('resources/read', { uri: 'test:r' })).toMatchObject({ contents: [{ text: '0' }] });
    expect(await peer.call('x/y')).toEqual({ count: 0 });
  });
});

describe.each(withElicitation)('a form in %s', (version) => {
  test.each<[string, JsonObject, unknown]>([
    [
      'accepted',
      { action: 'accept', content: { name: 'Ada', age: 36 } },
      { action: 'accept', content: { name: 'Ada', age: 36 } },
    ],
    ['declined', { action: 'decline' }, { action: 'decline' }],
    ['cancelled', { action: 'cancel', content: { name: 'ignored' } }, { action: 'cancel' }],
  ])('is %s', async (_name, answer, expected) => {
    const server = asking((ctx) => ctx.elicit('Who?', FORM));
    const { peer, said } = await answerOf(server, version, 'elicitation/create', answer);
    expect(JSON.parse(said)).toEqual(expected);
    const params = peer.wire.all('elicitation/create')[0]?.params;
    expect(params?.message).toBe('Who?');
    expect('mode' in (params ?? {})).toBe(version !== '2025-06-18');
    expect(params?.requestedSchema).toMatchObject({
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer' } },
      required: ['name'],
    });
    expect(params?.requestedSchema).not.toHaveProperty('additionalProperties');
  });

  test.each<[string, JsonObject]>([
    ['content that does not fit', { action: 'accept', content: { name: 5 } }],
    ['no content', { action: 'accept' }],
    ['an action that does not exist', { action: 'maybe' }],
    ['no action', {}],
  ])('with %s is an invalid answer', async (_name, answer) => {
    const server = asking((ctx) => ctx.elicit('Who?', FORM).catch((error) => error.code));
    expect((await answerOf(server, version, 'elicitation/create', answer)).said).toBe('"invalid_params"');
  });
});

test.each([
  ['nested', z.object({ a: z.object({ b: z.string() }) })],
  ['of free lists', z.object({ a: z.array(z.string()) })],
  ['that is no object', z.string()],
])('a form %s is refused where it is written', (_name, form) => {
  expect(() => elicit('?', form)).toThrow(TypeError);
});

test('a page to visit is asked for in the one handshake revision that knows pages, with an id', async () => {
  const server = asking((ctx) => ctx.elicitUrl('Please sign', 'https://example.com/sign'));
  const { peer, said } = await answerOf(server, '2025-11-25', 'elicitation/create', { action: 'accept' });
  expect(JSON.parse(said)).toEqual({ action: 'accept' });
  expect(peer.wire.all('elicitation/create')[0]?.params).toEqual({
    mode: 'url',
    message: 'Please sign',
    url: 'https://example.com/sign',
    elicitationId: expect.any(String),
  });
});

describe.each(VERSIONS)('a capability that %s does not declare', (version) => {
  const code = version === '2026-07-28' ? -32021 : -32600;

  test.each<[string, JsonObject, JsonObject]>([
    ['sampling', { sampling: {} }, {}],
    ['sampling tools', { sampling: { tools: {} } }, { sampling: {} }],
    ['several', { sampling: {}, roots: {} }, { roots: {} }],
    ['an extension', { extensions: { 'example.com/x': {} } }, { extensions: {} }],
  ])('is named before the handler runs: %s', async (_name, requires, capabilities) => {
    const server = createServer({ name: 's', version: '1' });
    let ran = false;
    server.tool('t', { requires }, () => {
      ran = true;
    });
    const peer = await openRevision(server, version, { capabilities });
    const error = await peer.refusal('tools/call', { name: 't' });
    expect(error).toMatchObject({ code, data: { requiredCapabilities: requires } });
    expect(ran).toBe(false);
    const able = await openRevision(server, version, { capabilities: { ...capabilities, ...requires } });
    await able.tool('t');
    expect(ran).toBe(true);
  });

  const questions: [string, (ctx: Context) => Promise<unknown>, JsonObject, JsonObject][] = [
    ['roots', (ctx) => ctx.roots(), { roots: {} }, {}],
    ['sampling', (ctx) => ctx.sample('x'), { sampling: {} }, {}],
    [
      'sampling tools',
      (ctx) => ctx.sample({ messages: [], tools: [] }),
      { sampling: { tools: {} } },
      { sampling: {} },
    ],
    [
      'a page',
      (ctx) => ctx.elicitUrl('x', 'https://example.com'),
      { elicitation: { url: {} } },
      { elicitation: {} },
    ],
  ];

  test.each(questions)('is named when a handler asks: %s', async (_name, ask, required, capabilities) => {
    const errors: unknown[] = [];
    const peer = await openRevision(asking(ask, errors), version, { capabilities });
    expect(await peer.refusal('tools/call', { name: 'ask' })).toMatchObject({
      code,
      data: { requiredCapabilities: required },
    });
    expect(peer.wire.received.filter(({ method }) => method !== undefined)).toEqual([]);
    expect(errors).toEqual([]);
  });

  test('leaves the handler free to do without', async () => {
    const peer = await openRevision(
      asking((ctx) => ctx.roots().catch((error) => error.code)),
      version,
    );
    expect(textOf(await peer.tool('ask'))).toBe('"missing_capability"');
  });

  test.each([null, false])('is not there when it is %j', async (value) => {
    const capabilities = { elicitation: value, roots: value, sampling: value } as unknown as JsonObject;
    for (const ask of [
      (ctx: Context) => ctx.elicit('Who?', FORM),
      (ctx: Context) => ctx.roots(),
      (ctx: Context) => ctx.sample('x'),
    ]) {
      const peer = await openRevision(asking(ask), version, { capabilities });
      expect((await peer.refusal('tools/call', { name: 'ask' })).code).toBe(code);
    }
  });
});

test.each(['2024-11-05', '2025-03-26'])(
  'elicitation does not exist in %s, whatever the client says',
  async (version) => {
    const peer = await openRevision(
      asking((ctx) => ctx.elicit('Who?', FORM)),
      version,
      { capabilities: everything },
    );
    expect(await peer.refusal('tools/call', { name: 'ask' })).toMatchObject({
      code: -32600,
      message: expect.stringContaining(version),
    });
    expect(peer.wire.all('elicitation/create')).toEqual([]);
  },
);

describe('errors that belong to one revision', () => {
  test.each(VERSIONS)(
    'a URL elicitation that is required has its code where that exists (%s)',
    async (version) => {
      const server = asking(async () => {
        throw new ProtocolError('url_elicitation_required', 'Sign first', { data: { elicitations: [] } });
      });
      const peer = await openRevision(server, version);
      const error = await peer.refusal('tools/call', { name: 'ask' });
      expect(error.code).toBe(version === '2025-11-25' ? -32042 : -32600);
      expect(error).toMatchObject({ message: 'Sign first', data: { elicitations: [] } });
    },
  );

  test.each(VERSIONS)('a missing resource that a tool reports has the code of %s', async (version) => {
    const server = asking(async () => {
      throw new ProtocolError('resource_not_found', 'Gone');
    });
    const error = await (await openRevision(server, version)).refusal('tools/call', { name: 'ask' });
    expect(error.code).toBe(version === '2026-07-28' ? -32602 : -32002);
  });
});
