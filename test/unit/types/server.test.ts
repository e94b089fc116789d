/** What the compiler knows about handlers. The verdicts fall in the type check; running shows only that it runs. */

import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { CreateMessageResult } from '../../../src/protocol/model/sampling.js';
import type { AnswersOf, UrlAnswer } from '../../../src/server/asks.js';
import {
  type Context,
  createServer,
  type ElicitAnswer,
  elicit,
  elicitUrl,
  roots,
  sample,
  ToolResult,
} from '../../../src/server/index.js';

const server = createServer({ name: 'types', version: '1' });

describe('arguments of a tool', () => {
  test('come from zod, after defaults and transforms', () => {
    const input = z.object({
      city: z.string(),
      days: z.number().default(3),
      when: z.string().transform((text) => new Date(text)),
    });
    server.tool('zod', { input }, (args, ctx) => {
      expectTypeOf(args).toEqualTypeOf<{ city: string; days: number; when: Date }>();
      expectTypeOf(ctx).toEqualTypeOf<Context>();
      return args.city;
    });
  });

  test('come from valibot', () => {
    const input = toStandardJsonSchema(
      v.object({ city: v.string(), days: v.optional(v.number(), 3), tag: v.optional(v.string()) }),
    );
    server.tool('valibot', { input }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ city: string; days: number; tag?: string | undefined }>();
      return args.city;
    });
  });

  test('come from arktype', () => {
    server.tool('arktype', { input: type({ city: 'string', 'days?': 'number' }) }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number }>();
      return args.city;
    });
  });

  test('come from a JSON Schema, which needs no `as const`', () => {
    server.tool(
      'json',
      {
        input: {
          type: 'object',
          properties: {
            city: { type: 'string' },
            unit: { enum: ['c', 'f'] },
            tags: { type: 'array', items: { type: 'string' } },
          },
          required: ['city'],
        },
      },
      (args) => {
        expectTypeOf(args).toEqualTypeOf<{ city: string; unit?: 'c' | 'f'; tags?: string[] }>();
        return args.city;
      },
    );
  });

  test('are an open object when there is no schema', () => {
    server.tool('none', {}, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ [key: string]: unknown }>();
    });
  });
});

describe('results of a tool', () => {
  test('have to fit the output schema', () => {
    const output = z.object({ temperature: z.number(), unit: z.string().default('c') });
    server.tool('fits', { output }, () => ({ temperature: 5 }));
    server.tool('fits-later', { output }, async () => ({ temperature: 5, unit: 'f' }));
    server.tool('spelled', { output }, () => new ToolResult({ content: [] }));
    // @ts-expect-error A string is no temperature.
    server.tool('wrong', { output }, () => ({ temperature: 'hot' }));
    // @ts-expect-error Text is not structured.
    server.tool('text', { output }, () => 'hot');
    // @ts-expect-error Nothing is missing but everything.
    server.tool('empty', { output }, async () => ({}));
  });

  test('may be the result of tools/call, with structured content of that type or as a failure', () => {
    const output = z.object({ temperature: z.number() });
    const content = [{ type: 'text' as const, text: 'hot' }];
    server.tool('both', { output }, () => ({ content, structuredContent: { temperature: 5 } }));
    server.tool('failed', { output }, () => ({ content, isError: true }));
    server.tool('failed-later', { output }, async () => ({
      content: [{ type: 'text', text: 'no' }],
      isError: true,
    }));
    server.tool('sometimes', { output }, (_args, ctx) => {
      if (ctx.signal.aborted) return { content: [{ type: 'text', text: 'no' }], isError: true };
      return { temperature: 5 };
    });
    server.tool(
      'promised',
      { output },
      (_args, ctx) =>
        new Promise((resolve) => {
          ctx.signal.addEventListener('abort', () => resolve({ temperature: 5 }));
        }),
    );
    // @ts-expect-error The structured content is checked too.
    server.tool('misfit', { output }, () => ({ content, structuredContent: { temperature: 'hot' } }));
    // @ts-expect-error Content alone has no structure.
    server.tool('unstructured', { output }, () => ({ content }));
  });

  test('may be an interface', () => {
    interface Weather {
      temperature: number;
      station?: { name: string };
    }
    const weather: Weather = { temperature: 5 };
    server.tool('interface', {}, () => weather);
    server.tool('interface-output', { output: z.object({ temperature: z.number() }) }, () => weather);
  });

  test('may be any JSON without one, and no BigInt', () => {
    server.tool('json-result', {}, () => ({ a: [1, null, { b: 'x' }] }));
    server.tool('void', {}, () => {});
    server.tool('block', {}, () => ({ type: 'image' as const, data: 'aGk=', mimeType: 'image/png' }));
    // @ts-expect-error A BigInt is no JSON.
    server.tool('bigint', {}, () => 1n);
  });
});

