import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type InputState, StateSealer } from '../../../src/server/input-state.js';

const STATE: InputState = { answers: { 'ask-1': { action: 'accept' } }, once: { charge: 5 } };
const BINDING = {
  principal: 'ada',
  method: 'tools/call',
  params: { name: 't', arguments: { a: 1, b: { c: [2] } } },
};
const refused = expect.objectContaining({ rpcCode: -32602 });

function sealer(options: { keys?: string[]; now?: () => number; ttlMs?: number } = {}): StateSealer {
  return new StateSealer({
    keys: options.keys ?? ['key'],
    ttlMs: options.ttlMs ?? 1000,
    now: options.now ?? (() => 0),
  });
}

describe('a sealed state', () => {
  test('opens to what was sealed', async () => {
    const one = sealer();
    expect(await one.open(await one.seal(STATE, BINDING), BINDING)).toEqual(STATE);
  });

  test('shows nothing of what it holds, and differs each time', async () => {
    const one = sealer();
    const [first, second] = [await one.seal(STATE, BINDING), await one.seal(STATE, BINDING)];
    expect(first).not.toBe(second);
    expect(first).toMatch(/^p1\.[\w-]+\.[\w-]+$/);
    const bytes = Buffer.from(first.split('.')[2] ?? '', 'base64url').toString('latin1');
    expect(bytes).not.toContain('accept');
  });

  test('opens for the same parameters in another order, whatever the metadata and answers', async () => {
    const one = sealer();
    const sealed = await one.seal(STATE, BINDING);
    const params = {
      arguments: { b: { c: [2] }, a: 1 },
      _meta: { progressToken: 1 },
      inputResponses: { x: {} },
      requestState: sealed,
      name: 't',
    };
    expect(await one.open(sealed, { ...BINDING, params })).toEqual(STATE);
  });

  test.each([
    ['another principal', { ...BINDING, principal: 'bob' }],
    ['no principal', { ...BINDING, principal: undefined }],
    ['another method', { ...BINDING, method: 'prompts/get' }],
    ['another tool', { ...BINDING, params: { ...BINDING.params, name: 'u' } }],
    ['other arguments', { ...BINDING, params: { name: 't', arguments: { a: 1, b: { c: [3] } } } }],
    ['fewer arguments', { ...BINDING, params: { name: 't', arguments: { a: 1 } } }],
    [
      'arguments of another type',
      { ...BINDING, params: { name: 't', arguments: { a: '1', b: { c: [2] } } } },
    ],
    [
      'an object written as pairs',
      {
        ...BINDING,
        params: {
          name: 't',
          arguments: [
            ['a', 1],
            ['b', [['c', [2]]]],
          ],
        },
      },
    ],
  ])('does not open for %s', async (_name, binding) => {
    const one = sealer();
    const sealed = await one.seal(STATE, BINDING);
    await expect(one.open(sealed, binding)).rejects.toEqual(refused);
  });

  test('does not open when any bit of it was changed', async () => {
    const one = sealer();
    const sealed = await one.seal(STATE, BINDING);
    const [version, nonce, body] = sealed.split('.') as [string, string, string];
    const flipped = (part: string, at: number): string => {
      const bytes = Buffer.from(part, 'base64url');
      bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ (1 << (at % 8));
      return bytes.toString('base64url');
    };
    for (let at = 0; at < Buffer.from(body, 'base64url').length; at += 1) {
      await expect(one.open([version, nonce, flipped(body, at)].join('.'), BINDING)).rejects.toEqual(refused);
    }
    for (let at = 0; at < 12; at += 1) {
      await expect(one.open([version, flipped(nonce, at), body].join('.'), BINDING)).rejects.toEqual(refused);
    }
    const shorter = Buffer.from(body, 'base64url').subarray(0, -1).toString('base64url');
    await expect(one.open([version, nonce, shorter].join('.'), BINDING)).rejects.toEqual(refused);
  });

  test('is refused, not crashed on, whatever its text', async () => {
    const one = sealer();
    const sealed = await one.seal(STATE, BINDING);
    for (const text of [
      '',
      '.',
      '..',
      'p1',
      'p1..',
      'p1.a.b',
      'p1.%.%',
      `${sealed}.x`,
      `p2${sealed.slice(2)}`,
      sealed.slice(3),
      'x'.repeat(2_000_000),
    ]) {
      await expect(one.open(text, BINDING)).rejects.toEqual(refused);
    }
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.base64String(), async (nonce, body) => {
        await expect(one.open(`p1.${nonce}.${body}`, BINDING)).rejects.toEqual(refused);
      }),
      { numRuns: 50 },
    );
  });

  test('that would be refused for its size on the way back is not made', async () => {
    const large = { answers: {}, once: { text: 'x'.repeat(1_000_000) } };
    await expect(sealer().seal(large, BINDING)).rejects.toThrow(/too large/);
  });

  test('expires', async () => {
    let now = 1_000_000;
    const one = sealer({ now: () => now, ttlMs: 500 });
    const sealed = await one.seal(STATE, BINDING);
    now += 500;
    expect(await one.open(sealed, BINDING)).toEqual(STATE);
    now += 1;
    await expect(one.open(sealed, BINDING)).rejects.toThrow(/expired/);
  });
});

describe('keys', () => {
  test('are random for each sealer that is given none', async () => {
    const [one, two] = [sealer({ keys: [] }), sealer({ keys: [] })];
    const sealed = await one.seal(STATE, BINDING);
    expect(await one.open(sealed, BINDING)).toEqual(STATE);
    await expect(two.open(sealed, BINDING)).rejects.toEqual(refused);
  });

  test('rotate: the first one seals, all of them open, and a retired one opens nothing', async () => {
    const [before, during, after] = [
      sealer({ keys: ['old'] }),
      sealer({ keys: ['new', 'old'] }),
      sealer({ keys: ['new'] }),
    ];
    const old = await before.seal(STATE, BINDING);
    expect(await during.open(old, BINDING)).toEqual(STATE);
    await expect(after.open(old, BINDING)).rejects.toEqual(refused);
    const fresh = await during.seal(STATE, BINDING);
    expect(await after.open(fresh, BINDING)).toEqual(STATE);
    await expect(before.open(fresh, BINDING)).rejects.toEqual(refused);
  });
});
