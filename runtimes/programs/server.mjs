/** The server that every runtime serves, over every transport that it has. */
import { createServer, ToolError } from 'plumb-mcp/server';
import { z } from 'zod';

export function createTestedServer() {
  const server = createServer({
    name: 'runtimes',
    version: '1.0.0',
    http: { keepAlive: '1s' },
  });
  let cancelled = 0;

  server.tool(
    'add',
    {
      description: 'Adds two numbers',
      input: z.object({ a: z.number(), b: z.number() }),
      output: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({ sum: a + b }),
  );

  server.tool(
    'search',
    {
      description: 'Has arguments that a JSON Schema describes',
      input: {
        type: 'object',
        properties: { code: { type: 'string', pattern: '^[A-Z]{2}[0-9]+$' }, limit: { type: 'integer' } },
        required: ['code'],
      },
    },
    ({ code, limit = 1 }) => `${limit} x ${code}`,
  );

  server.tool('fail', { description: 'Fails' }, () => {
    throw new ToolError('out of stock');
  });

  server.tool('count', { description: 'Reports progress' }, async (_args, ctx) => {
    for (const step of [1, 2, 3]) {
      await ctx.progress(step, 3);
      await pause(5);
    }
    return 'counted';
  });

  server.tool('greet', { description: 'Asks for a name' }, async (_args, ctx) => {
    const answer = await ctx.elicit('Your name?', z.object({ name: z.string() }));
    return answer.action === 'accept' ? `Hello ${answer.content.name}` : answer.action;
  });

  server.tool('think', { description: 'Asks a model' }, async (_args, ctx) => {
    const { content } = await ctx.sample('What is it?');
    return JSON.stringify(content);
  });

  server.tool('wait', { description: 'Waits until it is cancelled' }, async (_args, ctx) => {
    await ctx.progress(1, 2);
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
    cancelled += 1;
    return 'cancelled';
  });

  server.tool('cancelled', { description: 'How many calls were cancelled' }, async () => {
    await pause(20);
    return String(cancelled);
  });

  server.tool('touch', { description: 'Changes the note' }, () => {
    server.resourceUpdated('note://one');
    return 'touched';
  });

  server.resource('note://one', { name: 'one', mimeType: 'text/plain' }, () => 'the note');
  server.resource(
    'note://by/{author}',
    { name: 'by author', complete: { author: ['ada', 'alan', 'grace'] } },
    ({ variables }) => `by ${variables.author}`,
  );
  server.prompt(
    'review',
    { description: 'A review', input: z.object({ tone: z.enum(['kind', 'strict']) }) },
    ({ tone }) => `Write a ${tone} review`,
  );
  return server;
}

/** @param {number} milliseconds */
function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
