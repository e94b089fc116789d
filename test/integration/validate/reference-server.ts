/** A correct server with every feature, and quick: each mutation breaks one thing in it. */

import { setTimeout as delay } from 'node:timers/promises';
import {
  createServer,
  elicit,
  type Registration,
  roots,
  type Server,
  sample,
  ToolError,
} from '../../../src/server/index.js';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const READ_ONLY = { readOnlyHint: true };

export function createReferenceServer(): Server {
  const server = createServer({
    name: 'reference',
    version: '1.0.0',
    instructions: 'For tests.',
    pageSize: 6,
  });
  addPlainTools(server);
  addAskingTools(server);
  addResources(server, addChangingTools(server));
  return server;
}

function addPlainTools(server: Server): void {
  server.tool(
    'echo',
    {
      description: 'Returns its text.',
      annotations: READ_ONLY,
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    },
    ({ text }) => text,
  );
  server.tool(
    'add',
    {
      description: 'Adds.',
      annotations: READ_ONLY,
      input: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
      output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    },
    ({ a, b }) => ({ sum: a + b }),
  );
  server.tool(
    'list',
    {
      description: 'Returns a list.',
      annotations: READ_ONLY,
      output: { type: 'array', items: { type: 'integer' } },
    },
    () => [1, 2, 3],
  );
  server.tool('image', { description: 'A picture.', annotations: READ_ONLY }, () => ({
    type: 'image',
    data: PIXEL,
    mimeType: 'image/png',
  }));
  server.tool('blocks', { description: 'A link and a resource.', annotations: READ_ONLY }, () => [
    { type: 'resource_link', uri: 'ref://text', name: 'text' },
    { type: 'resource', resource: { uri: 'ref://text', mimeType: 'text/plain', text: 'text' } },
  ]);
  server.tool('fail', { description: 'Fails.', annotations: READ_ONLY }, () => {
    throw new ToolError('It failed.');
  });
  server.tool('count', { description: 'Counts.', annotations: READ_ONLY }, async (_args, ctx) => {
    for (let step = 1; step <= 6; step += 1) {
      await delay(60, undefined, { signal: ctx.signal });
      ctx.progress(step, 6, `Step ${step}`);
    }
    return 'Counted.';
  });
  server.tool('log', { description: 'Logs.', annotations: READ_ONLY }, (_args, ctx) => {
    ctx.log('info', 'information');
    ctx.log('error', 'an error');
    return 'Logged.';
  });
  server.tool(
    'route',
    {
      description: 'Has arguments in headers.',
      annotations: READ_ONLY,
      input: {
        type: 'object',
        properties: {
          shard: { type: 'integer', 'x-mcp-header': 'Shard' },
          region: { type: 'string', 'x-mcp-header': 'Region' },
        },
      },
    },
    ({ shard = 0, region = '' }) => `${region}${shard}`,
  );
}

const NAME_FORM = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 1 } },
  required: ['name'],
} as const;

function addAskingTools(server: Server): void {
  server.tool(
    'ask_form',
    { description: 'Asks with a form.', requires: { elicitation: {} } },
    async (_args, ctx) => {
      const answer = await ctx.elicit('What is your name?', NAME_FORM);
      return answer.action === 'accept' ? `Hello, ${answer.content.name}.` : `You chose to ${answer.action}.`;
    },
  );
  server.tool('ask_page', { description: 'Asks with a page.' }, async (_args, ctx) => {
    const answer = await ctx.elicitUrl('Please confirm.', 'https://example.com/confirm');
    return `You chose to ${answer.action}.`;
  });
  server.tool(
    'ask_model',
    { description: 'Asks the model.', requires: { sampling: {} } },
    async (_args, ctx) => {
      const answer = await ctx.sample({
        messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
        maxTokens: 10,
      });
      return `The model ${answer.model} answered.`;
    },
  );
  server.tool(
    'ask_model_with_tools',
    { description: 'Asks the model, with tools.', requires: { sampling: { tools: {} } } },
    async (_args, ctx) => {
      const answer = await ctx.sample({
        messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
        maxTokens: 10,
        tools: [{ name: 'noop', inputSchema: { type: 'object' } }],
      });
      return `The model ${answer.model} answered.`;
    },
  );
  server.tool(
    'ask_all',
    { description: 'Asks everything.', requires: { elicitation: {}, sampling: {}, roots: {} } },
    async (_args, ctx) => {
      const answers = await ctx.ask({
        name: elicit('Name?', NAME_FORM),
        greeting: sample('Greet.'),
        places: roots(),
      });
      return `${answers.name.action}, ${answers.places.length}`;
    },
  );
}

/** Returns how often the note was written. */
function addChangingTools(server: Server): () => number {
  let written = 0;
  let bonus: Registration | undefined;
  server.tool('toggle_bonus', { description: 'Adds a tool, or removes it.' }, () => {
    if (bonus !== undefined) {
      bonus.remove();
      bonus = undefined;
      return 'Gone.';
    }
    bonus = server.tool('bonus', { description: 'Here for a while.' }, () => 'Bonus.');
    return 'There.';
  });
  server.tool(
    'write_note',
    {
      description: 'Changes the note.',
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    },
    () => {
      written += 1;
      server.resourceUpdated('ref://note');
      return 'Noted.';
    },
  );
  return () => written;
}

function addResources(server: Server, written: () => number): void {
  server.resource(
    'ref://text',
    { name: 'text', mimeType: 'text/plain', annotations: { audience: ['user'], priority: 0.5 } },
    () => 'A text.',
  );
  server.resource(
    'ref://note',
    { name: 'note', mimeType: 'text/plain' },
    () => `A note, written ${written()} times.`,
  );
  server.resource('ref://bytes', { name: 'bytes', mimeType: 'image/png' }, () =>
    Buffer.from(PIXEL, 'base64'),
  );
  for (const number of [1, 2, 3, 4, 5]) {
    server.resource(
      `ref://more/${number}`,
      { name: `more ${number}`, mimeType: 'text/plain' },
      () => `${number}`,
    );
  }
  server.resource('ref://item/{id}', { name: 'item', mimeType: 'text/plain' }, ({ variables }) =>
    variables.id === 'known' ? 'An item.' : undefined,
  );
  server.prompt(
    'greet',
    {
      description: 'Greets.',
      input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      complete: { name: (value) => ['Ada', 'Alan'].filter((name) => name.startsWith(value)) },
    },
    ({ name }) => [{ role: 'user', content: { type: 'text', text: `Greet ${name}.` } }],
  );
  server.prompt('show', { description: 'Shows a resource.' }, () => [
    {
      role: 'user',
      content: { type: 'resource', resource: { uri: 'ref://text', mimeType: 'text/plain', text: 'A text.' } },
    },
  ]);
}
