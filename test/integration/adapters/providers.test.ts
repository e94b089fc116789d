/** The adapters with the real packages of the providers, whose servers are played by a function. */

import Anthropic from '@anthropic-ai/sdk';
import { generateText, stepCountIs, type ToolSet } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import {
  aiSdkSampler,
  aiSdkTools,
  anthropicSampler,
  anthropicTools,
  openaiChatTools,
  openaiResponsesTools,
  openaiSampler,
} from '../../../src/adapters/index.js';
import { createChain } from '../../../src/chain/index.js';
import { type Client, connect, connectAll, type Pool, textOf } from '../../../src/client/index.js';
import { createServer, image, ToolError } from '../../../src/server/index.js';

const server = createServer({ name: 'weather', version: '1' });
server.tool(
  'forecast.daily',
  {
    description: 'Forecast for a city',
    input: z.object({ city: z.string() }),
    output: z.object({ degrees: z.number() }),
  },
  ({ city }) => ({ structuredContent: { degrees: city.length }, _meta: { secret: 'for programs' } }),
);
server.tool('picture', {}, () => image('aGk=', 'image/png'));
server.tool('broken', {}, () => {
  throw new ToolError('the station is closed');
});
server.tool('ask', {}, async (_args, ctx) => {
  const answer = await ctx.sample({
    messages: [{ role: 'user', content: { type: 'text', text: 'What is the sky?' } }],
    systemPrompt: 'Be brief',
    maxTokens: 50,
    temperature: 0.5,
    stopSequences: ['END'],
  });
  return { model: answer.model, content: answer.content, stopReason: answer.stopReason };
});

let client: Client;
let pool: Pool;

beforeAll(async () => {
  const { url } = await server.http({ port: 0 });
  client = await connect(server);
  pool = await connectAll({ mcpServers: { weather: { url } } });
});

afterAll(async () => {
  await client.close();
  await pool.close();
  await server.close({ drain: 0 });
});

/** A provider's server: remembers what it was sent, and answers in turn. */
function played(...answers: object[]): { requests: unknown[]; fetch: typeof fetch } {
  const requests: unknown[] = [];
  return {
    requests,
    fetch: async (_url, init) => {
      requests.push(JSON.parse(String(init?.body)));
      return Response.json(answers.shift() ?? {});
    },
  };
}

describe('OpenAI', () => {
  test('gets tools and results of chat completions', async () => {
    const { tools, call } = await openaiChatTools(client);
    expectTypeOf(tools).toExtend<OpenAI.ChatCompletionTool[]>();
    const { requests, fetch } = played({
      choices: [
        {
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                id: '1',
                type: 'function',
                function: { name: tools[0]?.function.name, arguments: '{"city":"Bern"}' },
              },
              { id: '2', type: 'function', function: { name: 'broken', arguments: '' } },
              { id: '3', type: 'function', function: { name: 'missing', arguments: '{}' } },
              { id: '4', type: 'function', function: { name: 'picture', arguments: '{"x":' } },
            ],
          },
        },
      ],
    });
    const openai = new OpenAI({ apiKey: 'key', fetch });
    const completion = await openai.chat.completions.create({
      model: 'gpt-5',
      messages: [{ role: 'user', content: 'Weather?' }],
      tools,
    });
    const answers = await call(completion.choices[0]?.message.tool_calls);
    expectTypeOf(answers).toExtend<OpenAI.ChatCompletionMessageParam[]>();
    expect(answers).toEqual([
      { role: 'tool', tool_call_id: '1', content: '{"degrees":4}' },
      { role: 'tool', tool_call_id: '2', content: 'Error: the station is closed' },
      { role: 'tool', tool_call_id: '3', content: expect.stringContaining('There is no tool "missing"') },
      { role: 'tool', tool_call_id: '4', content: expect.stringContaining('must be a JSON object') },
    ]);
    expect(JSON.stringify(answers)).not.toMatch(/secret|resultType|_meta/);
    expect(requests[0]).toMatchObject({
      tools: [
        { type: 'function', function: { name: expect.stringMatching(/^[a-zA-Z0-9_-]+$/) } },
        {},
        {},
        {},
      ],
    });
  });

  test('gets tools and results of responses, pictures included', async () => {
    const { tools, call } = await openaiResponsesTools(client, { include: ({ name }) => name !== 'ask' });
    expectTypeOf(tools).toExtend<OpenAI.Responses.Tool[]>();
    expect(tools).toHaveLength(3);
    const use = async (response: OpenAI.Responses.Response): Promise<void> => {
      expectTypeOf(await call(response.output)).toExtend<OpenAI.Responses.ResponseInput>();
    };
    expectTypeOf(use).toBeFunction();
    const item = { type: 'function_call', call_id: 'c', name: 'picture', arguments: '{}' };
    expect(await call([{ type: 'reasoning' }, item])).toEqual([
      {
        type: 'function_call_output',
        call_id: 'c',
        output: [{ type: 'input_image', image_url: 'data:image/png;base64,aGk=', detail: 'auto' }],
      },
    ]);
  });

  test('answers a server that asks for sampling', async () => {
    const { requests, fetch } = played({
      model: 'gpt-5-mini',
      choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: 'Blue' } }],
    });
    const sample = openaiSampler(new OpenAI({ apiKey: 'key', fetch }), {
      model: 'gpt-5-mini',
      maxTokens: 20,
    });
    const asking = await connect(server, { sample });
    expect(JSON.parse(textOf(await asking.tools.call('ask')))).toEqual({
      model: 'gpt-5-mini',
      content: { type: 'text', text: 'Blue' },
      stopReason: 'endTurn',
    });
    expect(requests).toEqual([
      {
        model: 'gpt-5-mini',
        messages: [
          { role: 'system', content: 'Be brief' },
          { role: 'user', content: [{ type: 'text', text: 'What is the sky?' }] },
        ],
        max_completion_tokens: 20,
        temperature: 0.5,
        stop: ['END'],
      },
    ]);
    await asking.close();
  });
});

