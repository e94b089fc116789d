/**
 * The machine with its driver, walked at random against a transport that misbehaves in every way. The model knows what
 * each call may come to and how often it may be carried out; the state has to follow the arrows, step by step.
 */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StateName } from '../../../src/client/connection/machine.js';
import { type Client, connect, mayHaveActed } from '../../../src/client/index.js';
import { turn } from '../../support/scripted-server.js';
import { NEXT } from './arrows.js';
import { MANNERS, Misbehaving } from './misbehaving.js';

interface Call {
  readonly name: string;
  readonly retry: boolean;
  readonly controller: AbortController;
  outcomes: number;
  answer: string | undefined;
  error: unknown;
}

/** What must be so, whatever the client does. */
interface Model {
  calls: number;
  closed: boolean;
}

interface Real {
  readonly server: Misbehaving;
  readonly client: Client;
  readonly calls: Call[];
  readonly settled: Promise<void>[];
  readonly seen: StateName[];
}

class Command implements fc.AsyncCommand<Model, Real> {
  readonly #name: string;
  readonly #perform: (real: Real, model: Model) => void | Promise<void>;

  constructor(name: string, perform: (real: Real, model: Model) => void | Promise<void>) {
    this.#name = name;
    this.#perform = perform;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    await this.#perform(real, model);
    await turn();
    const { client, seen } = real;
    // What listeners heard is where the client is; and nothing leads away from its end.
    expect(client.state).toBe(seen.at(-1));
    if (model.closed) expect(['closing', 'closed']).toContain(client.state);
    expect(real.calls).toHaveLength(model.calls);
    for (const { outcomes } of real.calls) expect(outcomes).toBeLessThanOrEqual(1);
  }

  toString(): string {
    return this.#name;
  }
}

async function call(real: Real, model: Model, wait: boolean, retry: boolean): Promise<void> {
  const { client, server, calls, settled } = real;
  const one: Call = {
    name: `call-${model.calls}`,
    retry,
    controller: new AbortController(),
    outcomes: 0,
    answer: undefined,
    error: undefined,
  };
  model.calls += 1;
  calls.push(one);
  const fine = client.state === 'ready' && server.manner === 'good';
  const whenNotReady = wait ? ('wait' as const) : ('fail' as const);
  const options = { timeout: 2_000, retry, whenNotReady, signal: one.controller.signal };
  settled.push(
    client.tools.call(one.name, {}, options).then(
      ({ content: [block] }) => {
        one.outcomes += 1;
        one.answer = block?.type === 'text' ? block.text : undefined;
      },
      (error: unknown) => {
        one.outcomes += 1;
        one.error = error;
      },
    ),
  );
  await turn();
  if (fine) expect(one.answer ?? one.error).toBe(one.name);
}

const COMMANDS = [
  fc
    .tuple(fc.boolean(), fc.boolean())
    .map(
      ([wait, retry]) =>
        new Command(`call(wait ${wait}, retry ${retry})`, (real, model) => call(real, model, wait, retry)),
    ),
  fc.constantFrom('good', 'good', 'good', ...MANNERS).map(
    (manner) =>
      new Command(`becomes "${manner}"`, ({ server }) => {
        server.manner = manner;
      }),
  ),
  fc.constant(new Command('hang up', async ({ server }) => server.current?.close())),
  fc.constant(new Command('reconnect', ({ client }) => client.reconnect())),
  fc
    .nat(5)
    .map(
      (back) =>
        new Command(`abort the last but ${back}`, ({ calls }) => calls.at(-1 - back)?.controller.abort()),
    ),
  fc.constantFrom(10, 900, 3_000, 20_000).map(
    (time) =>
      new Command(`wait ${time}`, async () => {
        await vi.advanceTimersByTimeAsync(time);
      }),
  ),
  fc.constant(new Command('noise', ({ server }) => void server.current?.send('not json'))),
  fc.constant(
    new Command('answer to nothing', ({ server }) => {
      // The numbers of the negotiation, which is over by then.
      void server.current?.send('{"jsonrpc":"2.0","id":1,"result":{"content":[]}}');
    }),
  ),
];

const CLOSE = new Command('close', ({ client }, model) => {
  model.closed = true;
  void client.close();
});

describe.each(['handshake', 'stateless'] as const)('a walk with a %s server', (era) => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  async function walk(commands: Iterable<fc.AsyncCommand<Model, Real>>, comesBack: boolean): Promise<void> {
    const server = new Misbehaving(era);
    const client = await connect(server, { initTimeout: 1_000, probeTimeout: 500, keepAlive: 5_000 });
    const real: Real = { server, client, calls: [], settled: [], seen: [client.state] };
    client.on('state', ({ previous, state }) => {
      expect(previous).toBe(real.seen.at(-1));
      expect(NEXT[previous]).toContain(state);
      real.seen.push(state);
    });
    await fc.asyncModelRun(() => ({ model: { calls: 0, closed: false }, real }), commands);
    server.manner = 'good';
    // Long enough for every call's time, and for the longest wait between two attempts.
    await vi.advanceTimersByTimeAsync(60_000);
    await Promise.all(real.settled);
    if (comesBack) await client.whenReady();
    await client.close();
    await turn();
    for (const one of real.calls) judge(one, server.executed.get(one.name) ?? 0);
    expect(client.state).toBe('closed');
    expect(real.seen.at(-1)).toBe('closed');
    expect(vi.getTimerCount()).toBe(0);
    expect(server.open.size).toBe(0);
  }

  function judge({ name, retry, outcomes, answer, error }: Call, executed: number): void {
    expect(outcomes).toBe(1);
    expect(executed).toBeLessThanOrEqual(retry ? 2 : 1);
    if (error === undefined) {
      expect(answer).toBe(name);
      expect(executed).toBeGreaterThan(0);
    } else if (!mayHaveActed(error)) expect(executed).toBe(0);
  }

  it.each(['has no room', 'forgets the session'] as const)(
    'tells that the server may have acted when it may have the first time, and the second time it %s',
    async (manner) => {
      const server = new Misbehaving(era);
      const client = await connect(server, { random: () => 0.5 });
      server.manner = 'answers nobody';
      const call = client.tools.call('x', {}, { retry: true }).catch((error: unknown) => error);
      await turn();
      await server.current?.close();
      server.manner = manner;
      await vi.advanceTimersByTimeAsync(5_000);
      expect(mayHaveActed(await call)).toBe(true);
      expect(server.executed.get('x')).toBe(1);
      await client.close();
    },
  );

  it('gives every call one outcome, its own, comes back, and leaves nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: 60, size: 'max' }), (commands) =>
        walk(commands, true),
      ),
      { numRuns: 100 },
    );
  }, 120_000);

  it('does so too when it is closed in the middle', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.commands([...COMMANDS, fc.constant(CLOSE)], { maxCommands: 60, size: 'max' }),
        (commands) => walk(commands, false),
      ),
      { numRuns: 60 },
    );
  }, 120_000);
});
