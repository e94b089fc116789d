/** A server with one of each thing, small enough to assert on exactly. */

import {
  createServer,
  elicit,
  roots,
  type Server,
  type ServerOptions,
  sample,
  ToolError,
  ToolResult,
} from 'plumb-mcp/server';
import { z } from 'zod';

export interface Everything {
  readonly server: Server;
  /** How many calls of the `hang` tool have begun. */
  begun(): number;
  /** Calls of the `hang` tool whose signal was aborted, with the reasons. */
  readonly aborted: string[];
  /** How often the side effect of the `twice` tool ran. */
  effects(): number;
}

export function createEverything(options: Partial<ServerOptions> = {}): Everything {
  const server = createServer({
    name: 'everything',
    version: '1.2.3',
    title: 'Everything',
    instructions: 'Use with care.',
    pageSize: 5,
    onError: () => undefined,
    ...options,
  });
  const aborted: string[] = [];
  let begun = 0;
  let effects = 0;

  server.tool(
    'add',
    {
      title: 'Add',
      description: 'Adds two numbers',
      annotations: { readOnlyHint: true },
      input: z.object({ a: z.number(), b: z.number().default(1) }),
      output: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({ sum: a + b }),
  );
  server.tool(
    'echo',
    { description: 'Echoes', input: z.object({ message: z.string() }) },
    ({ message }) => message,
  );
  server.tool('list', { description: 'A list as structured content', output: z.array(z.number()) }, () => [
    1, 2, 3,
  ]);
  server.tool('contents', { description: 'Every kind of content' }, () => [
    {
      type: 'text',
      text: 'plain',
      annotations: { priority: 1, lastModified: '2026-01-01T00:00:00Z' },
      _meta: { a: 1 },
    },
    { type: 'image', data: 'aGk=', mimeType: 'image/png' },
    { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'test://embedded', text: 'embedded', _meta: { b: 2 } } },
    { type: 'resource_link', uri: 'test://fixed', name: 'fixed', title: 'Fixed' },
  ]);
  server.tool('fail', { description: 'Fails in a way the model should read' }, () => {
    throw new ToolError('the reason');
  });
  server.tool('crash', { description: 'Fails in a way nobody should read' }, () => {
    throw new Error('secret detail');
  });
  server.tool(
    'spelled',
    { description: 'A result spelled out' },
    () => new ToolResult({ content: [], isError: true }),
  );
  server.tool('steps', { description: 'Reports progress' }, async (_, ctx) => {
    ctx.progress(1, 3, 'one');
    ctx.progress(1, 3, 'not more');
    ctx.progress(2, 3);
    await Promise.resolve();
    ctx.progress(3, 3, 'done');
    return 'stepped';
  });
  server.tool('talk', { description: 'Logs' }, (_, ctx) => {
    ctx.log('debug', 'quiet');
    ctx.log('warning', { loud: true }, 'talker');
    return 'talked';
  });
  server.tool('hang', { description: 'Never ends by itself' }, async (_, ctx) => {
    begun += 1;
    ctx.progress(1);
    if (!ctx.signal.aborted)
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
    aborted.push(String(ctx.signal.reason?.message));
    return 'too late';
  });
  server.tool('form', { description: 'Asks for a form' }, async (_, ctx) => {
    const answer = await ctx.elicit('Who?', z.object({ name: z.string(), age: z.number().int().default(7) }));
    return answer.action === 'accept' ? `${answer.content.name} is ${answer.content.age}` : answer.action;
  });
  server.tool('model', { description: 'Asks the model' }, async (_, ctx) => {
    const answer = await ctx.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'capital?' } }],
      maxTokens: 9,
    });
    return JSON.stringify(answer.content);
  });
  server.tool('places', { description: 'Asks for roots' }, async (_, ctx) => {
    return (await ctx.roots()).map((root) => root.uri).join(',');
  });
  server.tool('several', { description: 'Asks several things at once' }, async (_, ctx) => {
    const answers = await ctx.ask({
      name: elicit('Name?', z.object({ name: z.string() })),
      word: sample('a word'),
      where: roots(),
    });
    return [answers.name.action, answers.word.model, answers.where.length].join(' ');
  });
  server.tool('twice', { description: 'Asks twice, with a side effect before' }, async (_, ctx) => {
    const effect = await ctx.once('effect', () => {
      effects += 1;
      return `effect ${effects}`;
    });
    const first = await ctx.elicit('First?', z.object({ value: z.string() }));
    const second = await ctx.elicit(
      `Second, after ${first.content?.value}?`,
      z.object({ value: z.string() }),
    );
    return `${effect}: ${first.content?.value} ${second.content?.value}`;
  });
  server.tool(
    'needs-sampling',
    { description: 'Refused without sampling', requires: { sampling: {} } },
    () => 'sampled',
  );

  server.resource(
    'test://fixed',
    { name: 'fixed', title: 'Fixed', mimeType: 'text/plain' },
    () => 'fixed text',
  );
  server.resource('test://bytes', { name: 'bytes', mimeType: 'image/png' }, () => new Uint8Array([1, 2, 3]));
  server.resource(
    'test://item/{id}',
    {
      name: 'item',
      title: 'Item',
      complete: { id: (value) => ['alpha', 'beta'].filter((id) => id.startsWith(value)) },
    },
    ({ variables }) => (variables.id === 'missing' ? undefined : `item ${variables.id}`),
  );
  server.prompt('simple', { description: 'A simple prompt' }, () => 'Say hello');
  server.prompt(
    'review',
    {
      title: 'Review',
      description: 'Reviews code',
      input: z.object({ code: z.string().describe('The code'), language: z.string().optional() }),
      complete: {
        language: (value, known) =>
          (known.code === 'x' ? ['xml'] : ['typescript', 'python']).filter((name) => name.startsWith(value)),
      },
    },
    ({ code, language }) => [
      { role: 'user', content: { type: 'text', text: `Review this ${language ?? 'code'}: ${code}` } },
      { role: 'assistant', content: { type: 'resource_link', uri: 'test://fixed', name: 'fixed' } },
    ],
  );
  return { server, aborted, begun: () => begun, effects: () => effects };
}
