/** What a call announces is logged before the call is answered. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { ChangeHub } from '../../../src/server/hub.js';
import { createServer } from '../../../src/server/index.js';
import { ChangeRelay } from '../../../src/server/relay.js';
import { createMemoryStore, type Store } from '../../../src/store/index.js';
import { createAsyncStore } from '../../support/async-store.js';

interface Gated {
  readonly store: Store;
  readonly published: string[];
  open(): void;
}

/** A store that takes changes only when it is told to. */
function gatedStore(): Gated {
  const store = createAsyncStore(createMemoryStore());
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const published: string[] = [];
  const publish: Store['changes']['publish'] = async (text) => {
    await gate;
    published.push(text);
  };
  const changes = { ...store.changes, publish };
  return { store: { ...store, changes }, published, open: () => open() };
}

const CALL = {
  method: 'POST',
  headers: {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'write',
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'write',
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
};

describe('the answer to a call', () => {
  it.each([
    ['a resource that it updated', 'resource'],
    ['a list that it changed, within one tick', 'list'],
  ])('waits until %s is in the change log', async (_what, type) => {
    const { store, published, open } = gatedStore();
    const server = createServer({ name: 'writer', version: '1', http: { store } });
    server.tool('write', {}, () => {
      if (type === 'resource') server.resourceUpdated('note://1');
      else server.tool('another', {}, () => 'another');
      return 'written';
    });
    let answered = false;
    const answer = server.fetch(new Request('http://localhost/mcp', CALL)).then((response) => {
      answered = true;
      return response.text();
    });
    // Other calls come and go meanwhile.
    for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    open();
    expect(await answer).toContain('written');
    expect(published.some((text) => text.includes(`"type":"${type}"`))).toBe(true);
    await server.close({ drain: 0 });
  });
});

describe('an announcement that the store does not take', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is published again under the same mark when the store is back, before later ones', async () => {
    vi.useFakeTimers();
    const store = createMemoryStore();
    const calls: (readonly [text: string, mark: string | undefined, repeated: boolean])[] = [];
    let isAway = true;
    const publish: Store['changes']['publish'] = (text, mark, repeated = false) => {
      calls.push([JSON.parse(text).uri, mark, repeated]);
      if (isAway) throw new Error('away');
    };
    const errors: unknown[] = [];
    const { changes: log } = store;
    const changes: Store['changes'] = {
      publish,
      newest: () => log.newest(),
      since: (...args) => log.since(...args),
      follow: (...args) => log.follow(...args),
    };
    const relay = new ChangeRelay({ ...store, changes }, new ChangeHub(), (error) => errors.push(error));
    relay.publish({ type: 'resource', uri: 'note://1' });
    await relay.published();
    expect(errors).toHaveLength(1);
    isAway = false;
    await vi.advanceTimersByTimeAsync(1_500);
    relay.publish({ type: 'resource', uri: 'note://2' });
    await relay.published();
    expect(calls.map(([uri, , repeated]) => [uri, repeated])).toEqual([
      ['note://1', false],
      ['note://1', true],
      ['note://2', false],
    ]);
    expect(calls[1]?.[1]).toBe(calls[0]?.[1]);
    await relay.close();
  });
});
