import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createServer, ProtocolError, type Server } from '../../../src/server/index.js';
import type { PromptReturn } from '../../../src/server/prompts.js';
import { openRevision, VERSIONS } from '../../support/wire-peer.js';

function quietServer(): { server: Server; errors: unknown[] } {
  const errors: unknown[] = [];
  return {
    server: createServer({ name: 's', version: '1', onError: (error) => errors.push(error) }),
    errors,
  };
}

const user = (text: string) => ({ role: 'user', content: { type: 'text', text } });

describe('what a handler may return', () => {
  test.each<[string, PromptReturn, unknown]>([
    ['text', 'hi', { description: 'd', messages: [user('hi')] }],
    ['a block', { type: 'text', text: 'hi' }, { description: 'd', messages: [user('hi')] }],
    [
      'messages',
      [
        { role: 'user', content: { type: 'text', text: 'q' } },
        { role: 'assistant', content: { type: 'text', text: 'a' } },
      ],
      {
        description: 'd',
        messages: [user('q'), { role: 'assistant', content: { type: 'text', text: 'a' } }],
      },
    ],
    ['a message', { role: 'user', content: 'hi' }, { description: 'd', messages: [user('hi')] }],
    ['messages with texts', [{ role: 'user', content: 'q' }], { description: 'd', messages: [user('q')] }],
    [
      'a whole result',
      { description: 'own', messages: [{ role: 'user', content: { type: 'text', text: 'q' } }] },
      { description: 'own', messages: [user('q')] },
    ],
  ])('%s', async (_name, returned, expected) => {
    const { server } = quietServer();
    server.prompt('p', { description: 'd' }, () => returned);
    expect(await (await openRevision(server, '2025-11-25')).call('prompts/get', { name: 'p' })).toEqual(
      expected,
    );
  });
});

describe.each(VERSIONS)('in %s', (version) => {
  const input = z.object({
    code: z.string().meta({ title: 'Code', description: 'to review' }),
    style: z.string().optional(),
  });

  test('arguments are listed from the schema', async () => {
    const { server } = quietServer();
    server.prompt('review', { title: 'Review', description: 'd', input }, ({ code }) => code);
    server.prompt('bare', {}, () => '');
    const { prompts } = await (await openRevision(server, version)).call('prompts/list');
    const titled = version >= '2025-06-18';
    expect(prompts).toEqual([
      {
        name: 'review',
        ...(titled ? { title: 'Review' } : {}),
        description: 'd',
        arguments: [
          { name: 'code', ...(titled ? { title: 'Code' } : {}), description: 'to review', required: true },
          { name: 'style' },
        ],
      },
      { name: 'bare' },
    ]);
  });

  test('an unknown prompt and bad arguments are named', async () => {
    const { server, errors } = quietServer();
    server.prompt('review', { input }, ({ code }) => code);
    const peer = await openRevision(server, version);
    expect(await peer.refusal('prompts/get', { name: 'nope' })).toMatchObject({
      code: -32602,
      message: expect.stringContaining('nope'),
    });
    for (const params of [{}, { name: 5 }, { name: 'review' }, { name: 'review', arguments: [] }]) {
      expect((await peer.refusal('prompts/get', params)).code).toBe(-32602);
    }
    const missing = await peer.refusal('prompts/get', { name: 'review', arguments: { style: 'x' } });
    expect(missing.message).toMatch(/prompt "review".*code/);
    const wrong = await peer.refusal('prompts/get', { name: 'review', arguments: { code: 5 } });
    expect(wrong).toMatchObject({ code: -32602, data: { issues: [{ path: 'code' }] } });
    expect(errors).toEqual([]);
  });

  test('a handler gets its arguments, and its failures are told apart', async () => {
    const { server, errors } = quietServer();
    server.prompt('ok', { input }, ({ code, style = 'none' }) => `${code} ${style}`);
    server.prompt('broken', {}, () => {
      throw new Error('hunter2');
    });
    server.prompt('refusing', {}, async () => {
      throw new ProtocolError('invalid_params', 'not today');
    });
    const peer = await openRevision(server, version);
    expect((await peer.call('prompts/get', { name: 'ok', arguments: { code: 'x' } })).messages).toEqual([
      user('x none'),
    ]);
    expect(await peer.refusal('prompts/get', { name: 'broken' })).toEqual({
      code: -32603,
      message: 'Internal error',
    });
    expect(await peer.refusal('prompts/get', { name: 'refusing' })).toEqual({
      code: -32602,
      message: 'not today',
    });
    expect(errors).toHaveLength(1);
  });
});

test('texts are converted to the numbers and booleans that the schema has', async () => {
  const { server } = quietServer();
  const input = z.object({ days: z.number().int(), dry: z.boolean().optional(), unit: z.string() });
  server.prompt('plan', { input }, (args) => JSON.stringify(args));
  const peer = await openRevision(server, '2025-11-25');
  const plan = (args: Readonly<Record<string, string>>) => ({ name: 'plan', arguments: args });
  expect(await peer.call('prompts/get', plan({ days: '3', dry: 'false', unit: '5' }))).toEqual({
    messages: [user('{"days":3,"dry":false,"unit":"5"}')],
  });
  const refused = await peer.refusal('prompts/get', plan({ days: 'many', unit: '' }));
  expect(refused.message).toContain('days: Invalid input: expected number, received string');
});