describe('Anthropic', () => {
  test('gets tools and results, of a pool too', async () => {
    const { tools, call } = await anthropicTools(pool);
    expectTypeOf(tools).toExtend<Anthropic.Tool[]>();
    const named = (end: string): string => tools.find(({ name }) => name.includes(end))?.name ?? '';
    const { requests, fetch } = played({
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: '1', name: named('forecast'), input: { city: 'Bern' } },
        { type: 'tool_use', id: '2', name: named('picture'), input: {} },
        { type: 'tool_use', id: '3', name: named('broken'), input: {} },
      ],
    });
    const anthropic = new Anthropic({ apiKey: 'key', fetch });
    const message = await anthropic.messages.create({
      model: 'claude-opus-4-5',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Weather?' }],
      tools,
    });
    const results = await call(message.content);
    expectTypeOf(results).toExtend<Anthropic.ToolResultBlockParam[]>();
    expect(results).toEqual([
      { type: 'tool_result', tool_use_id: '1', content: [{ type: 'text', text: '{"degrees":4}' }] },
      {
        type: 'tool_result',
        tool_use_id: '2',
        content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }],
      },
      {
        type: 'tool_result',
        tool_use_id: '3',
        content: [{ type: 'text', text: 'the station is closed' }],
        is_error: true,
      },
    ]);
    expect(requests[0]).toMatchObject({ tools: [{ input_schema: { type: 'object' } }, {}, {}, {}] });
  });

  test('answers a server that asks for sampling', async () => {
    const { requests, fetch } = played({
      model: 'claude-opus-4-5',
      stop_reason: 'max_tokens',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'Blue' },
      ],
    });
    const anthropic = new Anthropic({ apiKey: 'key', fetch });
    const asking = await connect(server, {
      sample: anthropicSampler(anthropic, { model: () => 'claude-opus-4-5' }),
    });
    expect(JSON.parse(textOf(await asking.tools.call('ask')))).toMatchObject({
      content: { type: 'text', text: 'Blue' },
      stopReason: 'maxTokens',
    });
    expect(requests[0]).toMatchObject({
      system: 'Be brief',
      max_tokens: 50,
      stop_sequences: ['END'],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'What is the sky?' }] }],
    });
    await asking.close();
  });
});

