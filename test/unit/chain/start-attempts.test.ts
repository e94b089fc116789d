import { describe, expect, it } from 'vitest';
import { StartAttempts } from '../../../src/chain/start-attempts.js';

describe('attempts to start a process', () => {
  it('come later with every failure, and from the fifth on only for calls', () => {
    let now = 0;
    const attempts = new StartAttempts(true, () => now);
    const waits: number[] = [];
    for (let failure = 1; failure <= 6; failure += 1) {
      expect(attempts.admit()).toBe(true);
      expect(attempts.isExhausted).toBe(failure > 5);
      attempts.failed();
      waits.push(attempts.waitMs);
      expect(attempts.admit()).toBe(false);
      now += attempts.waitMs;
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 60_000, 60_000]);
  });

  it('are made one at a time after a failure, whoever wants them', () => {
    let now = 0;
    const attempts = new StartAttempts(true, () => now);
    attempts.failed();
    now += 1_000;
    expect([attempts.admit(), attempts.admit()]).toEqual([true, false]);
  });

  it('begin anew after a success', () => {
    const attempts = new StartAttempts(true, () => 0);
    for (let failure = 0; failure < 5; failure += 1) attempts.failed();
    expect(attempts.isExhausted).toBe(true);
    attempts.reset();
    expect(attempts).toMatchObject({ failures: 0, isExhausted: false, waitMs: 0 });
  });
});

describe('attempts to reach a URL', () => {
  it('are made at once the first times, and never given up', () => {
    let now = 0;
    const attempts = new StartAttempts(false, () => now);
    const waits: number[] = [];
    for (let failure = 0; failure < 8; failure += 1) {
      expect(attempts.admit()).toBe(true);
      attempts.failed();
      waits.push(attempts.waitMs);
      now += attempts.waitMs;
    }
    expect(waits).toEqual([0, 0, 5_000, 5_000, 5_000, 5_000, 5_000, 5_000]);
    expect(attempts.isExhausted).toBe(false);
  });
});
