/** Runs one case, as often as its retries allow, and reports what happened. */

import { Deadline } from '../../protocol/deadline.js';
import type { Problem } from '../expect/problem.js';
import type { CaseDefinition, SuiteSettings } from '../suite/definition.js';
import type { CaseResult, FailureReport, SnapshotReport } from './result.js';
import { describeStep, runStep, type StepContext } from './run-step.js';
import type { WireLog } from './wire-log.js';

export interface CaseContext extends Omit<StepContext, 'caseName' | 'signal' | 'timeout'> {
  readonly settings: SuiteSettings;
  readonly log: WireLog;
  readonly signal: AbortSignal;
  /** What the server did wrong while the case ran. */
  takeFaults(): readonly string[];
}

export type CaseVerdict = Pick<
  CaseResult,
  'status' | 'message' | 'duration' | 'attempts' | 'failures' | 'warnings' | 'snapshots'
>;

export async function runCase(definition: CaseDefinition, context: CaseContext): Promise<CaseVerdict> {
  const attempts = 1 + (definition.retries ?? context.settings.retries);
  const started = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    const verdict = await attemptCase(definition, context);
    if (verdict.status === 'pass' || attempt >= attempts || context.signal.aborted)
      return { ...verdict, attempts: attempt, duration: Math.round(performance.now() - started) };
  }
}

async function attemptCase(
  definition: CaseDefinition,
  context: CaseContext,
): Promise<Omit<CaseVerdict, 'attempts' | 'duration'>> {
  const limit = Math.max(context.settings.timeout, ...definition.steps.map(({ timeout = 0 }) => timeout));
  const deadline = new Deadline(limit, context.signal);
  try {
    return await runSteps(definition, { ...context, signal: deadline.signal });
  } finally {
    deadline.clear();
  }
}

async function runSteps(
  definition: CaseDefinition,
  context: CaseContext,
): Promise<Omit<CaseVerdict, 'attempts' | 'duration'>> {
  const owner = { name: definition.name };
  const { settings, log, signal } = context;
  const snapshots: SnapshotReport[] = [];
  const notes: string[] = [];
  context.takeFaults();
  for (const step of definition.steps) {
    const outcome = await log.within(owner, async () => {
      try {
        return await runStep(step, {
          ...context,
          caseName: definition.name,
          signal,
          timeout: settings.timeout,
        });
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { problems: [{ message }], note: undefined, snapshot: undefined, stderr: undefined };
      }
    });
    const { snapshot } = outcome;
    if (snapshot !== undefined)
      snapshots.push({
        name: snapshot.name,
        updated: snapshot.updated,
        ...(snapshot.diff === undefined ? {} : { diff: snapshot.diff }),
      });
    if (outcome.note !== undefined) notes.push(outcome.note);
    const faults = settings.strict ? context.takeFaults() : [];
    const problems: readonly Problem[] = [
      ...outcome.problems,
      ...faults.map((fault) => ({ message: `the server broke the protocol: ${fault}` })),
    ];
    if (problems.length === 0) continue;
    const failure: FailureReport = {
      step: describeStep(step),
      ...(definition.description === undefined ? {} : { description: definition.description }),
      problems,
      ...(step.expected === undefined ? {} : { expected: written(step.expected) }),
      ...log.excerpt(owner),
      ...(outcome.stderr === undefined || outcome.stderr === '' ? {} : { stderr: outcome.stderr }),
    };
    const [first] = problems;
    return {
      status: 'fail',
      message: first?.message ?? '',
      failures: [failure],
      warnings: [...context.takeFaults()],
      snapshots,
    };
  }
  return {
    status: 'pass',
    message: notes.join(', '),
    failures: [],
    warnings: [...context.takeFaults()],
    snapshots,
  };
}

function written(expected: unknown): string {
  if (typeof expected === 'string') return expected;
  return typeof expected === 'function' ? String(expected) : (JSON.stringify(expected) ?? '');
}
