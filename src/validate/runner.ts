/** Validates a server: finds out which revisions it speaks, then runs every check that applies in each of them. */

import type { JsonObject } from '../jsonrpc/message.js';
import { type Duration, milliseconds } from '../protocol/duration.js';
import type { OptionNames } from '../protocol/option-names.js';
import type { Revision } from '../protocol/revisions/revision.js';
import { catalogueOf, explore, textOf } from './catalogue.js';
import type { Check } from './check.js';
import { SERVER_CHECKS } from './checks/index.js';
import { exercise } from './exercise.js';
import { observe } from './observe.js';
import { type Finding, type Outcome, Outcomes } from './outcomes.js';
import { Probe, type TokenWish } from './probe.js';
import { binds, CRASH_ID, REQUIREMENTS } from './requirements/index.js';
import { RetryTime } from './retry-time.js';
import { CheckRun } from './run-checks.js';
import { openSession } from './session/open.js';
import type { WireReply } from './session/reply.js';
import { SessionPool } from './session/session-pool.js';
import { Slots } from './slots.js';
import { DEFAULT_TIMEOUT_MS, greet, type Surveyed } from './survey.js';
import type { ValidationTarget } from './target.js';
import { type RecordedEntry, Recorder } from './wire/recorder.js';

/** Options of `validateServer`. */
export interface ValidateOptions {
  /** Only these revisions; all that the server speaks by default. */
  readonly revisions?: readonly Revision[] | undefined;
  /** Only these requirements. */
  readonly only?: readonly string[] | undefined;
  /** Calls every tool, whatever it may do. */
  readonly callTools?: boolean | undefined;
  /** Tools that may be called beside those that are annotated as read-only. */
  readonly tools?: readonly string[] | undefined;
  /** How long an answer may take. Default: 10 s. */
  readonly timeout?: Duration | undefined;
  /** How long a command may take to start and answer. Default: 60 s. */
  readonly connectTimeout?: Duration | undefined;
  /** How long to watch for messages that must not come. Default: 300 ms. */
  readonly quiet?: Duration | undefined;
  /** Mints a token for a scope and an audience, so that expiry, audience and scope can be judged. */
  readonly mintToken?: ((wanted: TokenWish) => Promise<string | undefined>) | undefined;
  /** Called before each check, to show progress. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Called with each finding as it is made; what the report says about its requirement is final only at the
   * end.
   */
  readonly onFinding?: ((finding: Finding) => void) | undefined;
  /** Called with everything that is sent and received, as it happens. */
  readonly onExchange?: ((exchange: CheckedExchange) => void) | undefined;
  /** Ends the run: connections are closed, processes are stopped, and the promise rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

export const VALIDATE_OPTIONS: OptionNames<ValidateOptions> = {
  revisions: true,
  only: true,
  callTools: true,
  tools: true,
  timeout: true,
  connectTimeout: true,
  quiet: true,
  mintToken: true,
  onProgress: true,
  onFinding: true,
  onExchange: true,
  signal: true,
};

export interface Progress {
  readonly revision: string;
  /** Checks of this revision that are over. */
  readonly done: number;
  readonly total: number;
  readonly title: string;
  /** Which of the revisions this is, from 1, and how many there are. */
  readonly run: number;
  readonly runs: number;
}

export interface CheckedExchange {
  readonly revision: string;
  readonly entry: RecordedEntry;
}

export interface RevisionRun {
  readonly revision: Revision;
  readonly outcomes: readonly Outcome[];
  readonly entries: readonly RecordedEntry[];
  readonly greeting: JsonObject;
  readonly capabilities: JsonObject;
  readonly tools: readonly JsonObject[];
  /** What it lists for a client that can do no more than the revision before lets it say; where that was asked. */
  readonly modestTools?: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  readonly elapsedMs: number;
}

const DEFAULT_QUIET_MS = 300;
const TOOL_MS = 2_000;
/** A first try waits no longer than this; what did not come in time is tried again with all the time there is. */
const FIRST_TRY_MS = 3_000;
/** Notifications follow an answer within this, on a server that is not starved. */
const SETTLE_MS = 25;

/** One revision among those that are judged. */
export interface RevisionTask {
  readonly revision: Revision;
  /** All revisions that the server speaks; undefined where no check has to know. */
  readonly spoken: readonly Revision[] | undefined;
  readonly safeTools: ReadonlySet<string>;
  /** A session that was opened to find out whether the revision is spoken, and its record. */
  readonly surveyed?: Surveyed | undefined;
  readonly run: number;
  readonly runs: number;
}

/** Records what is said in one revision, and passes it on as it happens. */
export function recorderFor(version: string, { onExchange }: ValidateOptions): Recorder {
  return new Recorder((entry) => onExchange?.({ revision: version, entry }));
}

