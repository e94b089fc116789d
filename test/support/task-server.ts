/** A server whose tools run as tasks, with a handler of every kind. */

import {
  createServer,
  elicit,
  ProtocolError,
  type Server,
  type ServerOptions,
  ToolError,
} from 'plumb-mcp/server';

export interface TaskServer {
  readonly server: Server;
  /** What handlers have noticed. */
  readonly seen: string[];
  /** Lets the handlers of `gate` go on. */
  open(): void;
}

const NAME = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
} as const;

export function createTaskServer(options: Partial<ServerOptions> = {}): TaskServer {
  const server = createServer({
    name: 'tasks',
    version: '1.0.0',
    ...options,
    tasks: { pollInterval: 20, ...options.tasks },
  });
  const seen: string[] = [];
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  server.tool('plain', {}, () => 'plain');
  server.tool('add', { task: 'optional', input: numbers() }, async ({ a, b }, ctx) => {
    ctx.status('adding');
    return `${a + b}`;
  });
  server.tool('must', { task: 'required' }, async () => 'done');
  server.tool('gate', { task: 'optional' }, async (_args, ctx) => {
    ctx.progress(1, 2, 'waiting');
    await Promise.race([gate, aborted(ctx.signal)]);
    if (ctx.signal.aborted) seen.push('stopped');
    return 'open';
  });
  server.tool('fails', { task: 'optional' }, async () => {
    throw new ToolError('It does not work');
  });
  server.tool('breaks', { task: 'optional' }, async () => {
    throw new ProtocolError('invalid_params', 'It is not allowed');
  });
  server.tool('asks', { task: 'optional' }, async (_args, ctx) => {
    const answer = await ctx.elicit('Your name?', NAME);
    return answer.action === 'accept' ? `Hello ${answer.content.name}` : 'Nobody';
  });
  server.tool('asks_twice', { task: 'optional' }, async (_args, ctx) => {
    const { first, second } = await ctx.ask({
      first: elicit('First?', NAME),
      second: elicit('Second?', NAME),
    });
    return `${first.content?.name} and ${second.content?.name}`;
  });
  server.tool('asks_first', { task: { support: 'optional', start: 'manual' } }, async (_args, ctx) => {
    const answer = await ctx.elicit('Your name?', NAME);
    await ctx.detach();
    return `Hello ${answer.content?.name}`;
  });
  return { server, seen, open: () => open() };
}

function numbers() {
  return {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  } as const;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
