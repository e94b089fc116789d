/**
 * One run of a scenario under a schedule: which step comes next, and what goes wrong when. A schedule is a seed, or
 * the list of places where it left the ordinary course; that list is what shrinks.
 */

import { type Fault, type Furnish, settle, World, type WorldOptions } from './world.js';

export interface Scenario {
  readonly name: string;
  readonly furnish: Furnish;
  /** What nothing goes wrong with. */
  prepare(world: World): Promise<void>;
  /** What is put to the test; resolves when there is nothing more to wait for. */
  live(world: World): Promise<void>;
  /** What must not be, looked at when it is over. */
  violations(): readonly string[];
}

export interface ScheduleOptions extends WorldOptions {
  readonly nodes?: number;
  /** The most that goes wrong in one schedule. */
  readonly faults?: number;
}

/** At this decision the schedule took that instead of the first. */
export type Deviation = readonly [decision: number, taken: number];

export interface Outcome {
  readonly violations: readonly string[];
  readonly deviations: readonly Deviation[];
  readonly steps: number;
  readonly log: readonly string[];
  readonly scripts: ReadonlyMap<string, string>;
}

/** Time, in the world of the model, for everything to be over once nothing goes wrong any more. */
const LIMIT_MS = 60_000;
const MAX_STEPS = 20_000;
/** Faults come within so many steps, most of them early: a scenario is short. */
const FAULTS_WITHIN = 400;
const LIKELY_WITHIN = 150;
/** How likely a node dies right after something was acknowledged. */
const LIKELY_WHEN_EXPOSED = 0.5;

/** Decides; what it decided can be repeated. */
interface Decisions {
  /** 0 is the ordinary course. `count` is asked only where the schedule leaves it. */
  take(likely: number, count: () => number): number;
  readonly deviations: readonly Deviation[];
}

export function seeded(seed: number): Decisions {
  const random = mulberry(seed);
  const deviations: Deviation[] = [];
  let decision = 0;
  return {
    deviations,
    take: (likely, count) => {
      decision += 1;
      if (random() >= likely) return 0;
      const taken = Math.floor(random() * count());
      if (taken > 0) deviations.push([decision, taken]);
      return taken;
    },
  };
}

export function repeated(given: readonly Deviation[]): Decisions {
  const wanted = new Map(given);
  let decision = 0;
  return {
    deviations: given,
    take: (_likely, count) => {
      decision += 1;
      const taken = wanted.get(decision) ?? 0;
      return taken > 0 && taken < count() ? taken : 0;
    },
  };
}

export async function run(
  create: () => Scenario,
  decisions: Decisions,
  options: ScheduleOptions = {},
): Promise<Outcome> {
  const { nodes = 2, faults = 2 } = options;
  const scenario = create();
  const world = new World(scenario.furnish, (count) => decisions.take(0.3, () => count), options);
  const restore = world.steps.install();
  // A promise that rejects with nobody there to hear of it ends a real process.
  const unhandled: string[] = [];
  const reject = (reason: unknown): void => {
    unhandled.push(`unhandled rejection: ${String(reason)}`);
    world.note(() => unhandled.at(-1) ?? '');
  };
  process.on('unhandledRejection', reject);
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  let failure: string | undefined;
  let [wrong, steps, over] = [0, 0, false];
  const end = (error?: unknown): void => {
    over = true;
    if (error !== undefined) failure = `the scenario failed: ${String(error)}`;
  };
  try {
    for (let node = 0; node < nodes; node += 1) void world.startNode();
    await rush(world, () => world.nodes.length === nodes);
    let prepared = false;
    scenario.prepare(world).then(() => {
      prepared = true;
    }, end);
    await rush(world, () => prepared);
    // What was prepared is older than the last second.
    world.steps.now += 1_500;
    scenario.live(world).then(() => end(), end);
    await settle();
    // A client may know of an answer long before what its node did besides has reached Redis.
    const answersFirst = decisions.take(1, () => 2) === 1;
    const deadline = world.steps.now + LIMIT_MS;
    while (!over && steps < MAX_STEPS && world.steps.now < deadline) {
      steps += 1;
      const fault = wrong < faults && steps < FAULTS_WITHIN ? takeFault(world, decisions, faults) : undefined;
      if (fault === undefined) step(world, decisions, answersFirst);
      else {
        wrong += 1;
        world.note(() => `fault: ${fault[0]}`);
        fault[1]();
      }
      await settle();
    }
    await rush(world, () => false);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    restore();
    process.off('unhandledRejection', reject);
  }
  const violations = [
    ...(failure === undefined ? [] : [failure]),
    ...unhandled,
    ...world.violations,
    ...scenario.violations(),
  ];
  if (!over) violations.push('it never came to an end');
  return {
    violations,
    deviations: decisions.deviations,
    steps,
    log: world.log,
    scripts: world.redis.scripts,
  };
}

function takeFault(world: World, decisions: Decisions, faults: number): Fault | undefined {
  let possible: Fault[] = [];
  const exposed = world.takeExposed();
  const taken = decisions.take(exposed ? LIKELY_WHEN_EXPOSED : faults / LIKELY_WITHIN, () => {
    possible = exposed ? world.deaths() : world.faults();
    return possible.length + 1;
  });
  return possible[taken - 1];
}

function step(world: World, decisions: Decisions, answersFirst: boolean): void {
  const ready = world.steps.ready(answersFirst);
  // The last of them is to let time pass although something could happen.
  const taken = decisions.take(0.15, () => ready.length + 1);
  const source = ready[taken];
  if (source === undefined) {
    world.steps.advance();
    return;
  }
  world.note(() => source.next);
  source.step();
}

/** The ordinary course without faults and without time, as fast as it goes, until `done` or nothing is left to do. */
async function rush(world: World, done: () => boolean): Promise<void> {
  for (let quiet = 0; quiet < 3 && !done(); ) {
    const ready = world.steps.ready();
    quiet = ready.length === 0 ? quiet + 1 : 0;
    for (const source of ready) source.step();
    await settle();
  }
}

/** The shortest list of deviations that still goes wrong, as far as leaving some out finds it. */
export async function shrink(
  create: () => Scenario,
  failed: readonly Deviation[],
  options: ScheduleOptions,
): Promise<Outcome> {
  let best = await run(create, repeated(failed), options);
  for (let size = Math.ceil(failed.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best.deviations.length; ) {
      const fewer = best.deviations.toSpliced(at, size);
      const outcome = await run(create, repeated(fewer), options);
      if (outcome.violations.length > 0) best = outcome;
      else at += size;
    }
  }
  return run(create, repeated(best.deviations), { ...options, traced: true });
}

/** A small generator of random numbers with a seed. */
function mulberry(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
