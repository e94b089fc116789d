/** The state machine by itself; `walk.test.ts` walks it with its driver. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  backoffDelay,
  DEFAULT_POLICY,
  INITIAL_STATE,
  type MachineEvent,
  type MachineState,
  transition,
} from '../../../src/client/connection/machine.js';
import { NEXT } from './arrows.js';

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

  it('keeps every delay within the limit, jitter included', () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.double({ min: 0, max: 1, noNaN: true }), (retries, chance) => {
        const delay = backoffDelay(DEFAULT_POLICY, retries, chance);
        expect(delay).toBeGreaterThanOrEqual(800);
        expect(delay).toBeLessThanOrEqual(DEFAULT_POLICY.maxDelayMs);
      }),
    );
  });
});
