/** Runs a scenario under one schedule after the other, and reports the first that goes wrong, made as short as it gets. */

import { repeated, run, type Scenario, type ScheduleOptions, seeded, shrink } from './schedule.js';

export interface ExploreOptions extends ScheduleOptions {
  /** At least so many schedules. */
  readonly schedules: number;
  /** And more, while there is time. */
  readonly milliseconds?: number;
}

export interface Found {
  readonly seed: number;
  readonly violations: readonly string[];
  /** Faults and steps of the shortest schedule that goes wrong. */
  readonly trace: string;
}

export interface Explored {
  readonly schedules: number;
  readonly found: Found | undefined;
}

/** `MODEL_SEED=17 npx vitest run test/model` repeats one schedule, `MODEL_SCHEDULES=20000` tries more of them. */
const { MODEL_SEED, MODEL_SCHEDULES } = process.env;

export async function explore(create: () => Scenario, options: ExploreOptions): Promise<Explored> {
  const { scripts } = await run(create, repeated([]));
  const given = { ...options, scripts };
  const until = performance.now() + (options.milliseconds ?? 0);
  const first = Number(MODEL_SEED ?? 1);
  const least = MODEL_SEED === undefined ? Number(MODEL_SCHEDULES ?? options.schedules) : 1;
  for (let seed = first; ; seed += 1) {
    const schedules = seed - first;
    if (schedules >= least && (MODEL_SEED !== undefined || performance.now() > until))
      return { schedules, found: undefined };
    const { violations, deviations } = await run(create, seeded(seed), given);
    if (violations.length === 0) continue;
    const shortest = await shrink(create, deviations, given);
    return {
      schedules,
      found: { seed, violations: shortest.violations, trace: shortest.log.join('\n') },
    };
  }
}
