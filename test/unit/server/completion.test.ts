import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Completions } from '../../../src/server/completion.js';
import { createServer, type Server } from '../../../src/server/index.js';
import { openRevision, VERSIONS } from '../../support/wire-peer.js';

function completing(found: Completions | Promise<Completions>, seen: unknown[] = []): Server {
  const server = createServer({ name: 's', version: '1' });
  server.prompt(
    'p',
    {
      input: z.object({ city: z.string(), country: z.string().optional() }),
      complete: {
        city: (value, known) => {
          seen.push({ value, known });
          return found;
        },
      },
    },
    () => '',
  );
  server.resource('test:{city}', { complete: { city: (value) => [`${value}!`] } }, () => '');
  server.resource('test:fixed', {}, () => '');
  return server;
}

const ref = { type: 'ref/prompt', name: 'p' };
const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `v${index}`);

describe.each(VERSIONS)('completion in %s', (version) => {
  const complete = async (server: Server, params: object) =>
    (await (await openRevision(server, version)).call('completion/complete', { ...params })).completion;

  test('gives the values of the argument asked for', async () => {
    const argument = { name: 'city', value: 'Os' };
    expect(await complete(completing(['Oslo', 'Osaka']), { ref, argument })).toEqual({
      values: ['Oslo', 'Osaka'],
      total: 2,
      hasMore: false,
    });
    expect(await complete(completing(Promise.resolve([])), { ref, argument })).toEqual({
      values: [],
      total: 0,
      hasMore: false,
    });
    const template = { type: 'ref/resource', uri: 'test:{city}' };
    expect(await complete(completing([]), { ref: template, argument })).toMatchObject({ values: ['Os!'] });
  });

  test.each<[string, Completions, object]>([
    ['a list of 100', many(100), { total: 100, hasMore: false }],
    ['a list of 101', many(101), { total: 101, hasMore: true }],
    ['a list of 5000', many(5000), { total: 5000, hasMore: true }],
    ['values with a total', { values: many(3), total: 9 }, { total: 9, hasMore: true }],
    ['values with more to come', { values: many(3), hasMore: true }, { hasMore: true }],
    ['too many values, total unknown', { values: many(300) }, { hasMore: true }],
  ])('never gives more than 100 values: %s', async (_name, found, rest) => {
    const completion = await complete(completing(found), { ref, argument: { name: 'city', value: '' } });
    const values = Array.isArray(found) ? found : (found as { values: string[] }).values;
    expect(completion).toEqual({ values: values.slice(0, 100), ...rest });
  });

  test('an argument without a completer has no values', async () => {
    const server = completing(['x']);
    for (const name of ['country', 'nope', '__proto__', 'constructor']) {
      expect(await complete(server, { ref, argument: { name, value: '' } })).toEqual({
        values: [],
        total: 0,
        hasMore: false,
      });
    }
    const fixed = { type: 'ref/resource', uri: 'test:fixed' };
    expect(await complete(server, { ref: fixed, argument: { name: 'x', value: '' } })).toMatchObject({
      values: [],
    });
  });

  test('is told what is already filled in, strings alone', async () => {
    const seen: unknown[] = [];
    const context = { arguments: { country: 'NO', bad: 5 } };
    await complete(completing([], seen), { ref, argument: { name: 'city', value: 'O' }, context });
    await complete(completing([], seen), { ref, argument: { name: 'city', value: 'O' }, context: 'junk' });
    expect(seen).toEqual([
      { value: 'O', known: { country: 'NO' } },
      { value: 'O', known: {} },
    ]);
  });

  test('a bad reference or argument is an invalid call', async () => {
    const peer = await openRevision(completing([]), version);
    const argument = { name: 'city', value: '' };
    for (const params of [
      {},
      { ref, argument: {} },
      { ref, argument: { name: 'city' } },
      { ref, argument: { name: 'city', value: 5 } },
      { ref: { type: 'ref/prompt', name: 'nope' }, argument },
      { ref: { type: 'ref/prompt' }, argument },
      { ref: { type: 'ref/resource', uri: 'test:nope' }, argument },
      { ref: { type: 'ref/resource' }, argument },
      { ref: { type: 'ref/tool', name: 'x' }, argument },
      { ref: 'p', argument },
    ]) {
      expect((await peer.refusal('completion/complete', params)).code).toBe(-32602);
    }
  });

  test('is declared where the revision has a word for it', async () => {
    const peer = await openRevision(completing([]), version);
    const { capabilities } = peer.opening.result as { capabilities: object };
    expect('completions' in capabilities).toBe(version !== '2024-11-05');
  });
});
