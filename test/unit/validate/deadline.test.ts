/** Servers that never work: by its own clock, every run ends in time, however slow the machine is. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { diagnose, validateServer } from '../../../src/validate/index.js';
import { pipeTarget } from '../../../src/validate/target.js';
import type { OpenPipe, PipeEvents } from '../../../src/validate/wire/line-pipe.js';

const HALF_A_MINUTE = 30_000;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Behaviour {
  readonly opens?: (events: PipeEvents) => void;
  readonly hears?: (
    message: { readonly id?: unknown; readonly method?: unknown },
    events: PipeEvents,
  ) => void;
}

function server({ opens, hears }: Behaviour): OpenPipe {
  return async (events) => {
    opens?.(events);
    return {
      write: async (data) => {
        for (const line of String(data).split('\n'))
          if (line.startsWith('{')) hears?.(JSON.parse(line), events);
      },
      endInput: () => {},
      close: async () => {},
    };
  };
}

const response = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result: {} });

const BROKEN: readonly (readonly [string, Behaviour])[] = [
  ['is silent', {}],
  ['prints a banner', { opens: ({ line }) => line('Server started') }],
  ['prints now and then', { opens: ({ line }) => void setInterval(() => line('still here'), 1_000) }],
  [
    'answers with another id',
    { hears: ({ id }, { line }) => (id === undefined ? undefined : line(response(999))) },
  ],
  [
    'answers with no id',
    { hears: ({ id }, { line }) => (id === undefined ? undefined : line(response(null))) },
  ],
  ['answers over several lines', { hears: (_, { line }) => response(1).split(',').forEach(line) }],
  ['wants headers', { hears: (_, { line }) => line('Content-Length: 10') }],
];

/** Lets the clock run until the work is done; the test itself takes no time. */
async function settled<T>(work: Promise<T>): Promise<T> {
  let over = false;
  const ended = work.finally(() => {
    over = true;
  });
  for (let step = 0; !over && step < 3_000; step += 1) await vi.advanceTimersByTimeAsync(100);
  return ended;
}

/** How long it took by the clock of the run. */
async function elapsed(work: Promise<unknown>): Promise<number> {
  const started = performance.now();
  await settled(work);
  return performance.now() - started;
}

test.each(BROKEN)('a server that %s is diagnosed within half a minute', async (_name, behaviour) => {
  const target = pipeTarget('node server.js', server(behaviour));
  expect(await elapsed(diagnose(target))).toBeLessThanOrEqual(HALF_A_MINUTE);
});

/** As `plumb validate` does it: where nothing answers, the doctor explains why. */
test.each(BROKEN)(
  'a server that %s is validated and explained within half a minute',
  async (_name, behaviour) => {
    const target = pipeTarget('node server.js', server(behaviour));
    const judged = async (): Promise<void> => {
      const { spoken, elapsedMs } = await validateServer(target);
      if (spoken.length === 0) await diagnose(target, { waited: elapsedMs });
    };
    expect(await elapsed(judged())).toBeLessThanOrEqual(HALF_A_MINUTE);
  },
);

test('a server that logs to stderr all the time is given up at its limit', async () => {
  const logs = server({ opens: ({ stderr }) => void setInterval(() => stderr('loading'), 1_000) });
  const target = pipeTarget('node server.js', logs);
  const took = await elapsed(diagnose(target, { connectTimeout: 40_000 }));
  expect(took).toBeGreaterThanOrEqual(40_000);
  expect(took).toBeLessThanOrEqual(50_000);
});

test('nothing more is tried once the time is used up', async () => {
  let opened = 0;
  const starved = server({
    opens: () => {
      opened += 1;
    },
    // The machine is so busy that the next thing happens much later.
    hears: ({ method }) => {
      if (method === 'server/discover') vi.advanceTimersByTime(60_000);
    },
  });
  const steps = await settled(diagnose(pipeTarget('node server.js', starved), { connectTimeout: 3_000 }));
  expect(opened).toBe(1);
  expect(steps.at(-1)).toMatchObject({ name: 'answer', ok: false });
});
