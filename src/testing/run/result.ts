/** What a run of a suite found out. */

import type { Problem } from '../expect/problem.js';
import type { CaseType } from '../suite/definition.js';

export interface FailureReport {
  /** The call that failed: `tools/call search`. */
  readonly step: string;
  /** What the file says about the case. */
  readonly description?: string;
  readonly problems: readonly Problem[];
  /** What the file expects, where it says so in words. */
  readonly expected?: string;
  /** Messages of this call as they crossed the wire, secrets masked. */
  readonly sent: readonly string[];
  readonly received: readonly string[];
  /** The last lines that the server wrote to stderr, where it died. */
  readonly stderr?: string;
}

export interface SnapshotReport {
  readonly name: string;
  readonly updated: boolean;
  readonly diff?: string;
}

export interface CaseResult {
  readonly name: string;
  readonly type: CaseType;
  readonly status: 'pass' | 'fail' | 'skip';
  /** One line for people. */
  readonly message: string;
  readonly duration: number;
  readonly server: string;
  readonly transport: string;
  /** Of the protocol; empty where there was no connection. */
  readonly revision: string;
  readonly attempts: number;
  readonly tags: readonly string[];
  readonly failures: readonly FailureReport[];
  /** Protocol violations seen on the way, where they do not fail the case. */
  readonly warnings: readonly string[];
  readonly snapshots: readonly SnapshotReport[];
  /** Why it failed, and its first snapshot, under the names that reports of mcp-jest have for them. */
  readonly error?: string;
  readonly snapshot?: Omit<SnapshotReport, 'name'>;
  /** The command that repeats it alone. */
  readonly repeat?: string;
}

/** The outcome of a run. */
export interface SuiteResult {
  readonly name: string;
  readonly file?: string;
  readonly startedAt: string;
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly duration: number;
  readonly results: readonly CaseResult[];
  /** Servers that could not be reached. */
  readonly unreachable: readonly string[];
}

export function withAliases(result: CaseResult): CaseResult {
  const [first] = result.snapshots;
  const { name: _name, ...snapshot } = first ?? { name: '', updated: false };
  return {
    ...result,
    ...(result.status === 'fail' ? { error: result.message } : {}),
    ...(first === undefined ? {} : { snapshot }),
  };
}

export function summarise(
  head: Pick<SuiteResult, 'name' | 'startedAt' | 'duration' | 'unreachable'> & {
    readonly file?: string | undefined;
  },
  results: readonly CaseResult[],
): SuiteResult {
  const count = (status: CaseResult['status']): number =>
    results.filter((result) => result.status === status).length;
  const { file, ...rest } = head;
  return {
    ...rest,
    ...(file === undefined ? {} : { file }),
    total: results.length,
    passed: count('pass'),
    failed: count('fail'),
    skipped: count('skip'),
    results,
  };
}

/** 0 passed, 1 failed, 3 a server did not start; 2 is for files that cannot be used. */
export function exitCodeOf({ failed, unreachable }: Pick<SuiteResult, 'failed' | 'unreachable'>): 0 | 1 | 3 {
  if (unreachable.length > 0) return 3;
  return failed > 0 ? 1 : 0;
}