/** What the revisions of a run share. */
interface RunParts {
  readonly slots: Slots;
  readonly retries: RetryTime;
  readonly once: Map<string, Promise<WireReply>>;
}

/** A revision in the middle of being judged: what comes next is up to whoever runs several of them. */
class RevisionJudge {
  readonly #target: ValidationTarget;
  readonly #task: RevisionTask;
  readonly #options: ValidateOptions;
  readonly #recorder: Recorder;
  readonly #outcomes: Outcomes;
  readonly #checks: readonly Check[];
  readonly #run: RunParts;
  readonly #pool = new SessionPool();
  readonly #started = performance.now();
  #probe: Probe | undefined;
  #checking: CheckRun | undefined;
  #greeting: JsonObject = {};
  #done = 0;

  constructor(target: ValidationTarget, task: RevisionTask, options: ValidateOptions, run: RunParts) {
    this.#run = run;
    this.#target = target;
    this.#task = task;
    this.#options = options;
    const { version } = task.revision;
    this.#recorder = task.surveyed?.recorder ?? recorderFor(version, options);
    this.#outcomes = new Outcomes(version, target.kind, options.onFinding);
    this.#checks = applicable(target, task.revision, options.only);
  }

  /** Finds out what there is, and what it does. */
  async explore(): Promise<void> {
    const { revision, safeTools, spoken } = this.#task;
    const { signal } = this.#options;
    const target = this.#target;
    const patientMs = milliseconds(this.#options.timeout ?? DEFAULT_TIMEOUT_MS);
    const timeoutMs = Math.min(patientMs, FIRST_TRY_MS);
    const recorder = this.#recorder;
    const opened =
      this.#task.surveyed?.opened ??
      (await openSession({ target, recorder, revision, timeoutMs: patientMs }));
    // Aborting a run waits for no answer: the connection ends, and with it everything that waits on it.
    const shared = { opened };
    const abandon = (): void => void shared.opened.session.close();
    signal?.addEventListener('abort', abandon, { once: true });
    this.#greeting = (await greet(opened)) ?? {};
    const callable = (tool: JsonObject): boolean =>
      this.#options.callTools === true || safeTools.has(textOf(tool, 'name'));
    const catalogue = await explore(opened.session, this.#greeting);
    const toolMs = Math.min(patientMs, TOOL_MS);
    const exercised = await exercise(opened.session, catalogue, { callable, timeoutMs: toolMs });
    const { only } = this.#options;
    const watched = this.#checks.some(
      ({ observes = [] }) => only === undefined || observes.some((id) => only.includes(id)),
    );
    const effects = watched
      ? await observe(opened.session, catalogue, exercised, { timeoutMs: toolMs, settleMs: SETTLE_MS })
      : undefined;
    const { mintToken } = this.#options;
    const settings = {
      timeoutMs,
      quietMs: milliseconds(this.#options.quiet ?? DEFAULT_QUIET_MS),
      patience: 1,
      callable,
      ...(mintToken === undefined ? {} : { mintToken }),
    };
    const outcomes = this.#outcomes;
    this.#probe = new Probe({
      target,
      revision,
      recorder,
      outcomes,
      settings,
      shared,
      catalogue,
      exercise: exercised,
      effects,
      spoken,
      pool: this.#pool,
      once: this.#run.once,
    });
    this.#checking = new CheckRun(this.#probe, {
      signal,
      patientMs,
      slots: this.#run.slots,
      retries: this.#run.retries,
      onCheck: (check) => this.#progress(check),
    });
    await this.#checking.arrived();
  }

  /** Sends a first request, and keeps what comes back. */
  async listen(): Promise<void> {
    const { revision, spoken } = this.#task;
    const target = this.#target;
    const recorder = this.#recorder;
    const timeoutMs = Math.min(milliseconds(this.#options.timeout ?? DEFAULT_TIMEOUT_MS), FIRST_TRY_MS);
    const opened = await openSession({ target, recorder, revision, timeoutMs }, { standalone: false });
    if (opened.session.stateless) await opened.session.request('server/discover');
    const nothing = { calls: [], reads: [], gets: [] };
    this.#probe = new Probe({
      target,
      revision,
      recorder,
      outcomes: this.#outcomes,
      settings: { timeoutMs, quietMs: DEFAULT_QUIET_MS, patience: 1, callable: () => false },
      shared: { opened },
      catalogue: catalogueOf({}, new Map()),
      exercise: nothing,
      effects: [],
      spoken,
      pool: this.#pool,
      once: this.#run.once,
    });
    const { signal } = this.#options;
    this.#checking = new CheckRun(this.#probe, {
      signal,
      patientMs: timeoutMs,
      slots: this.#run.slots,
      retries: this.#run.retries,
      onCheck: () => {},
    });
  }

  /** Checks that run side by side, also with those of other revisions. */
  async together(): Promise<void> {
    await this.#checking?.together(this.#checks);
  }

  /** Checks that want the server to themselves. */
  async alone(): Promise<void> {
    await this.#checking?.alone(this.#checks);
  }

  async settleDoubts(): Promise<void> {
    await this.#checking?.settleDoubts();
  }

  async close(): Promise<void> {
    await this.#probe?.close();
    await this.#checking?.close();
    // It may have been opened, and never come to a check.
    await this.#task.surveyed?.opened.session.close();
  }

  /** Looks at everything that was recorded, and sums up. */
  async finish(): Promise<RevisionRun> {
    await this.#checking?.watch(this.#checks);
    this.#options.signal?.throwIfAborted();
    const { revision } = this.#task;
    const bound = REQUIREMENTS.filter(
      (requirement) => binds(requirement, 'server') && requirement.revisions.includes(revision),
    );
    const { tools = [], resources = [], templates = [], prompts = [] } = this.#probe?.catalogue ?? {};
    return {
      revision,
      outcomes: bound.map(({ id }) => this.#outcomes.outcome(id)),
      entries: this.#recorder.entries,
      greeting: this.#greeting,
      capabilities: this.#probe?.catalogue.capabilities ?? {},
      tools,
      resources,
      templates,
      prompts,
      elapsedMs: performance.now() - this.#started,
    };
  }

  #progress(check: Check): void {
    const { revision, run, runs } = this.#task;
    const title = check.requirements[0]?.title ?? '';
    const total = this.#checks.length;
    const done = Math.min(this.#done, total - 1);
    this.#options.onProgress?.({ revision: revision.version, done, total, title, run, runs });
    this.#done += 1;
  }
}

