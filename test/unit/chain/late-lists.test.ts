/** A server that does not answer its list: the others' lists do not wait for it, and it joins when it answers. */

import { createChain } from 'plumb-mcp/chain';
import { type Client, connect } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { Steps } from '../../support/steps.js';

/** Longer than the others wait, shorter than any call may take. */
const LONG_MS = 11_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Meeting {
  readonly client: Client;
  readonly steps: Steps;
  readonly errors: string[];
  /** How often the slow server was asked for its tools. */
  asked(): number;
  names(): Promise<string[]>;
}

async function meet(version: string): Promise<Meeting> {
  const steps = new Steps();
  let asked = 0;
  const slow = createServer({ name: 'slow', version: '1', revisions: ['2025-11-25'] });
  slow.tool('run', {}, () => 'slow ran');
  slow.use(async (call, next) => {
    if (call.method === 'tools/list') {
      asked += 1;
      steps.reach('asked');
      await steps.opened('list', call.signal);
    }
    return next();
  });
  const quick = createServer({ name: 'quick', version: '1' });
  quick.tool('run', {}, () => 'quick ran');
  const errors: string[] = [];
  const built = createChain({
    onError: (error) => errors.push(error instanceof Error ? error.message : ''),
  }).to({
    slow,
    quick,
  });
  const client = await connect(built, { revisions: [version], timeout: 1_000_000 });
  onTestFinished(async () => {
    vi.useRealTimers();
    await client.close();
    await built.close({ drain: 0 });
    await Promise.all([slow.close({ drain: 0 }), quick.close({ drain: 0 })]);
  });
  const names = async (): Promise<string[]> =>
    (await client.tools.list({ cache: 'reload' })).map(({ name }) => name);
  return { client, steps, errors, asked: () => asked, names };
}

describe.each(REVISIONS.map(({ version }) => version))('a client of %s', (version) => {
  test('gets the other lists, and is notified when the late one is there', async () => {
    const { client, steps, errors, asked, names } = await meet(version);
    let changes = 0;
    client.on('toolsChanged', () => {
      changes += 1;
    });
    const [first, second] = [names(), names()];
    await steps.until('asked');
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(await Promise.all([first, second])).toEqual([['quick__run'], ['quick__run']]);
    // While it is awaited, nothing waits for it and nothing more is asked of it; calls reach it.
    expect(await names()).toEqual(['quick__run']);
    expect(asked()).toBe(2);
    expect((await client.tools.call('slow__run', {})).content).toMatchObject([{ text: 'slow ran' }]);
    expect(errors.filter((message) => message.includes('"slow" has not answered tools/list'))).toHaveLength(
      1,
    );
    steps.open('list');
    vi.useRealTimers();
    await expect.poll(() => changes).toBeGreaterThan(0);
    expect(await names()).toEqual(['slow__run', 'quick__run']);
    expect(asked()).toBe(2);
    expect(await names()).toEqual(['slow__run', 'quick__run']);
    expect(asked()).toBe(3);
  });
});
