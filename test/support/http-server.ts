/** A server with a tool for every way that a call can travel over HTTP. Its waits are steps of the test. */

import type { JsonObject } from '../../src/jsonrpc/message.js';
import { createServer, type Server, type ServerOptions, ToolResult } from '../../src/server/index.js';
import { Steps } from './steps.js';

export interface Fixture {
  readonly server: Server;
  readonly steps: Steps;
  /** Errors that handlers threw or the endpoint reported. */
  readonly errors: unknown[];
}

const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

const MIRRORED = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
    place: { type: 'object', properties: { zone: { type: 'string', 'x-mcp-header': 'Zone' } } },
  },
} as const;

export function createFixture(options: Partial<ServerOptions> = {}): Fixture {
  const steps = new Steps();
  const errors: unknown[] = [];
  const server = createServer({
    name: 'fixture',
    version: '1.0.0',
    onError: (error) => errors.push(error),
    ...options,
  });

  server.tool('echo', { input: { type: 'object', properties: { text: { type: 'string' } } } }, ({ text }) => {
    return String(text);
  });
  server.tool('mirrored', { input: MIRRORED }, (args) => JSON.stringify(args));
  server.tool('who', {}, (_args, ctx) => JSON.stringify({ principal: ctx.caller.principal ?? null }));

  // Answers late; nothing precedes its result.
  server.tool('wait', {}, async (_args, ctx) => {
    steps.reach('started');
    try {
      await steps.opened('go', ctx.signal);
    } catch (error) {
      steps.reach('cancelled');
      throw error;
    }
    steps.reach('finished');
    return 'waited';
  });

  // Says something, waits, says something more, answers.
  server.tool('tell', {}, async (_args, ctx) => {
    ctx.progress(1, 3, 'first');
    steps.reach('told');
    try {
      await steps.opened('more', ctx.signal);
      ctx.progress(2, 3, 'second');
      steps.reach('told more');
      await steps.opened('go', ctx.signal);
    } catch (error) {
      steps.reach('cancelled');
      throw error;
    }
    ctx.progress(3, 3, 'third');
    steps.reach('finished');
    return 'told';
  });

  server.tool('progress', {}, (_args, ctx) => {
    for (const step of [1, 2, 3]) ctx.progress(step, 3);
    return 'progressed';
  });

  server.tool('log', {}, (_args, ctx) => {
    ctx.log('debug', 'a detail');
    ctx.log('warning', 'a warning', 'fixture');
    return 'logged';
  });

  // Lets the client go as soon as it has an event id.
  server.tool('release', {}, async (_args, ctx) => {
    ctx.progress(1, 2);
    ctx.release(1234);
    ctx.progress(2, 2);
    steps.reach('released');
    await steps.opened('go', ctx.signal);
    return 'released';
  });

  server.tool('ask', {}, async (_args, ctx) => {
    const answer = await ctx.elicit('Your name?', FORM);
    return JSON.stringify(answer);
  });
  server.tool('sample', {}, async (_args, ctx) => {
    const answer = await ctx.sample('Say hello');
    return JSON.stringify(answer.content);
  });
  server.tool('roots', {}, async (_args, ctx) => JSON.stringify(await ctx.roots()));
  server.tool('sampler', { requires: { sampling: {} } }, () => 'sampled');

  server.tool('crash', {}, () => {
    throw new Error('the password is hunter2');
  });
  // Not JSON: fails when it is encoded, after the handler has returned.
  server.tool('unencodable', {}, async (_args, ctx) => {
    ctx.progress(1);
    return new ToolResult({ content: [], structuredContent: { big: 1n } as unknown as JsonObject });
  });

  server.resource('test://fixed', {}, () => 'fixed');
  server.resource('test://items{/id*}', {}, ({ variables }) => JSON.stringify(variables.id));
  server.resource('test://search{?terms*}', {}, ({ variables }) => JSON.stringify(variables.terms));
  server.prompt('greet', {}, () => 'Say hello');
  return { server, steps, errors };
}
