/** From verdicts to a number and a word. The weights are documented in docs/validate.md. */

import type { Outcome } from './outcomes.js';
import { CRASH_ID, requirement, type ScoredLevel } from './requirements/index.js';

const WEIGHTS: Readonly<Record<ScoredLevel, number>> = { must: 10, should: 3, derived: 1 };

/** `complete`: nothing failed. `compliant`: no MUST failed. `partial`: some did. `failing`: less than half is right. */
export type ComplianceLevel = 'complete' | 'compliant' | 'partial' | 'failing';

export interface Score {
  /** 0 to 100, rounded down: 100 means that nothing at all failed. */
  readonly score: number;
  readonly level: ComplianceLevel;
  readonly passed: number;
  readonly failed: Readonly<Record<ScoredLevel, number>>;
  readonly skipped: number;
}

/** A server that crashes has no better score, whatever else it does right. */
const CRASHED_SCORE = 49;

export function scoreOf(outcomes: readonly Outcome[], consequences: ReadonlySet<string> = new Set()): Score {
  const failed: Record<ScoredLevel, number> = { must: 0, should: 0, derived: 0 };
  let right = 0;
  let judged = 0;
  let passed = 0;
  let skipped = 0;
  for (const { id, verdict } of outcomes) {
    const { level } = requirement(id);
    // What may be left out says nothing about a server.
    if (level === 'may') continue;
    if (verdict === 'skip') {
      skipped += 1;
      continue;
    }
    // A consequence of another finding is not counted a second time.
    if (verdict === 'fail' && consequences.has(id)) continue;
    judged += WEIGHTS[level];
    if (verdict === 'fail') failed[level] += 1;
    else {
      passed += 1;
      right += WEIGHTS[level];
    }
  }
  const crashed = outcomes.some(({ id, verdict }) => id === CRASH_ID && verdict === 'fail');
  const share = judged === 0 ? 0 : Math.floor((100 * right) / judged);
  const score = crashed ? Math.min(share, CRASHED_SCORE) : share;
  return { score, level: levelOf(score, failed), passed, failed, skipped };
}

function levelOf(score: number, failed: Readonly<Record<ScoredLevel, number>>): ComplianceLevel {
  if (score < 50) return 'failing';
  if (failed.must > 0) return 'partial';
  return failed.should + failed.derived > 0 ? 'compliant' : 'complete';
}
