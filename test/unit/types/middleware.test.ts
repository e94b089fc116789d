/** What the compiler knows about middleware and the state that it hands on. */

import { createServer } from 'plumb-mcp/server';
import { describe, expectTypeOf, test } from 'vitest';
import type { CallState } from '../../../src/middleware/compose.js';
import type { CallToolResult, ListToolsResult } from '../../../src/protocol/model/tools.js';

const server = createServer({ name: 's', version: '1' });

describe('middleware', () => {
  test('for a method knows its params and its result', () => {
    server.use('tools/call', async (call, next) => {
      expectTypeOf(call.method).toEqualTypeOf<'tools/call'>();
      expectTypeOf(call.params.name).toEqualTypeOf<string>();
      expectTypeOf(call.kind).toEqualTypeOf<'request'>();
      const result = await next({ ...call, params: { ...call.params, name: 'other' } });
      expectTypeOf(result.content).toEqualTypeOf<CallToolResult['content']>();
      expectTypeOf((await next()).isError).toEqualTypeOf<boolean | undefined>();
      return { ...result, isError: false };
    });
    server.use('resources/read', (call, next) => {
      expectTypeOf(call.params.uri).toEqualTypeOf<string>();
      return next();
    });
    server.use('notifications/progress', (call, next) => {
      expectTypeOf(call.kind).toEqualTypeOf<'notification'>();
      expectTypeOf(call.params.progress).toEqualTypeOf<number>();
      return next(call);
    });
  });

  test('for all methods narrows by the method', () => {
    server.use(async (call, next) => {
      if (call.method === 'tools/call') {
        expectTypeOf(call.params.name).toEqualTypeOf<string>();
        const result = await next(call);
        expectTypeOf(result.content).toEqualTypeOf<CallToolResult['content']>();
        return result;
      }
      if (call.method === 'tools/list')
        expectTypeOf((await next(call)).tools).toEqualTypeOf<ListToolsResult['tools']>();
      return next();
    });
    server.use('tools/*', (call, next) => next(call));
    server.use('notifications/*', (_call, next) => next());
  });

  test('requests other things with their types', () => {
    server.use('tools/call', async (_call, next) => {
      expectTypeOf((await next.request('tools/list', {})).tools).toEqualTypeOf<ListToolsResult['tools']>();
      return next();
    });
  });

  test('for a method that does not exist does not compile', () => {
    const misspelt = (): void => {
      // @ts-expect-error There is no such method.
      server.use('tools/cal', (_call, next) => next());
      // @ts-expect-error Nor anything that begins like this.
      server.use('tool/*', (_call, next) => next());
    };
    expectTypeOf(misspelt).toBeFunction();
    server.use({ method: 'acme/sum' }, (_call, next) => next());
  });
});

describe('state', () => {
  test('has the type of the function that makes it, in middleware and handlers', () => {
    const typed = createServer({
      name: 's',
      version: '1',
      state: () => ({ user: undefined as string | undefined, started: 0 }),
    });
    typed.use('tools/call', (call, next) => {
      expectTypeOf(call.state).toEqualTypeOf<{ user: string | undefined; started: number }>();
      call.state.user = 'ada';
      // @ts-expect-error The state has no such value.
      call.state.name = 'ada';
      return next();
    });
    typed.tool('who', {}, (_args, ctx) => {
      expectTypeOf(ctx.state.user).toEqualTypeOf<string | undefined>();
      return ctx.state.user;
    });
    typed.resource('test:{id}', {}, (_request, ctx) => {
      expectTypeOf(ctx.state.started).toEqualTypeOf<number>();
      return '';
    });
    typed.prompt('ask', {}, (_args, ctx) => ctx.state.user ?? '');
    typed.method('acme/sum', (_params, ctx) => ({ user: ctx.state.user }));
  });

  test('is open without one', () => {
    server.tool('open', {}, (_args, ctx) => {
      expectTypeOf(ctx.state).toEqualTypeOf<CallState>();
    });
  });
});
