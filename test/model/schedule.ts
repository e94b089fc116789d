/**
 * A world, and one schedule of a scenario after the other in it: which step comes next, and what goes wrong when. The
 * choices of a world follow from a seed, or from the list of places where they leave the ordinary course; that list is
 * what shrinks.
 */

import { outsideOfPromises, settle } from './steps.js';
import { type Fault, type Furnish, World, type WorldOptions } from './world.js';

export interface Scenario {
  readonly name: string;
  readonly furnish: Furnish;
  /** What nothing goes wrong with. */
  prepare(world: World): Promise<void>;
  /** What is put to the test, from its beginning; resolves when there is nothing more to wait for. */
  live(world: World, schedule: number): Promise<void>;
  /** What must not be, looked at after each schedule. */
  violations(): readonly string[];
}

export interface ScheduleOptions extends WorldOptions {
  readonly nodes?: number;
  /** The most that goes wrong in one schedule. */
  readonly faults?: number;
  /** How many schedules a world lives through, at most: it ends with the first that goes wrong. */
  readonly schedules?: number;
  /** Of the world, for scenarios of which there are several kinds. */
  readonly seed?: number;
}

/** Worlds of different seeds may have different casts. */
export type CreateScenario = (seed: number) => Scenario;

/** In this schedule, at this decision, that was taken instead of the first. */
export type Deviation = readonly [schedule: number, decision: number, taken: number];

export interface Outcome {
  readonly violations: readonly string[];
  readonly deviations: readonly Deviation[];
  /** How many ended. */
  readonly schedules: number;
  readonly steps: number;
  readonly log: readonly string[];
  readonly scripts: ReadonlyMap<string, string>;
}

/** Time, in the world of the model, for everything to be over once nothing goes wrong any more. */
const LIMIT_MS = 60_000;
const MAX_STEPS = 20_000;
/** Faults come within so many steps, most of them early: a schedule is short. */
const FAULTS_WITHIN = 400;
const LIKELY_WITHIN = 50;
/** How likely a node dies right after something was acknowledged. */
const LIKELY_WHEN_EXPOSED = 0.5;
const LINGER_MS = 1_000;
const MAX_SCHEDULES = 1_000;

/** Decides; what it decided can be repeated. */
interface Decisions {
  begin(schedule: number): void;
  /** 0 is the ordinary course. `count` is asked only where the schedule leaves it. */
  take(likely: number, count: () => number): number;
  readonly deviations: readonly Deviation[];
}

export function seeded(seed: number): Decisions {
  const deviations: Deviation[] = [];
  let random = mulberry(seed * MAX_SCHEDULES);
  let [schedule, decision] = [0, 0];
  return {
    deviations,
    begin: (number) => {
      [schedule, decision] = [number, 0];
      random = mulberry(seed * MAX_SCHEDULES + number);
    },
    take: (likely, count) => {
      decision += 1;
      if (random() >= likely) return 0;
      const taken = Math.floor(random() * count());
      if (taken > 0) deviations.push([schedule, decision, taken]);
      return taken;
    },
  };
}

export function repeated(given: readonly Deviation[]): Decisions {
  const wanted = new Map(given.map(([schedule, decision, taken]) => [`${schedule}.${decision}`, taken]));
  let [schedule, decision] = [0, 0];
  return {
    deviations: given,
    begin: (number) => {
      [schedule, decision] = [number, 0];
    },
    take: (_likely, count) => {
      decision += 1;
      const taken = wanted.get(`${schedule}.${decision}`) ?? 0;
      return taken > 0 && taken < count() ? taken : 0;
    },
  };
}

export function run(
  create: CreateScenario,
  decisions: Decisions,
  options: ScheduleOptions = {},
): Promise<Outcome> {
  return outsideOfPromises(() => runNow(create(options.seed ?? 0), decisions, options));
}

function runNow(scenario: Scenario, decisions: Decisions, options: ScheduleOptions): Outcome {
  const { nodes = 2, schedules = 1 } = options;
  // What comes before and after schedules takes the ordinary course.
  let decides = false;
  const choose = (count: number): number => (decides && count > 1 ? decisions.take(0.3, () => count) : 0);
  const world = new World(scenario.furnish, choose, options);
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
  let [steps, ended] = [0, 0];
  let violations: readonly string[] = [];
  try {
    for (let node = 0; node < nodes; node += 1) {
      void world.startNode();
      rush(world, () => world.nodes.length > node);
    }
    world.steps.owner = undefined;
    let prepared = false;
    let failure: string | undefined;
    scenario.prepare(world).then(
      () => {
        prepared = true;
      },
      (error) => {
        failure = `the scenario could not be prepared: ${String(error)}`;
      },
    );
    rush(world, () => prepared);
    // What was prepared is older than the last second.
    world.steps.now += 1_500;
    while (ended < schedules && violations.length === 0 && failure === undefined) {
      decisions.begin(ended);
      decides = true;
      const lived = live(scenario, world, decisions, ended, options.faults ?? 2);
      decides = false;
      steps += lived.steps;
      failure = lived.failure ?? mend(world, nodes);
      // What comes twice may come late.
      if (ended === schedules - 1) pass(world, LINGER_MS);
      violations = [...unhandled, ...world.violations, ...scenario.violations()];
      ended += 1;
    }
    if (failure !== undefined) violations = [failure, ...violations];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    restore();
    process.off('unhandledRejection', reject);
  }
  const { log } = world;
  return {
    violations,
    deviations: decisions.deviations,
    schedules: ended,
    steps,
    log,
    scripts: world.redis.scripts,
  };
}

