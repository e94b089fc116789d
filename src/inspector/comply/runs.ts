/** Runs of the validator, started from a page. */

import { selectRevisions } from '../../protocol/revisions/index.js';
import { maskText } from '../../protocol/secrets.js';
import type { Report, ValidateOptions } from '../../validate/index.js';
import type { ComplyFinding, ComplyRevision, ComplyRun, ComplyStart, ServerId } from '../api.js';
import type { EventSink } from '../events.js';
import { CommandError, failureOf, invalid, notFound } from '../failure.js';
import type { Recording } from '../recorder/recording.js';
import type { InspectedServer } from '../servers/server.js';
import type { InspectedTarget } from '../servers/target.js';
import { RunTraffic } from './traffic.js';

type Validator = typeof import('../../validate/index.js');
type Requirements = typeof import('../../validate/requirements/index.js');
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Run {
  readonly view: Mutable<ComplyRun>;
  readonly controller: AbortController;
  report: Report | undefined;
}

const MAX_RUNS = 20;
const MAX_FINDINGS = 1_000;

export class ComplyRuns {
  readonly #emit: EventSink;
  readonly #recording: Recording;
  readonly #credentials: (server: ServerId) => Promise<Readonly<Record<string, string>>>;
  readonly #runs = new Map<string, Run>();
  #last = 0;

  /** `credentials` are headers that a login has given. */
  constructor(
    emit: EventSink,
    recording: Recording,
    credentials: (server: ServerId) => Promise<Readonly<Record<string, string>>>,
  ) {
    this.#emit = emit;
    this.#credentials = credentials;
    this.#recording = recording;
  }

  views(): ComplyRun[] {
    return [...this.#runs.values()].map(({ view }) => ({ ...view }));
  }

  get(id: string): ComplyRun {
    return { ...this.#find(id).view };
  }

  start(server: InspectedServer, given: ComplyStart): ComplyRun {
    const running = [...this.#runs.values()].some(
      ({ view }) => view.server === server.id && view.state === 'running',
    );
    if (running)
      throw new CommandError(409, 'run_running', 'A run for this server is under way; stop it first');
    const revisions = given.revisions === undefined ? undefined : chosen(given.revisions);
    this.#last += 1;
    const id = `run-${this.#last}`;
    const run: Run = {
      view: { id, server: server.id, startedAt: Date.now(), state: 'running', findings: [], revisions: [] },
      controller: new AbortController(),
      report: undefined,
    };
    this.#keep(id, run);
    this.#emit({ type: 'complyStarted', run: { ...run.view } });
    void this.#validate(run, server, {
      ...(revisions === undefined ? {} : { revisions }),
      ...(given.only === undefined ? {} : { only: given.only }),
      ...(given.callTools === undefined ? {} : { callTools: given.callTools }),
    });
    return { ...run.view };
  }

  stop(id: string): ComplyRun {
    const run = this.#find(id);
    run.controller.abort(new Error('Stopped in the inspector'));
    return { ...run.view };
  }

  /** The report of a finished run, written in one of the validator's formats. */
  async report(id: string, format: string): Promise<string> {
    const { report } = this.#find(id);
    if (report === undefined)
      throw new CommandError(409, 'no_report', 'The run has no report; let it finish first');
    const { FORMATS } = await import('../../validate/index.js');
    const write = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
    if (write === undefined) throw invalid(`Unknown report format ${JSON.stringify(format)}`);
    return write(report);
  }

  close(): void {
    for (const { controller } of this.#runs.values()) controller.abort();
  }

  #find(id: string): Run {
    const run = this.#runs.get(id);
    if (run === undefined) throw notFound('run');
    return run;
  }

  #keep(id: string, run: Run): void {
    this.#runs.set(id, run);
    for (const [old, { view }] of this.#runs) {
      if (this.#runs.size <= MAX_RUNS) return;
      if (view.state !== 'running') this.#runs.delete(old);
    }
  }

