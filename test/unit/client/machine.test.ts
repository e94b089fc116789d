/** The state machine by itself, and walked at random with its driver against a transport that misbehaves. */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Client, connect, type StateName } from '../../../src/client/index.js';
import {
  backoffDelay,
  DEFAULT_POLICY,
  INITIAL_STATE,
  type MachineEvent,
  type MachineState,
  transition,
} from '../../../src/client/machine.js';
import { createMemoryPair } from '../../../src/transports/memory.js';
import type { Transport } from '../../../src/transports/transport.js';
import { turn } from './scripted-server.js';

const EVENTS: fc.Arbitrary<MachineEvent> = fc.oneof(
  fc.constantFrom<MachineEvent>(
    { type: 'connect' },
    { type: 'opened' },
    { type: 'agreed' },
    { type: 'forgotten' },
    { type: 'elapsed' },
    { type: 'hurry' },
    { type: 'close' },
    { type: 'ended' },
  ),
  fc.record({
    type: fc.constantFrom('failed' as const, 'lost' as const),
    chance: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
);

/** Where each state may lead. */
const NEXT: Readonly<Record<StateName, readonly StateName[]>> = {
  closed: ['starting'],
  starting: ['initializing', 'backoff', 'closing'],
  initializing: ['ready', 'backoff', 'closing'],
  ready: ['backoff', 'initializing', 'closing', 'closed'],
  backoff: ['starting', 'closing'],
  closing: ['closed'],
};

const POLICIES = fc.record({
  recover: fc.boolean(),
  lazy: fc.boolean(),
  maxRetries: fc.constantFrom(0, 1, 3, Number.POSITIVE_INFINITY),
  initialDelayMs: fc.constant(1_000),
  maxDelayMs: fc.constant(30_000),
  jitter: fc.constant(0.2),
});

describe('the machine', () => {
  it('goes only along its arrows, whatever happens', () => {
    fc.assert(
      fc.property(POLICIES, fc.array(EVENTS, { maxLength: 60 }), (policy, events) => {
        let state: MachineState = INITIAL_STATE;
        for (const event of events) {
          const { state: next, effects } = transition(state, event, policy);
          if (next.name !== state.name) expect(NEXT[state.name]).toContain(next.name);
          else if (next === state) expect(effects).toEqual([]);
          // Exactly the states with an attempt under way began one, and only a wait has a timer.
          const types = effects.map(({ type }) => type);
          expect(types.includes('open')).toBe(next.name === 'starting' && state.name !== 'starting');
          expect(types.includes('wait')).toBe(next.name === 'backoff' && state.name !== 'backoff');
          expect(types.includes('finish')).toBe(next.name === 'closed' && state.name !== 'closed');
          state = next;
        }
      }),
    );
  });

  it('never tries again without recovery', () => {
    fc.assert(
      fc.property(fc.array(EVENTS, { maxLength: 60 }), (events) => {
        const policy = { ...DEFAULT_POLICY, recover: false };
        let state: MachineState = INITIAL_STATE;
        for (const event of events) {
          ({ state } = transition(state, event, policy));
          expect(state.name).not.toBe('backoff');
        }
      }),
    );
  });

  it('keeps every delay within the bounds of jitter', () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.double({ min: 0, max: 1, noNaN: true }), (retries, chance) => {
        const delay = backoffDelay(DEFAULT_POLICY, retries, chance);
        expect(delay).toBeGreaterThanOrEqual(800);
        expect(delay).toBeLessThanOrEqual(36_000);
      }),
    );
  });
});

type Manner = 'good' | 'deaf' | 'refuses to start' | 'dies at once' | 'no MCP' | 'truncates';
const MANNERS: readonly Manner[] = [
  'good',
  'good',
  'deaf',
  'refuses to start',
  'dies at once',
  'no MCP',
  'truncates',
];

/** A server whose next connection behaves as the walk says. */
class Misbehaving {
  manner: Manner = 'good';
  current: Transport | undefined;
  readonly open = new Set<Transport>();
  readonly executed: unknown[] = [];

