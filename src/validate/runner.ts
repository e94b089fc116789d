/** Validates a server: finds out which revisions it speaks, then runs every check that applies in each of them. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { REVISIONS } from '../protocol/revisions/index.js';
import type { Revision } from '../protocol/revisions/revision.js';
import { catalogueOf, explore, listPages, records, textOf } from './catalogue.js';
import type { Check } from './check.js';
import { SERVER_CHECKS } from './checks/index.js';
import { exercise } from './exercise.js';
import { observe } from './observe.js';
import { type Finding, type Outcome, Outcomes } from './outcomes.js';
import { Probe, type TokenWish } from './probe.js';
import { binds, CRASH_ID, REQUIREMENTS } from './requirements/index.js';
import { CheckRun } from './run-checks.js';
import { type Opened, openSession } from './session/open.js';
import type { ValidationTarget } from './target.js';
import { type RecordedEntry, Recorder } from './wire/recorder.js';

export interface ValidateOptions {
  /** Only these revisions; all that the server speaks by default. */
  readonly revisions?: readonly Revision[];
  /** Only these requirements. */
  readonly only?: readonly string[];
  /** Calls every tool, whatever it may do. */
  readonly callTools?: boolean;
  /** Tools that may be called beside those that are annotated as read-only. */
  readonly tools?: readonly string[];
  readonly timeoutMs?: number;
  /** How long a command may take to start and answer; 60 s by default. */
  readonly connectMs?: number;
  readonly quietMs?: number;
  /** Mints a token for a scope and an audience, so that expiry, audience and scope can be judged. */
  readonly mintToken?: (wanted: TokenWish) => Promise<string | undefined>;
  /** Called before each check, to show progress. */
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Called with each finding as it is made; what the report says about its requirement is final only at the
   * end.
   */
  readonly onFinding?: (finding: Finding) => void;
  /** Called with everything that is sent and received, as it happens. */
  readonly onExchange?: (exchange: CheckedExchange) => void;
  /** Ends the run: connections are closed, processes are stopped, and the promise rejects with its reason. */
  readonly signal?: AbortSignal;
}

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

export const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_QUIET_MS = 300;
const TOOL_MS = 2_000;
/** A first try waits no longer than this; what did not come in time is tried again with all the time there is. */
const FIRST_TRY_MS = 3_000;
/** Notifications follow an answer within this, on a server that is not starved. */
const SETTLE_MS = 25;

/** The revisions that the server speaks, oldest first. Empty when it speaks none. */
export async function spokenRevisions(
  target: ValidationTarget,
  candidates: readonly Revision[] = REVISIONS,
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
): Promise<readonly Revision[]> {
  const possible = candidates.filter(({ lifecycle }) => target.kind !== 'sse' || lifecycle === 'handshake');
  const spoken = await Promise.all(
    possible.map(async (revision) => {
      const opened = await openSession(
        { target, recorder: new Recorder(), revision, timeoutMs },
        { standalone: false },
      );
      try {
        const greeting = await greet(opened);
        return greeting !== undefined && speaks(revision, greeting);
      } finally {
        await opened.session.close();
      }
    }),
  );
  return possible.filter((_, index) => spoken[index] === true);
}

async function greet({ session, greeting }: Opened): Promise<JsonObject | undefined> {
  const reply = session.stateless ? await session.request('server/discover') : greeting;
  return reply?.kind === 'result' ? reply.result : undefined;
}

function speaks(revision: Revision, greeting: JsonObject): boolean {
  if (revision.lifecycle === 'handshake') return greeting.protocolVersion === revision.version;
  const { supportedVersions } = greeting;
  return !Array.isArray(supportedVersions) || supportedVersions.includes(revision.version);
}

/** One revision among those that are judged. */
export interface RevisionTask {
  readonly revision: Revision;
  readonly spoken: readonly Revision[];
  readonly safeTools: ReadonlySet<string>;
  readonly run: number;
  readonly runs: number;
}

/** A revision in the middle of being judged: what comes next is up to whoever runs several of them. */
class RevisionJudge {
  readonly #target: ValidationTarget;
  readonly #task: RevisionTask;
  readonly #options: ValidateOptions;
  readonly #recorder: Recorder;
  readonly #outcomes: Outcomes;
  readonly #checks: readonly Check[];
  readonly #started = performance.now();
  #probe: Probe | undefined;
  #checking: CheckRun | undefined;
  #greeting: JsonObject = {};
  #done = 0;

