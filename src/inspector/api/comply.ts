/** Runs of the validator. */

import type { Failure, ServerId } from './servers.js';

export interface ComplyStart {
  readonly server: ServerId;
  /** Only these revisions. Default: all that the server speaks. */
  readonly revisions?: readonly string[];
  /** Only these requirements. */
  readonly only?: readonly string[];
  /** Calls every tool, whatever it may do; otherwise only those that are annotated as read-only. */
  readonly callTools?: boolean;
}

/** `may` is shown and not scored. */
export type RequirementLevel = 'must' | 'should' | 'derived' | 'may';

export interface ComplyFinding {
  readonly id: string;
  readonly title: string;
  readonly level: RequirementLevel;
  readonly revision: string;
  readonly message: string;
  readonly expected: string;
  readonly sent?: string;
  readonly received?: string;
  /** Where the specification says so. */
  readonly url?: string;
  /** The messages of the timeline that show it. */
  readonly messages: readonly number[];
}

export interface ComplyProgress {
  readonly revision: string;
  readonly done: number;
  readonly total: number;
  readonly title: string;
}

export interface ComplyOutcome {
  readonly id: string;
  readonly title: string;
  readonly level: RequirementLevel;
  readonly area: string;
  readonly verdict: 'pass' | 'fail' | 'skip';
  /** Why it was not judged. */
  readonly reason?: string;
}

export interface ComplyRevision {
  readonly revision: string;
  readonly score: number;
  readonly level: 'complete' | 'compliant' | 'partial' | 'failing';
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly outcomes: readonly ComplyOutcome[];
}

export interface ComplyRun {
  readonly id: string;
  readonly server: ServerId;
  readonly startedAt: number;
  readonly state: 'running' | 'done' | 'stopped' | 'failed';
  readonly progress?: ComplyProgress;
  readonly findings: readonly ComplyFinding[];
  /** By revision, oldest first; those that are done. */
  readonly revisions: readonly ComplyRevision[];
  readonly score?: number;
  readonly level?: ComplyRevision['level'];
  readonly elapsedMs?: number;
  readonly failure?: Failure;
}
