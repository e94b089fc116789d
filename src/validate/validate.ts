/** The whole of it: a target in, a report out. */

import { milliseconds } from '../protocol/duration.js';
import { assertOptionNames } from '../protocol/option-names.js';
import { REVISIONS } from '../protocol/revisions/index.js';
import type { Revision } from '../protocol/revisions/revision.js';
import type { Target } from '../transports/target.js';
import { toolsDiffer } from './compare.js';
import { firstRevision, speaksProtocol, startPatience, startTime } from './first-contact.js';
import {
  overhear,
  type RevisionRun,
  recorderFor,
  runRevisions,
  VALIDATE_OPTIONS,
  type ValidateOptions,
  wantsAllRevisions,
} from './runner.js';
import { fullCapabilities } from './session/identity.js';
import { DEFAULT_TIMEOUT_MS, readOnlyTools, Survey, surveyRevisions, toolsFor } from './survey.js';
import { type SseTarget, type ValidationTarget, validationTarget } from './target.js';

export interface Validation {
  readonly subject: 'server' | 'client';
  readonly target: Pick<ValidationTarget, 'kind' | 'label'>;
  /** Those that the server supports; a run of few requirements in few revisions asks about these revisions only. */
  readonly spoken: readonly Revision[];
  readonly runs: readonly RevisionRun[];
  readonly elapsedMs: number;
}

/**
 * Tests a server in every revision that it supports: `validateServer({ command: 'node', args: ['server.js'] })`. `options` select what to leave out, and the callbacks
 * for progress, findings and messages while it runs; `signal` ends it.
 */
export async function validateServer(
  server: Target | SseTarget | ValidationTarget,
  options: ValidateOptions = {},
): Promise<Validation> {
  assertOptionNames('validateServer', options, VALIDATE_OPTIONS);
  const started = performance.now();
  const target = validationTarget(server);
  const { signal } = options;
  signal?.throwIfAborted();
  const { timeoutMs, said } = await patience(target, options);
  // A command that does not answer one client in all this time answers none.
  const all = wantsAllRevisions(target, options);
  const asked = all ? REVISIONS : options.revisions;
  const survey =
    timeoutMs === undefined
      ? new Survey([])
      : await surveyRevisions(target, asked, timeoutMs, ({ version }) => recorderFor(version, options));
  const { spoken } = survey;
  const chosen = options.revisions ?? spoken;
  const settings = { ...options, ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }) };
  const nothing = timeoutMs === undefined && !said;
  try {
    // Where every tool may be called, it does not matter what they say of themselves.
    const harmless = options.callTools === true ? [] : await readOnlyTools(survey);
    const safe = new Set([...harmless, ...(options.tools ?? [])]);
    const both = spoken.filter((candidate) => chosen.includes(candidate));
    // A requested revision is reported on, even if the server does not support it at all.
    const judged = both.length > 0 ? both : await unspoken(target, options, timeoutMs);
    signal?.throwIfAborted();
    const tasks = judged.map((revision, index) => ({
      revision,
      spoken: all ? spoken : undefined,
      safeTools: safe,
      surveyed: survey.take(revision),
      run: index + 1,
      runs: judged.length,
    }));
    // What no revision goes on with is not needed any more.
    await survey.close();
    const runs =
      tasks.length > 0
        ? await runRevisions(target, tasks, settings)
        : nothing
          ? []
          : await heard(target, chosen, settings);
    signal?.throwIfAborted();
    const compared = await withModestTools(target, runs, timeoutMs);
    return { subject: 'server', target, spoken, runs: compared, elapsedMs: performance.now() - started };
  } finally {
    await survey.close();
  }
}

/** What a server said that nobody understood, in the revision that it was asked about. */
async function heard(
  target: ValidationTarget,
  chosen: readonly Revision[],
  options: ValidateOptions,
): Promise<readonly RevisionRun[]> {
  const revision = chosen.length === 1 ? chosen[0] : firstRevision();
  if (revision === undefined || (target.kind === 'sse' && revision.lifecycle === 'stateless')) return [];
  const task = { revision, spoken: [], safeTools: new Set<string>(), run: 1, runs: 1 };
  const run = await overhear(target, task, options);
  return run === undefined ? [] : [run];
}

/** How long an answer may take; a command that starts slowly takes that long again in each process of its. */
async function patience(
  target: ValidationTarget,
  { timeout = DEFAULT_TIMEOUT_MS, connectTimeout }: ValidateOptions,
): Promise<{ readonly timeoutMs: number | undefined; readonly said: boolean }> {
  const timeoutMs = milliseconds(timeout);
  if (target.kind !== 'stdio') return { timeoutMs, said: true };
  const connectMs = connectTimeout === undefined ? undefined : milliseconds(connectTimeout);
  const { limitMs, silentMs } = startPatience(target, connectMs);
  const { startMs, said } = await startTime(target, {
    limitMs: Math.max(limitMs, timeoutMs),
    silentMs: Math.max(silentMs, timeoutMs),
  });
  return { timeoutMs: startMs === undefined ? undefined : Math.max(timeoutMs, 2 * startMs), said };
}

/** A revision that was asked for is judged although it is not spoken, where MCP is spoken at all. */
async function unspoken(
  target: ValidationTarget,
  { revisions = [] }: ValidateOptions,
  timeoutMs: number | undefined,
): Promise<readonly Revision[]> {
  const [revision, ...others] = revisions;
  if (revision === undefined || others.length > 0 || timeoutMs === undefined) return [];
  return (await speaksProtocol(target, revision, timeoutMs)) ? revisions : [];
}

/** A tool that needs a capability is rightly hidden from clients that cannot have it yet: that is no difference. */
async function withModestTools(
  target: ValidationTarget,
  runs: readonly RevisionRun[],
  timeoutMs: number | undefined,
): Promise<readonly RevisionRun[]> {
  const result: RevisionRun[] = [];
  for (const [index, run] of runs.entries()) {
    const before = runs[index - 1];
    const asked = before !== undefined && toolsDiffer(before, run);
    const modestTools = asked
      ? await toolsFor(target, run.revision, fullCapabilities(before.revision), timeoutMs)
      : undefined;
    result.push(modestTools === undefined ? run : { ...run, modestTools });
  }
  return result;
}
