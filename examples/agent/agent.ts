/**
 * An agent loop: a model chooses tools, Plumb calls them, and the program uses the same server with generated types.
 *
 *   node examples/agent/agent.ts "What is the weather in Bern?" (Node 22.18+, with OPENAI_API_KEY or OPENAI_BASE_URL)
 *
 * `weather/` was written by: plumb gen -o examples/agent/weather -- node examples/weather-server.mjs
 */
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { openaiChatTools } from 'plumb-mcp/adapters';
import { connect } from 'plumb-mcp/client';
import { forecast } from './weather/index.ts';

const MAX_TURNS = 8;
const question = process.argv[2] ?? 'What is the weather in Bern?';
const server = fileURLToPath(new URL('../weather-server.mjs', import.meta.url));

const client = await connect(
  { command: process.execPath, args: [server] },
  { elicit: () => ({ action: 'accept', content: { unit: 'C' } }) },
);
try {
  // Typed: a misspelt argument does not compile.
  const { structuredContent } = await forecast(client, { city: 'Bern', days: 1 });
  console.log('typed call:', structuredContent?.temperatures.join());
  console.log('answer:', await answer(question));
} finally {
  await client.close();
}

async function answer(content: string): Promise<string> {
  const model = new OpenAI({ apiKey: process.env.OPENAI_API_KEY ?? 'none' });
  const { tools, call } = await openaiChatTools(client);
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content }];
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const { choices } = await model.chat.completions.create({ model: 'gpt-5', messages, tools });
    const message = choices[0]?.message;
    if (message === undefined) break;
    messages.push(message);
    const results = await call(message.tool_calls);
    if (results.length === 0) return message.content ?? '';
    messages.push(...results);
  }
  return `No answer after ${MAX_TURNS} turns`;
}