describe('the AI SDK', () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };

  test('runs the tools by itself, and gives the model what it may read', async () => {
    const tools = await aiSdkTools(client);
    expectTypeOf(tools).toExtend<ToolSet>();
    const name = Object.keys(tools).find((key) => key.startsWith('forecast')) ?? '';
    let turn = 0;
    const model = new MockLanguageModelV3({
      doGenerate: async () => {
        turn += 1;
        return {
          content:
            turn === 1
              ? [{ type: 'tool-call', toolCallId: '1', toolName: name, input: '{"city":"Bern"}' }]
              : [{ type: 'text', text: 'Mild' }],
          finishReason: { unified: turn === 1 ? 'tool-calls' : 'stop', raw: undefined },
          usage,
          warnings: [],
        };
      },
    });
    const { text, steps } = await generateText({
      model,
      tools,
      prompt: 'Weather?',
      stopWhen: stepCountIs(3),
    });
    expect(text).toBe('Mild');
    expect(steps[0]?.toolResults[0]?.output).toMatchObject({ structuredContent: { degrees: 4 } });
    const [first, second] = model.doGenerateCalls;
    expect(first?.tools?.[0]).toMatchObject({ inputSchema: { properties: { city: { type: 'string' } } } });
    const read = JSON.stringify(second?.prompt);
    expect(read).toContain('{\\"degrees\\":4}');
    expect(read).not.toMatch(/secret|resultType|_meta/);
  });

  test('answers a server that asks for sampling', async () => {
    const model = new MockLanguageModelV3({
      doGenerate: async () => ({
        content: [{ type: 'text', text: 'Blue' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
        response: { modelId: 'mock' },
      }),
    });
    const asking = await connect(server, {
      sample: aiSdkSampler((request) => generateText({ model, ...request })),
    });
    expect(JSON.parse(textOf(await asking.tools.call('ask')))).toEqual({
      model: 'mock',
      content: { type: 'text', text: 'Blue' },
      stopReason: 'endTurn',
    });
    await asking.close();
  });
});

test('tools for apps alone reach no model, also of a pool and behind a chain', async () => {
  const charts = createServer({ name: 'charts', version: '1' });
  charts.app('chart', { html: '<!doctype html>' });
  charts.tool('draw', { app: 'chart' }, () => 'drawn');
  charts.tool('refresh', { app: 'chart', visibility: ['app'] }, () => 'fresh');
  const gateway = createChain().to({ charts: { server: charts }, weather: { server } });
  const direct = await connect(charts);
  const behind = await connect(gateway);
  const together = await connectAll({ charts });
  for (const source of [direct, behind, together]) {
    const openai = await openaiChatTools(source);
    const names = [
      openai.tools.map((tool) => tool.function.name),
      (await openaiResponsesTools(source)).tools.map(({ name }) => name),
      (await anthropicTools(source, { include: () => true })).tools.map(({ name }) => name),
      Object.keys(await aiSdkTools(source)),
    ];
    for (const shown of names) {
      expect(shown.filter((name) => name.endsWith('draw'))).toHaveLength(1);
      expect(shown.filter((name) => name.endsWith('refresh'))).toEqual([]);
    }
    const refresh = (await source.tools.list())
      .map(({ name }) => name)
      .find((name) => name.endsWith('refresh'));
    const use = { id: '1', type: 'function' as const, function: { name: refresh ?? '', arguments: '{}' } };
    expect(await openai.call([use])).toMatchObject([
      { content: expect.stringContaining(`There is no tool "${refresh}"`) },
    ]);
  }
  await Promise.all([direct.close(), behind.close(), together.close()]);
  await gateway.close({ drain: 0 });
  await charts.close({ drain: 0 });
});

test('a call that fails on its way becomes a failed result, and one that is aborted rejects', async () => {
  const errors: unknown[] = [];
  const lost = await connect(server);
  const { call } = await anthropicTools(lost, { onError: (error) => errors.push(error) });
  await lost.close();
  const use = { type: 'tool_use', id: '1', name: 'picture', input: {} };
  expect(await call([use])).toMatchObject([{ is_error: true }]);
  expect(errors).toHaveLength(1);
  await expect(call([use], { signal: AbortSignal.abort(new Error('left')) })).rejects.toThrow('left');
});