describe('variables of a resource', () => {
  test('come from the template', () => {
    server.resource('test:{id}/{+path}{?page,size}{/rest*}{name:3}', {}, ({ uri, variables }) => {
      expectTypeOf(uri).toEqualTypeOf<string>();
      expectTypeOf(variables).toEqualTypeOf<{
        id: string;
        path: string;
        page: string | undefined;
        size: string | undefined;
        rest: string[];
        name: string;
      }>();
      return '';
    });
  });

  test('are none for a fixed URI, and unknown for one that is computed', () => {
    server.resource('test:fixed', {}, ({ variables }) => {
      expectTypeOf(variables).toEqualTypeOf<Record<never, never>>();
      return '';
    });
    server.resource(`test:{id}/${String(Math.random())}` as string, {}, ({ variables }) => {
      expectTypeOf(variables).toEqualTypeOf<{ [name: string]: string | string[] }>();
      return '';
    });
  });
});

describe('prompts', () => {
  test('have the arguments of their schema', () => {
    server.prompt('greet', { input: z.object({ who: z.string(), how: z.string().optional() }) }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ who: string; how?: string | undefined }>();
      return args.who;
    });
  });
});

describe('answers', () => {
  test('of a form have its fields once it is accepted', () => {
    const handler = async (ctx: Context): Promise<void> => {
      const answer = await ctx.elicit('Who?', z.object({ name: z.string(), age: z.number().optional() }));
      expectTypeOf(answer).toEqualTypeOf<ElicitAnswer<{ name: string; age?: number | undefined }>>();
      if (answer.action === 'accept') expectTypeOf(answer.content.name).toEqualTypeOf<string>();
      else expectTypeOf(answer.content).toEqualTypeOf<undefined>();
      const literal = await ctx.elicit('Who?', {
        type: 'object',
        properties: { sure: { type: 'boolean' } },
        required: ['sure'],
      });
      if (literal.action === 'accept') expectTypeOf(literal.content).toEqualTypeOf<{ sure: boolean }>();
      expectTypeOf(await ctx.elicitUrl('Go', 'https://example.com')).toEqualTypeOf<UrlAnswer>();
      expectTypeOf(await ctx.sample('x')).toEqualTypeOf<CreateMessageResult>();
      expectTypeOf(await ctx.once('k', async () => ({ id: 5 }))).toEqualTypeOf<{ id: number }>();
    };
    expectTypeOf(handler).toBeFunction();
  });

  test('of several questions keep their names', () => {
    const asks = {
      who: elicit('Who?', z.object({ name: z.string() })),
      go: elicitUrl('Go', 'https://example.com'),
      what: sample('x'),
      where: roots(),
    };
    expectTypeOf<AnswersOf<typeof asks>>().toEqualTypeOf<{
      who: ElicitAnswer<{ name: string }>;
      go: UrlAnswer;
      what: CreateMessageResult;
      where: { uri: string; name?: string; _meta?: { [key: string]: unknown } }[];
    }>();
  });
});
