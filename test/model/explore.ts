/** Runs a scenario under one schedule after the other, and reports the first that goes wrong, made as short as it gets. */

import { type CreateScenario, repeated, run, type ScheduleOptions, seeded, shrink } from './schedule.js';

export interface ExploreOptions extends ScheduleOptions {
  /** How many schedules, at least. */
  readonly schedules: number;
  /** How many of them happen in one world, one after the other. */
  readonly inOneWorld?: number;
}

export interface Found {
  /** Of the world in which it happened. */
  readonly seed: number;
  readonly violations: readonly string[];
  /** Faults and steps of the shortest schedule that goes wrong. */
  readonly trace: string;
}

export interface Explored {
  readonly schedules: number;
  readonly steps: number;
  readonly seconds: number;
  readonly found: Found | undefined;
}

/** `MODEL_SEED=17 npx vitest run test/model` repeats one world, `MODEL_SCHEDULES=20000` tries more of them. */
const { MODEL_SEED, MODEL_SCHEDULES } = process.env;

const IN_ONE_WORLD = 50;

export async function explore(create: CreateScenario, options: ExploreOptions): Promise<Explored> {
  // The largest cast uses all of them.
  const { scripts } = await run(create, repeated([]), { seed: 0 });
  const { inOneWorld = IN_ONE_WORLD } = options;
  const given: ScheduleOptions = { ...options, schedules: inOneWorld, scripts };
  const least = MODEL_SEED === undefined ? Number(MODEL_SCHEDULES ?? options.schedules) : 1;
  const { user: before } = process.cpuUsage();
  let [schedules, steps] = [0, 0];
  const explored = (found: Found | undefined): Explored => {
    const seconds = (process.cpuUsage().user - before) / 1e6;
    return { schedules, steps, seconds, found };
  };
  for (let seed = Number(MODEL_SEED ?? 1); schedules < least; seed += 1) {
    const world = { ...given, seed };
    const outcome = await run(create, seeded(seed), world);
    schedules += outcome.schedules;
    steps += outcome.steps;
    if (outcome.violations.length === 0) continue;
    const { violations, log } = await shrink(create, outcome, world);
    return explored({ seed, violations, trace: log.join('\n') });
  }
  return explored(undefined);
}
