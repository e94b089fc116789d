import { describe, expect, test } from 'vitest';
import {
  type Call,
  type CallFilter,
  type Middleware,
  matches,
  runChain,
} from '../../../src/middleware/compose.js';

const call: Call = {
  kind: 'request',
  direction: 'inbound',
  method: 'tools/call',
  params: { name: 'x' },
  caller: {
    revision: '2025-11-25',
    client: undefined,
    capabilities: {},
    principal: undefined,
    sessionId: undefined,
  },
  state: {},
  signal: new AbortController().signal,
};

describe('a chain', () => {
  test('runs the first middleware outermost, and the handler inside', async () => {
    const seen: string[] = [];
    const named =
      (name: string): Middleware =>
      async (_call, next) => {
        seen.push(`${name} in`);
        const result = await next();
        seen.push(`${name} out`);
        return result;
      };
    const result = await runChain([named('a'), named('b')], call, () => {
      seen.push('handler');
      return { ok: true };
    });
    expect(result).toEqual({ ok: true });
    expect(seen).toEqual(['a in', 'b in', 'handler', 'b out', 'a out']);
  });

  test('hands on a changed call, and without one the same', async () => {
    const params: unknown[] = [];
    const change: Middleware = (current, next) =>
      next({ ...current, params: { ...current.params, more: 1 } });
    const look: Middleware = (current, next) => {
      params.push(current.params);
      return next();
    };
    await runChain([look, change, look], call, (current) => {
      params.push(current.params);
      return {};
    });
    expect(params).toEqual([{ name: 'x' }, { name: 'x', more: 1 }, { name: 'x', more: 1 }]);
    expect(call.params).toEqual({ name: 'x' });
  });

  test('ends where a middleware does not go on', async () => {
    const never = (): never => {
      throw new Error('reached');
    };
    expect(await runChain([() => ({ short: true }), never], call, never)).toEqual({ short: true });
  });

  test('refuses a second next() of the same middleware, and the handler runs once', async () => {
    let runs = 0;
    const twice: Middleware = async (_call, next) => {
      await next();
      return next();
    };
    const handler = () => {
      runs += 1;
      return {};
    };
    await expect(runChain([twice], call, handler)).rejects.toThrow(/next\(\) was called twice/);
    expect(runs).toBe(1);
  });

  test('rejects with what a middleware or the handler throws, at once or later', async () => {
    const boom = new Error('boom');
    for (const middleware of [
      (() => {
        throw boom;
      }) as Middleware,
      (async () => Promise.reject(boom)) as Middleware,
      (async (_call, next) => next()) as Middleware,
    ]) {
      await expect(
        runChain([middleware], call, () => {
          throw boom;
        }),
      ).rejects.toBe(boom);
    }
  });

  test('without middleware is the handler', async () => {
    expect(await runChain([], call, () => ({ a: 1 }))).toEqual({ a: 1 });
  });
});

describe('a filter', () => {
  const CALLS = {
    list: { kind: 'request', direction: 'inbound', method: 'tools/list' },
    ask: { kind: 'request', direction: 'outbound', method: 'roots/list' },
    log: { kind: 'notification', direction: 'outbound', method: 'notifications/message' },
  } as const;

  test.each<[CallFilter, (keyof typeof CALLS)[]]>([
    [{}, ['list', 'ask', 'log']],
    [{ method: 'tools/list' }, ['list']],
    [{ method: 'tools/*' }, ['list']],
    [{ method: '*' }, ['list', 'ask', 'log']],
    [{ method: 'tools' }, []],
    [{ method: ['roots/list', 'notifications/*'] }, ['ask', 'log']],
    [{ method: [] }, []],
    [{ direction: 'outbound' }, ['ask', 'log']],
    [{ kind: 'request' }, ['list', 'ask']],
    [{ direction: 'outbound', kind: 'request', method: '*list' }, []],
    [{ direction: 'inbound', method: 'roots/list' }, []],
  ])('%j lets through %j', (filter, names) => {
    const passed = Object.entries(CALLS).flatMap(([name, candidate]) =>
      matches(filter, candidate) ? [name] : [],
    );
    expect(passed).toEqual(names);
  });
});
