import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import { Closing } from '../../../src/server/closing.js';
import type { CallContext } from '../../../src/server/context.js';
import { Dispatcher } from '../../../src/server/dispatcher.js';
import { ChangeHub } from '../../../src/server/hub.js';
import { StateSealer } from '../../../src/server/input-state.js';
import { DEFAULT_LIMITS } from '../../../src/server/limits.js';
import { Registry } from '../../../src/server/registry.js';
import { protocolRoutes } from '../../../src/server/routes.js';
import { ToolEntry } from '../../../src/server/tools.js';

/** The `tools/list` route over a registry of this many tools, with two on a page. */
function toolsList(count: number): { list: (cursor?: unknown) => JsonObject; tools: Registry<ToolEntry> } {
  const dispatcher = new Dispatcher({
    stamp: () => ({ serverInfo: { name: 's', version: '1' }, cache: { ttlMs: 0, cacheScope: 'private' } }),
    openSealer: async () => new StateSealer({ keys: [], ttlMs: 1, now: () => 0 }),
    exposeErrors: false,
    logs: () => true,
    announced: () => undefined,
    onError: () => {},
    createState: () => ({}),
    openBucket: () => Promise.reject(new Error('nothing is kept here')),
  });
  const tools = new Registry<ToolEntry>('tool', () => {});
  for (let index = 0; index < count; index += 1) {
    const name = `t${index}`;
    tools.add(name, new ToolEntry(name, {}, () => ''));
  }
  const empty = (): Registry<never> => new Registry('other', () => {});
  const routes = protocolRoutes({
    catalogue: { tools, resources: empty(), templates: empty(), prompts: empty() },
    dispatcher,
    hub: new ChangeHub(),
    pageSize: 2,
    listCache: {},
    closing: new Closing(),
    limits: DEFAULT_LIMITS,
    capabilities: () => ({ tools: {} }),
    discover: () => ({}),
  });
  // The route looks at the caller only where a server lists by permission.
  const ctx = { auth: undefined } as unknown as CallContext;
  return { tools, list: (cursor) => routes['tools/list']?.handle({ cursor }, ctx) as JsonObject };
}

describe('pages of a list', () => {
  test('are made once while the list stays as it is', () => {
    const { list, tools } = toolsList(6);
    const first = list();
    const second = list(first.nextCursor);
    expect(list()).toBe(first);
    expect(list(first.nextCursor)).toBe(second);
    tools.remove('t5');
    expect(list()).not.toBe(first);
  });

  test('that begin at a cursor which was guessed are not kept: each would be the list once more', () => {
    const { list } = toolsList(60);
    list();
    for (let position = 1; position < 50; position += 2) {
      const guessed = btoa(`tool:${position}`);
      const page = list(guessed);
      expect((page.tools as unknown[]).length).toBe(2);
      expect(list(guessed)).not.toBe(page);
    }
  });

  test('cannot be changed by whoever gets them', () => {
    const { list } = toolsList(2);
    const page = list();
    expect(() => Object.assign(page, { tools: [] })).toThrow(TypeError);
    expect(() => (page.tools as unknown[]).push({})).toThrow(TypeError);
    expect(() => Object.assign((page.tools as object[])[0] ?? {}, { name: 'x' })).toThrow(TypeError);
  });
});