  transport(): Transport {
    if (this.manner === 'refuses to start') throw new Error('no such command');
    const [theirs, ours] = createMemoryPair();
    this.current = ours;
    this.open.add(theirs);
    void ours.start({
      message: (_decoded, text) => this.#receive(ours, JSON.parse(text)),
      fault: () => {},
      closed: () => this.open.delete(theirs),
    });
    if (this.manner === 'dies at once') void ours.close();
    return theirs;
  }

  #receive(
    end: Transport,
    message: { id?: number; method?: string; params?: Record<string, unknown> },
  ): void {
    const { id, method, params } = message;
    if (this.manner === 'deaf' || id === undefined || method === undefined) return;
    if (this.manner === 'truncates') {
      void end.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"resu`);
      return;
    }
    const known = method === 'initialize' && this.manner !== 'no MCP';
    if (method === 'tools/call') {
      this.executed.push(params?.name);
      const content = [{ type: 'text', text: String(params?.name) }];
      void end.send(JSON.stringify({ jsonrpc: '2.0', id, result: { content } }));
    } else if (known) {
      const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} };
      void end.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
    } else {
      void end.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
    }
  }
}

interface Model {
  calls: number;
}
interface Real {
  readonly server: Misbehaving;
  readonly client: Client;
  readonly outcomes: number[];
  readonly wrong: string[];
  readonly settled: Promise<void>[];
  readonly seen: { previous: StateName; state: StateName }[];
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
  }
  toString(): string {
    return this.#name;
  }
}

function call(model: Model, { client, outcomes, settled, wrong }: Real, wait: boolean, retry: boolean): void {
  const name = `call-${model.calls}`;
  model.calls += 1;
  const index = outcomes.push(0) - 1;
  const options = { timeout: 2_000, retry, whenNotReady: wait ? ('wait' as const) : ('fail' as const) };
  settled.push(
    client.tools.call(name, {}, options).then(
      ({ content }) => {
        outcomes[index] = (outcomes[index] ?? 0) + 1;
        const [block] = content;
        if (block?.type !== 'text' || block.text !== name) wrong.push(name);
      },
      () => {
        outcomes[index] = (outcomes[index] ?? 0) + 1;
      },
    ),
  );
}

const COMMANDS = [
  fc
    .tuple(fc.boolean(), fc.boolean())
    .map(
      ([wait, retry]) =>
        new Command(`call(wait ${wait}, retry ${retry})`, (real, model) => call(model, real, wait, retry)),
    ),
  fc.constantFrom(...MANNERS).map(
    (manner) =>
      new Command(`becomes "${manner}"`, ({ server }) => {
        server.manner = manner;
      }),
  ),
  fc.constant(new Command('hang up', async ({ server }) => server.current?.close())),
  fc.constant(new Command('reconnect', ({ client }) => client.reconnect())),
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

describe('the driver', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('gives every call exactly one outcome, its own, and leaves nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: 40 }), async (commands) => {
        const server = new Misbehaving();
        const client = await connect(server, { initTimeout: 1_000, probeTimeout: 500, keepAlive: 5_000 });
        const real: Real = { server, client, outcomes: [], wrong: [], settled: [], seen: [] };
        client.on('state', ({ previous, state }) => real.seen.push({ previous, state }));
        await fc.asyncModelRun(() => ({ model: { calls: 0 }, real }), commands);
        server.manner = 'good';
        // Long enough for every call's time, and for the longest wait between two attempts.
        await vi.advanceTimersByTimeAsync(60_000);
        await Promise.all(real.settled);
        await client.whenReady();
        await client.close();
        await turn();
        expect(real.outcomes.every((count) => count === 1)).toBe(true);
        expect(real.wrong).toEqual([]);
        for (const { previous, state } of real.seen) expect(NEXT[previous]).toContain(state);
        expect(client.state).toBe('closed');
        expect(vi.getTimerCount()).toBe(0);
        expect(server.open.size).toBe(0);
      }),
      { numRuns: 200 },
    );
  }, 60_000);
});
