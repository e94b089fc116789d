/** Validates a server: finds out which revisions it speaks, then runs every check that applies in each of them. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { REVISIONS, type Revision } from '../protocol/index.js';
import { explore, listPages, records, textOf } from './catalogue.js';
import type { Check } from './check.js';
import { SERVER_CHECKS } from './checks/index.js';
import { exercise } from './exercise.js';
import { type Finding, type Outcome, Outcomes } from './outcomes.js';
import { Probe } from './probe.js';
import { binds, REQUIREMENTS } from './requirements/index.js';
import { type Opened, openSession } from './session/open.js';
import type { Target } from './target.js';
import { type Entry, Recorder } from './wire/recorder.js';

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
  /** Called before each check, to show progress. */
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Called with each finding as it is made; what the report says about its requirement is final only at the
   * end.
   */
  readonly onFinding?: (finding: Finding) => void;
  /** Called with everything that is sent and received, as it happens. */
  readonly onExchange?: (exchange: Exchanged) => void;
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

export interface Exchanged {
  readonly revision: string;
  readonly entry: Entry;
}

export interface RevisionRun {
  readonly revision: Revision;
  readonly outcomes: readonly Outcome[];
  readonly entries: readonly Entry[];
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
/** One check never holds up a run for longer. */
const CHECK_MS = 30_000;
const TOOL_MS = 2_000;

/** The revisions that the server speaks, oldest first. Empty when it speaks none. */
export async function spokenRevisions(
  target: Target,
  candidates: readonly Revision[] = REVISIONS,
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
): Promise<readonly Revision[]> {
  const spoken: Revision[] = [];
  for (const revision of candidates) {
    if (target.kind === 'sse' && revision.lifecycle === 'stateless') continue;
    const opened = await openSession(
      { target, recorder: new Recorder(), revision, timeoutMs },
      { standalone: false },
    );
    try {
      const greeting = await greet(opened);
      if (greeting !== undefined && speaks(revision, greeting)) spoken.push(revision);
    } finally {
      await opened.session.close();
    }
  }
  return spoken;
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

export async function runRevision(
  target: Target,
  task: RevisionTask,
  options: ValidateOptions,
): Promise<RevisionRun> {
  const { revision, spoken, safeTools, run, runs } = task;
  const { onExchange, signal } = options;
  const started = performance.now();
  const recorder = new Recorder((entry) => onExchange?.({ revision: revision.version, entry }));
  const outcomes = new Outcomes(revision.version, target.kind, options.onFinding);
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const quietMs = options.quietMs ?? DEFAULT_QUIET_MS;
  const shared = await openSession({ target, recorder, revision, timeoutMs });
  const greeting = (await greet(shared)) ?? {};
  const callable = (tool: JsonObject): boolean =>
    options.callTools === true || safeTools.has(textOf(tool, 'name'));
  const settings = { timeoutMs, quietMs, callable };
  // Aborting a run waits for no answer: the connection ends, and with it everything that waits on it.
  const abandon = (): void => void shared.session.close();
  signal?.addEventListener('abort', abandon, { once: true });
  const catalogue = await explore(shared.session, greeting);
  const used = await exercise(shared.session, catalogue, {
    callable,
    timeoutMs: Math.min(timeoutMs, TOOL_MS),
  });
  const probe = new Probe({
    target,
    revision,
    recorder,
    outcomes,
    settings,
    shared,
    catalogue,
    exercise: used,
    spoken,
  });
  const checks = applicable(target, revision, options.only);
  try {
    for (const [done, check] of checks.entries()) {
      signal?.throwIfAborted();
      const title = check.requirements[0]?.title ?? '';
      options.onProgress?.({ revision: revision.version, done, total: checks.length, title, run, runs });
      await runCheck(check, probe, signal);
    }
    signal?.throwIfAborted();
  } finally {
    signal?.removeEventListener('abort', abandon);
    await probe.close();
  }
  const ids = REQUIREMENTS.filter(
    (requirement) => binds(requirement, 'server') && requirement.revisions.includes(revision),
  );
  const { tools, resources, templates, prompts, capabilities } = catalogue;
  return {
    revision,
    outcomes: ids.map(({ id }) => outcomes.outcome(id)),
    entries: recorder.entries,
    greeting,
    capabilities,
    tools,
    resources,
    templates,
    prompts,
    elapsedMs: performance.now() - started,
  };
}

function applicable(
  target: Target,
  revision: Revision,
  only: readonly string[] | undefined,
): readonly Check[] {
  return SERVER_CHECKS.filter(
    ({ requirements, transports }) =>
      transports.includes(target.kind) &&
      requirements.some(
        ({ id, revisions }) => revisions.includes(revision) && (only === undefined || only.includes(id)),
      ),
  );
}

async function runCheck(check: Check, probe: Probe, signal: AbortSignal | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let stop = (): void => {};
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the check took longer than ${CHECK_MS / 1000} s`)), CHECK_MS);
    stop = () => reject(new Error('the run was stopped'));
    signal?.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([Promise.resolve(check.run(probe)), late]);
  } catch (error) {
    // The check could not be carried out, which is for the reader to know and no proof of anything.
    const reason = error instanceof Error ? error.message : String(error);
    for (const { id } of check.requirements) probe.skip(id, `could not be checked: ${reason}`);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    await probe.closeOpened();
  }
}

/** The tools that the server lists for a client with these capabilities. */
export async function toolsFor(
  target: Target,
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
  target: Target,
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