  constructor(target: ValidationTarget, task: RevisionTask, options: ValidateOptions) {
    this.#target = target;
    this.#task = task;
    this.#options = options;
    const { version } = task.revision;
    this.#recorder = new Recorder((entry) => options.onExchange?.({ revision: version, entry }));
    this.#outcomes = new Outcomes(version, target.kind, options.onFinding);
    this.#checks = applicable(target, task.revision, options.only);
  }

  /** Finds out what there is, and what it does. */
  async explore(): Promise<void> {
    const { revision, safeTools, spoken } = this.#task;
    const { signal } = this.#options;
    const target = this.#target;
    const patientMs = this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const timeoutMs = Math.min(patientMs, FIRST_TRY_MS);
    const recorder = this.#recorder;
    const opened = await openSession({ target, recorder, revision, timeoutMs: patientMs });
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
    const effects = await observe(opened.session, catalogue, exercised, {
      timeoutMs: toolMs,
      settleMs: SETTLE_MS,
    });
    const { mintToken } = this.#options;
    const settings = {
      timeoutMs,
      quietMs: this.#options.quietMs ?? DEFAULT_QUIET_MS,
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
    });
    this.#checking = new CheckRun(this.#probe, {
      signal,
      patientMs,
      onCheck: (check) => this.#progress(check),
    });
    await this.#checking.arrived();
  }

  /** Sends a first request, and keeps what comes back. */
  async listen(): Promise<void> {
    const { revision, spoken } = this.#task;
    const target = this.#target;
    const recorder = this.#recorder;
    const timeoutMs = Math.min(this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS, FIRST_TRY_MS);
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
    });
    const { signal } = this.#options;
    this.#checking = new CheckRun(this.#probe, { signal, patientMs: timeoutMs, onCheck: () => {} });
  }

  /** Checks that run side by side, also with those of other revisions. */
  async together(): Promise<void> {
    await this.#checking?.together(this.#checks);
  }

  /** Checks that want the server to themselves. */
  async alone(): Promise<void> {
    await this.#checking?.alone(this.#checks);
  }

  async close(): Promise<void> {
    await this.#probe?.close();
    await this.#checking?.close();
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
  const judge = new RevisionJudge(target, task, options);
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

/** Judges the revisions: side by side where the server can stand it, one after the other where they interfere. */
export async function runRevisions(
  target: ValidationTarget,
  tasks: readonly RevisionTask[],
  options: ValidateOptions,
): Promise<readonly RevisionRun[]> {
  const judges = tasks.map((task) => new RevisionJudge(target, task, options));
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
    await inTurn((judge) => judge.alone());
    const runs: RevisionRun[] = [];
    for (const judge of judges) runs.push(await judge.finish());
    return runs;
  } finally {
    await each((judge) => judge.close());
  }
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

/** The tools that the server lists for a client with these capabilities. */
export async function toolsFor(
  target: ValidationTarget,
  revision: Revision,
  capabilities: JsonObject,
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
): Promise<readonly JsonObject[]> {
  const { session } = await openSession(
    { target, recorder: new Recorder(), revision, timeoutMs },
    { standalone: false, capabilities },
  );
  try {
    const pages = await listPages(session, 'tools/list');
    return pages.flatMap((page) => (page.kind === 'result' ? records(page.result.tools) : []));
  } finally {
    await session.close();
  }
}

/** Tools that the server itself marks as read-only, in any revision: the first one has no way to say so. */
export async function readOnlyTools(
  target: ValidationTarget,
  spoken: readonly Revision[],
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
): Promise<ReadonlySet<string>> {
  const newest = spoken.at(-1);
  if (newest === undefined) return new Set();
  const opened = await openSession(
    { target, recorder: new Recorder(), revision: newest, timeoutMs },
    { standalone: false },
  );
  try {
    const { tools } = await explore(opened.session, {});
    const safe = tools.filter(
      ({ annotations }) => isRecord(annotations) && annotations.readOnlyHint === true,
    );
    return new Set(safe.map((tool) => textOf(tool, 'name')));
  } finally {
    await opened.session.close();
  }
}