/**
 * A server that no revision got an answer from may still have said something: what it said is judged, and
 * nothing else. Undefined when there was nothing wrong with it, or nothing at all.
 */
export async function overhear(
  target: ValidationTarget,
  task: RevisionTask,
  options: ValidateOptions,
): Promise<RevisionRun | undefined> {
  const judge = new RevisionJudge(target, task, options, runParts(target));
  try {
    await judge.listen();
    const run = await judge.finish();
    return run.outcomes.some(({ verdict }) => verdict === 'fail') ? run : undefined;
  } catch {
    return undefined;
  } finally {
    await judge.close();
  }
}

/** Checks of all revisions that run beside each other: more processes would wait for the same cores. */
const PARALLEL_CHECKS = 10;
/** Over HTTP there is one process, and most of the time is spent waiting. */
const PARALLEL_OVER_HTTP = 20;

function runParts({ kind }: ValidationTarget): RunParts {
  const slots = new Slots(kind === 'stdio' ? PARALLEL_CHECKS : PARALLEL_OVER_HTTP);
  return { slots, retries: new RetryTime(), once: new Map() };
}

/** Judges the revisions: side by side where the server can stand it, one after the other where they interfere. */
export async function runRevisions(
  target: ValidationTarget,
  tasks: readonly RevisionTask[],
  options: ValidateOptions,
): Promise<readonly RevisionRun[]> {
  const parts = runParts(target);
  const judges = tasks.map((task) => new RevisionJudge(target, task, options, parts));
  const each = (work: (judge: RevisionJudge) => Promise<void>): Promise<unknown> =>
    Promise.all(judges.map(work));
  const inTurn = async (work: (judge: RevisionJudge) => Promise<void>): Promise<void> => {
    for (const judge of judges) await work(judge);
  };
  // Over stdio each session is a process of its own; one server over HTTP is the same for all.
  const apart = target.kind === 'stdio';
  try {
    if (apart || options.callTools !== true) await each((judge) => judge.explore());
    else await inTurn((judge) => judge.explore());
    await each((judge) => judge.together());
    if (apart && options.callTools !== true) await each((judge) => judge.alone());
    else await inTurn((judge) => judge.alone());
    await inTurn((judge) => judge.settleDoubts());
    const runs: RevisionRun[] = [];
    for (const judge of judges) runs.push(await judge.finish());
    return runs;
  } finally {
    await each((judge) => judge.close());
  }
}

/** Whether the checks of these options rely on all revisions that the server speaks, or on those that are judged. */
export function wantsAllRevisions(target: ValidationTarget, { revisions, only }: ValidateOptions): boolean {
  if (revisions === undefined || only === undefined) return true;
  return revisions.some((revision) =>
    applicable(target, revision, only).some((check) => check.acrossRevisions === true),
  );
}

function applicable(
  target: ValidationTarget,
  revision: Revision,
  only: readonly string[] | undefined,
): readonly Check[] {
  // Anything may crash a server: who asks about that asks about all.
  const all = only === undefined || only.includes(CRASH_ID);
  return SERVER_CHECKS.filter(
    ({ requirements, transports }) =>
      transports.includes(target.kind) &&
      requirements.some(({ id, revisions }) => revisions.includes(revision) && (all || only.includes(id))),
  );
}
