/** How long a command is waited for: as long as the user says, and less long where nothing comes of it. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startPatience, startTime } from '../../../src/validate/first-contact.js';
import { commandTarget, pipeTarget } from '../../../src/validate/target.js';
import type { PipeEvents } from '../../../src/validate/wire/line-pipe.js';

const command = (words: string) => {
  const [first = '', ...args] = words.split(' ');
  return commandTarget({ command: first, args });
};

test('a silent command is given up before one that prints or installs', () => {
  expect(startPatience(command('node server.js'), undefined)).toEqual({ limitMs: 60_000, silentMs: 18_000 });
  for (const words of [
    'npx -y server',
    '/usr/bin/npx -y server',
    'uvx server',
    'docker run server',
    'npx.cmd x',
  ])
    expect(startPatience(command(words), undefined)).toEqual({ limitMs: 60_000, silentMs: 60_000 });
});

test('the limit of the user holds as it is given', () => {
  expect(startPatience(command('node server.js'), 90_000)).toEqual({ limitMs: 90_000, silentMs: 90_000 });
  expect(startPatience(command('node server.js'), 3_000)).toEqual({ limitMs: 3_000, silentMs: 3_000 });
});

describe('a server that', () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval', 'performance'] }),
  );
  afterEach(() => void vi.useRealTimers());

  /** Started at time 0; `behave` gets its events. */
  async function started(behave: (events: PipeEvents) => void, afterMs: number) {
    let begun = 0;
    const target = pipeTarget('node server.js', async (events) => {
      begun = performance.now();
      behave(events);
      return { write: async () => {}, endInput: () => {}, close: async () => {} };
    });
    let over = Number.NaN;
    const result = startTime(target, { limitMs: 60_000, silentMs: 18_000 }).then((outcome) => {
      over = performance.now() - begun;
      return outcome;
    });
    await vi.advanceTimersByTimeAsync(afterMs);
    return { over, result };
  }

  test('neither prints nor answers is given up after 18 s', async () => {
    const { over, result } = await started(() => {}, 19_000);
    expect(over).toBeGreaterThanOrEqual(18_000);
    expect(over).toBeLessThan(18_500);
    expect(await result).toEqual({ startMs: undefined, said: false });
  });

  test('prints to stderr meanwhile is waited for until the limit', async () => {
    const { over } = await started(({ stderr }) => {
      setInterval(() => stderr('downloading'), 5_000);
    }, 61_000);
    expect(over).toBeGreaterThanOrEqual(59_999);
    expect(over).toBeLessThan(60_500);
  });

  test('answers after a long time of printing is in order', async () => {
    const { result } = await started(({ stderr, line }) => {
      setInterval(() => stderr('installing'), 5_000);
      setTimeout(() => line('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}'), 40_000);
    }, 61_000);
    expect(await result).toMatchObject({ said: true });
  });

  test('floods stderr is given up at once', async () => {
    const { over } = await started(({ stderr }) => {
      setInterval(() => stderr('x'.repeat(1024 * 1024)), 100);
    }, 5_000);
    expect(over).toBeLessThan(2_000);
  });
});