  async #validate(run: Run, server: InspectedServer, options: ValidateOptions): Promise<void> {
    const { view, controller } = run;
    const began = performance.now();
    try {
      // Loaded with the first run: the checks are many.
      const validator = await import('../../validate/index.js');
      const requirements = await import('../../validate/requirements/index.js');
      const traffic = new RunTraffic(this.#recording, {
        server: server.id,
        run: view.id,
        transport: server.target.kind === 'command' ? 'stdio' : 'http',
      });
      const target = targetOf(server.target, await this.#credentials(server.id));
      const validation = await validator.validateServer(target, {
        ...options,
        signal: controller.signal,
        onProgress: ({ revision, done, total, title }) => {
          view.progress = { revision, done, total, title };
          this.#emit({ type: 'complyProgress', run: view.id, progress: view.progress });
        },
        onExchange: ({ revision, entry }) => traffic.heard(revision, entry),
        onFinding: (finding) => {
          if (view.findings.length >= MAX_FINDINGS) return;
          const told = findingView(requirements, finding, traffic.find([finding.sent, finding.received]));
          view.findings = [...view.findings, told];
          this.#emit({ type: 'complyFinding', run: view.id, finding: told });
        },
      });
      controller.signal.throwIfAborted();
      run.report = validator.reportOf(validation);
      conclude(view, run.report);
    } catch (error) {
      view.state = controller.signal.aborted ? 'stopped' : 'failed';
      if (view.state === 'failed') view.failure = failureOf(error);
    }
    view.elapsedMs = performance.now() - began;
    delete view.progress;
    this.#emit({ type: 'complyEnded', run: { ...view } });
  }
}

type FoundByValidator = Parameters<NonNullable<ValidateOptions['onFinding']>>[0];

function findingView(
  { requirement, specificationUrl }: Requirements,
  { id, revision, message, expected, sent, received }: FoundByValidator,
  messages: readonly number[],
): ComplyFinding {
  const found = requirement(id);
  const [spoken] = selectRevisions([revision]);
  return {
    id,
    title: found.title,
    level: found.level,
    revision,
    message: maskText(message).text,
    expected,
    ...(sent === undefined ? {} : { sent: maskText(sent).text }),
    ...(received === undefined ? {} : { received: maskText(received).text }),
    ...(spoken === undefined ? {} : { url: specificationUrl(found, spoken) }),
    messages,
  };
}

/** What the report says is final: a finding made on the way may not be in it. */
function conclude(view: Mutable<ComplyRun>, report: Report): void {
  if (report.revisions.length === 0) {
    view.state = 'failed';
    view.failure = {
      code: 'no_revision',
      message: 'The server speaks none of the revisions, or could not be reached; connect to it first',
    };
    return;
  }
  const kept = new Set(
    report.revisions.flatMap(({ findings }) => findings.map(({ id, revision }) => `${id} ${revision}`)),
  );
  view.state = 'done';
  view.findings = view.findings.filter(({ id, revision }) => kept.has(`${id} ${revision}`));
  view.score = report.score;
  view.level = report.level;
  view.revisions = report.revisions.map(
    ({ revision, score, level, passed, failed, skipped, outcomes }): ComplyRevision => ({
      revision,
      score,
      level,
      passed,
      failed: failed.must + failed.should + failed.derived,
      skipped,
      outcomes: outcomes.map(({ id, title, level: weight, section, verdict, reason }) => ({
        id,
        title,
        level: weight,
        area: section,
        verdict,
        ...(reason === undefined ? {} : { reason }),
      })),
    }),
  );
}

function chosen(versions: readonly string[]): ReturnType<typeof selectRevisions> {
  try {
    return selectRevisions(versions);
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error));
  }
}

function targetOf(
  target: InspectedTarget,
  credentials: Readonly<Record<string, string>>,
): Parameters<Validator['validateServer']>[0] {
  if (target.kind === 'url') return { url: target.url, headers: { ...target.headers, ...credentials } };
  const { command, args, cwd, env, inheritEnv = false } = target;
  return { command, args, env, inheritEnv, ...(cwd === undefined ? {} : { cwd }) };
}
