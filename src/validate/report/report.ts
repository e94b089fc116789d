/** The result of a validation, ready to be shown: everything that a report prints is here. */

import { PLUMB_VERSION } from '../../protocol/version.js';
import { NOT_USED } from '../checks/watch/options.js';
import { compareEras, type Difference } from '../compare.js';
import type { Finding, Outcome } from '../outcomes.js';
import { type Level, REQUIREMENTS, requirement, specificationUrl } from '../requirements/index.js';
import { type ComplianceLevel, type Score, scoreOf } from '../score.js';
import type { Validation } from '../validate.js';
import type { RecordedEntry } from '../wire/recorder.js';

export interface ReportFinding extends Finding {
  readonly level: Level;
  readonly title: string;
  readonly section: string;
  readonly advice: string;
  readonly url: string;
  /** The finding that this one follows from: both have the same cause, and only that one is counted. */
  readonly follows?: string;
  /** Known from a baseline: shown, and not counted against the exit code. */
  readonly known: boolean;
}

export interface ReportOutcome {
  readonly id: string;
  readonly level: Level;
  readonly title: string;
  readonly section: string;
  readonly url: string;
  readonly verdict: 'pass' | 'fail' | 'skip';
  readonly reason?: string;
}

export interface RevisionReport extends Score {
  readonly revision: string;
  readonly elapsedMs: number;
  readonly outcomes: readonly ReportOutcome[];
  readonly findings: readonly ReportFinding[];
  readonly exchanges: readonly RecordedEntry[];
}

/** What the validator found, with scores. */
export interface Report {
  readonly tool: string;
  readonly target: string;
  readonly transport: string;
  readonly subject: 'server' | 'client';
  readonly score: number;
  readonly level: ComplianceLevel;
  /** The revisions that got an answer; empty when nothing speaks MCP there. */
  readonly spoken: readonly string[];
  readonly revisions: readonly RevisionReport[];
  readonly differences: readonly Difference[];
  readonly notTestable: number;
  readonly elapsedMs: number;
}

/** How a report is written. */
export interface ReportOptions {
  /** With every exchange, where the format leaves them out otherwise. */
  readonly full?: boolean;
  /** The file that findings point at. */
  readonly source?: string;
  /** Which failures count as such, in formats that fail builds. */
  readonly failOn?: 'must' | 'should' | 'none';
}

/** Identifies a finding from one run to the next; the wording may change, the requirement does not. */
export function fingerprint(finding: Pick<Finding, 'id' | 'revision' | 'transport'>): string {
  return `${finding.id} ${finding.revision} ${finding.transport}`;
}

/** The report of a validation; `baseline` are findings that are known. */
export function reportOf(validation: Validation, baseline: ReadonlySet<string> = new Set()): Report {
  const revisions = validation.runs.map((run): RevisionReport => {
    const outcomes = run.outcomes.filter(({ id }) => requirement(id).outside === undefined);
    const causes = causesOf(outcomes);
    return {
      ...scoreOf(outcomes, new Set(causes.keys())),
      revision: run.revision.version,
      elapsedMs: Math.round(run.elapsedMs),
      outcomes: outcomes.map(({ id, verdict, reason }) => {
        const { level, title, section } = requirement(id);
        const url = specificationUrl(requirement(id), run.revision);
        return { id, level, title, section, url, verdict, ...(reason === undefined ? {} : { reason }) };
      }),
      findings: outcomes.flatMap(({ findings }) =>
        findings.map((finding) => {
          const { level, title, section, advice } = requirement(finding.id);
          const url = specificationUrl(requirement(finding.id), run.revision);
          return {
            ...finding,
            level,
            title,
            section,
            advice,
            url,
            ...(causes.has(finding.id) ? { follows: causes.get(finding.id) ?? '' } : {}),
            known: baseline.has(fingerprint(finding)),
          };
        }),
      ),
      exchanges: run.entries,
    };
  });
  return {
    tool: `plumb ${PLUMB_VERSION}`,
    target: validation.target.label,
    transport: validation.target.kind,
    subject: validation.subject,
    ...overall(revisions),
    spoken: validation.spoken.map(({ version }) => version),
    revisions,
    differences: compareEras(validation.runs),
    notTestable: REQUIREMENTS.filter(({ outside }) => outside !== undefined).length,
    elapsedMs: Math.round(validation.elapsedMs),
  };
}

/** The gravest first. */
export const LEVEL_RANK: Readonly<Record<Level, number>> = { must: 0, should: 1, derived: 2, may: 3 };

/**
 * Requirements that only fail because another one does: everything that was found about them is the very
 * exchange in which the other failed.
 */
function causesOf(outcomes: readonly Outcome[]): ReadonlyMap<string, string> {
  const failed = outcomes
    .filter(({ verdict }) => verdict === 'fail')
    .toSorted((a, b) => LEVEL_RANK[requirement(a.id).level] - LEVEL_RANK[requirement(b.id).level]);
  const causes = new Map<string, string>();
  const owners = new Map<string, string>();
  for (const { id, findings } of failed) {
    const keys = findings.map(exchangeOf);
    const [first] = keys.map((key) => (key === undefined ? undefined : owners.get(key)));
    const same = keys.every((key) => key !== undefined && owners.has(key));
    if (same && first !== undefined) causes.set(id, first);
    else for (const key of keys) if (key !== undefined && !owners.has(key)) owners.set(key, id);
  }
  return causes;
}

/** What identifies an exchange; undefined where there is too little to go by. */
function exchangeOf({ sent, received }: Finding): string | undefined {
  if (sent === undefined || sent === '' || received === undefined || received === '') return undefined;
  return `${sent}\n${received}`;
}

const ORDER: readonly ComplianceLevel[] = ['failing', 'partial', 'compliant', 'complete'];

/** The mean of the revisions, and the worst of their levels. */
function overall(revisions: readonly RevisionReport[]): Pick<Report, 'score' | 'level'> {
  if (revisions.length === 0) return { score: 0, level: 'failing' };
  const score = Math.floor(revisions.reduce((sum, run) => sum + run.score, 0) / revisions.length);
  const level = ORDER.find((candidate) => revisions.some((run) => run.level === candidate)) ?? 'failing';
  return { score, level };
}

/** An option of the specification, and the revisions in which it is used, is not, or could not be seen. */
export interface ReportOption {
  readonly id: string;
  readonly title: string;
  readonly used: readonly string[];
  readonly unused: readonly string[];
}

/** The MAYs that were looked at, in the order of their ids. */
export function optionsOf(report: Report): readonly ReportOption[] {
  const options = new Map<string, { id: string; title: string; used: string[]; unused: string[] }>();
  for (const { revision, outcomes } of report.revisions) {
    for (const { id, level, title, verdict, reason } of outcomes) {
      if (level !== 'may') continue;
      const option = options.get(id) ?? { id, title, used: [], unused: [] };
      if (verdict === 'pass') option.used.push(revision);
      else if (reason === NOT_USED) option.unused.push(revision);
      if (option.used.length + option.unused.length > 0) options.set(id, option);
    }
  }
  return [...options.values()];
}

export function allFindings(report: Report): readonly ReportFinding[] {
  return report.revisions.flatMap(({ findings }) => findings);
}

/** Whether a build should break: findings that are new and at least this grave. */
export function breaks(report: Report, failOn: 'must' | 'should' | 'none'): boolean {
  if (failOn === 'none') return false;
  const grave = (level: Level): boolean => level === 'must' || (failOn === 'should' && level === 'should');
  return (
    report.revisions.length === 0 || allFindings(report).some(({ level, known }) => !known && grave(level))
  );
}
