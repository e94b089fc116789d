import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadlines, type Limited } from '../../../src/client/connection/deadlines.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function limits() {
  const deadlines = new Deadlines(100, () => performance.now());
  const expired: string[] = [];
  const begin = (name: string): Limited => {
    const entry = { due: 0, before: undefined, after: undefined, expire: () => expired.push(name) };
    deadlines.add(entry);
    return entry;
  };
  return { deadlines, expired, begin };
}

describe('the time limit that calls share', () => {
  it('is kept for each of them, whatever became of those before', () => {
    const { deadlines, expired, begin } = limits();
    const first = begin('first');
    vi.advanceTimersByTime(40);
    begin('second');
    const third = begin('third');
    vi.advanceTimersByTime(40);
    begin('fourth');
    expect(vi.getTimerCount()).toBe(1);
    deadlines.remove(first);
    deadlines.remove(third);
    vi.advanceTimersByTime(58);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(3);
    expect(expired).toEqual(['second']);
    vi.advanceTimersByTime(42);
    expect(expired).toEqual(['second', 'fourth']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is watched over by a timer that stays for the next call', () => {
    const { deadlines, expired, begin } = limits();
    const only = begin('only');
    vi.advanceTimersByTime(60);
    deadlines.remove(only);
    deadlines.remove(only);
    begin('next');
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(98);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(4);
    expect(expired).toEqual(['next']);
    expect(vi.getTimerCount()).toBe(0);
    const last = begin('last');
    deadlines.stop();
    expect(vi.getTimerCount()).toBe(1);
    deadlines.remove(last);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps a process alive while a call is under way, and no longer', () => {
    vi.useRealTimers();
    const run = (timeout: number, rest: string) => {
      const program = `
        import { connect } from './dist/client/index.js';
        import { createServer } from './dist/server/index.js';
        const server = createServer({ name: 's', version: '1' });
        server.tool('echo', {}, () => 'x');
        server.tool('never', {}, () => new Promise(() => {}));
        const client = await connect(server, { timeout: ${timeout} });
        await client.tools.call('echo', {});
        ${rest}`;
      const options = { encoding: 'utf8', timeout: 20_000 } as const;
      return execFileSync(process.execPath, ['--input-type=module', '-e', program], options);
    };
    const never = `await client.tools.call('never', {}).catch((error) => console.log(error.code));`;
    expect(run(400, never)).toBe('timeout\n');
    // The client is not closed, and its timer would ring in a minute.
    expect(run(60_000, `console.log('done');`)).toBe('done\n');
  });
});