interface Lived {
  readonly steps: number;
  readonly failure?: string;
}

/** One schedule. */
function live(
  scenario: Scenario,
  world: World,
  decisions: Decisions,
  schedule: number,
  faults: number,
): Lived {
  let [wrong, steps, over] = [0, 0, false];
  let failure: string | undefined;
  world.takeExposed();
  scenario.live(world, schedule).then(
    () => {
      over = true;
    },
    (error) => {
      over = true;
      failure = `the scenario failed: ${String(error)}`;
    },
  );
  settle();
  // A client may know of an answer long before what its node did besides has reached Redis.
  const answersFirst = decisions.take(1, () => 2) === 1;
  const course = new Course(world, decisions, answersFirst);
  const possible = new Faults(world, decisions, faults);
  const deadline = world.steps.now + LIMIT_MS;
  while (!over && steps < MAX_STEPS && world.steps.now < deadline) {
    steps += 1;
    const fault = wrong < faults && steps < FAULTS_WITHIN ? possible.take() : undefined;
    if (fault === undefined) course.step();
    else {
      wrong += 1;
      world.note(() => `fault: ${fault[0]}`);
      world.steps.owner = undefined;
      fault[1]();
    }
    settle();
  }
  if (!over) return { steps, failure: 'it never came to an end' };
  return failure === undefined ? { steps } : { steps, failure };
}

/** The ordinary course until the world is as it was: what broke is there again, and nothing is under way. */
function mend(world: World, nodes: number): string | undefined {
  const deadline = world.steps.now + LIMIT_MS;
  for (;;) {
    rush(world, () => false);
    if (world.nodes.length === nodes && world.isWhole) return undefined;
    if (world.steps.now > deadline || !world.steps.advance()) return 'what broke never came back';
    settle();
  }
}

function pass(world: World, milliseconds: number): void {
  for (const until = world.steps.now + milliseconds; world.steps.now < until; ) {
    rush(world, () => false);
    if (!world.steps.advance()) return;
  }
  rush(world, () => false);
}

/** What can go wrong at this moment, asked only where something does. */
class Faults {
  readonly #world: World;
  readonly #decisions: Decisions;
  readonly #likely: number;
  #possible: Fault[] = [];

  constructor(world: World, decisions: Decisions, faults: number) {
    this.#world = world;
    this.#decisions = decisions;
    this.#likely = faults / LIKELY_WITHIN;
  }

  take(): Fault | undefined {
    const taken = this.#world.takeExposed()
      ? this.#decisions.take(LIKELY_WHEN_EXPOSED, this.#deaths)
      : this.#decisions.take(this.#likely, this.#all);
    return taken === 0 ? undefined : this.#possible[taken - 1];
  }

  readonly #deaths = (): number => {
    this.#possible = this.#world.deaths();
    return this.#possible.length + 1;
  };

  readonly #all = (): number => {
    this.#possible = this.#world.faults();
    return this.#possible.length + 1;
  };
}

/** One step of the schedule after the other. */
class Course {
  readonly #world: World;
  readonly #decisions: Decisions;
  readonly #answersFirst: boolean;

  constructor(world: World, decisions: Decisions, answersFirst: boolean) {
    this.#world = world;
    this.#decisions = decisions;
    this.#answersFirst = answersFirst;
  }

  step(): void {
    const { steps } = this.#world;
    // The last of what can be taken is to let time pass although something could happen.
    const taken = this.#decisions.take(0.15, this.#count);
    const source = taken === 0 ? steps.first(this.#answersFirst) : steps.ready(this.#answersFirst)[taken];
    if (source === undefined) {
      steps.advance();
      return;
    }
    if (this.#world.isTraced) this.#world.note(() => source.next);
    source.step();
  }

  readonly #count = (): number => this.#world.steps.size + 1;
}

/** The ordinary course without faults and without time, as fast as it goes, until `done` or nothing is left to do. */
function rush(world: World, done: () => boolean): void {
  settle();
  for (let source = world.steps.first(); source !== undefined && !done(); source = world.steps.first()) {
    if (world.isTraced) world.note(() => source?.next ?? '');
    source.step();
    settle();
  }
}

/**
 * The shortest list of deviations that still goes wrong, as far as leaving some out finds it: those of the last
 * schedule alone if they suffice in a new world, otherwise some of all of them.
 */
export async function shrink(
  create: CreateScenario,
  { deviations, schedules }: Outcome,
  options: ScheduleOptions,
): Promise<Outcome> {
  const last = deviations
    .filter(([schedule]) => schedule === schedules - 1)
    .map(([, decision, taken]): Deviation => [0, decision, taken]);
  const alone = await run(create, repeated(last), { ...options, schedules: 1 });
  const given = { ...options, schedules: alone.violations.length > 0 ? 1 : schedules };
  let best = alone.violations.length > 0 ? alone : await run(create, repeated(deviations), given);
  for (
    let size = Math.ceil(best.deviations.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let at = 0; at < best.deviations.length; ) {
      const fewer = best.deviations.toSpliced(at, size);
      const outcome = await run(create, repeated(fewer), given);
      if (outcome.violations.length > 0) best = outcome;
      else at += size;
    }
  }
  return run(create, repeated(best.deviations), { ...given, schedules: best.schedules, traced: true });
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
