/** Requirements of the specification as test cases: the validator judges, each requirement is a case. */

import { findRevision } from '../../protocol/revisions/index.js';
import { REQUIREMENTS, type Requirement } from '../../validate/requirements/index.js';
import type { ValidationTarget } from '../../validate/target.js';
import { validateServer } from '../../validate/validate.js';
import type { ProtocolDefinition } from '../suite/definition.js';
import { SuiteError } from '../suite/fields.js';
import type { CaseVerdict } from './run-case.js';

export interface ProtocolRun {
  readonly target: ValidationTarget;
  readonly revision: string;
  readonly timeout: number;
  readonly signal: AbortSignal;
}

const SKIPPED = {
  status: 'skip',
  duration: 0,
  attempts: 1,
  failures: [],
  warnings: [],
  snapshots: [],
} as const satisfies Omit<CaseVerdict, 'message'>;

export interface RequirementCase {
  readonly name: string;
  readonly verdict: CaseVerdict;
}

/** The words of a topic of the specification, by which requirements are chosen. */
function areasOf(section: string): readonly string[] {
  return section.toLowerCase().split(/[^a-z-]+/);
}

export function chosenRequirements(definition: ProtocolDefinition): readonly Requirement[] {
  const known = new Set(REQUIREMENTS.flatMap(({ section }) => areasOf(section)));
  const unknown = definition.areas.find((area) => !known.has(area));
  if (unknown !== undefined)
    throw new SuiteError(`protocol.areas: "${unknown}" is not known; known: ${[...known].join(', ')}`);
  return REQUIREMENTS.filter(
    ({ id, level, section, subject, outside }) =>
      outside === undefined &&
      level !== 'may' &&
      subject !== 'client' &&
      (definition.level === 'should' || level !== 'should') &&
      (definition.areas.length === 0 || definition.areas.some((area) => areasOf(section).includes(area))) &&
      (definition.only.length === 0 || definition.only.includes(id)),
  );
}

export async function runProtocol(
  definition: ProtocolDefinition,
  run: ProtocolRun,
): Promise<RequirementCase[]> {
  const revision = findRevision(run.revision);
  const applicable = chosenRequirements(definition).filter(
    (requirement) => revision === undefined || requirement.revisions.includes(revision),
  );
  const left = applicable
    .filter(({ id }) => definition.except.has(id))
    .map(
      (requirement): RequirementCase => ({
        name: caseName(requirement),
        verdict: { ...SKIPPED, message: `known: ${definition.except.get(requirement.id)}` },
      }),
    );
  const chosen = applicable.filter(({ id }) => !definition.except.has(id));
  if (chosen.length === 0) return left;
  const started = performance.now();
  const { runs } = await validateServer(run.target, {
    only: chosen.map(({ id }) => id),
    tools: definition.tools,
    timeout: Math.min(run.timeout, 5_000),
    signal: run.signal,
    ...(revision === undefined ? {} : { revisions: [revision] }),
  });
  const duration = Math.round((performance.now() - started) / chosen.length);
  const judged = chosen.map((requirement) => {
    const outcome = runs.flatMap(({ outcomes }) => outcomes).find(({ id }) => id === requirement.id);
    return {
      name: caseName(requirement),
      verdict: { ...verdictOf(requirement, outcome), duration, attempts: 1 },
    };
  });
  return [...judged, ...left];
}

function caseName({ id, title }: Requirement): string {
  return `protocol ${id}: ${title}`;
}

type Outcome = Awaited<ReturnType<typeof validateServer>>['runs'][number]['outcomes'][number];

function verdictOf(
  { title, level, advice }: Requirement,
  outcome: Outcome | undefined,
): Omit<CaseVerdict, 'duration' | 'attempts'> {
  const nothing = { failures: [], warnings: [], snapshots: [] };
  if (outcome === undefined)
    return { status: 'skip', message: 'the validator had no occasion to test it', ...nothing };
  if (outcome.verdict !== 'fail')
    return {
      status: outcome.verdict === 'pass' ? 'pass' : 'skip',
      message: outcome.reason ?? '',
      ...nothing,
    };
  const failures = outcome.findings.map((finding) => ({
    step: `${level}: ${title}`,
    problems: [
      { message: finding.message, ...(finding.expected === undefined ? {} : { expected: finding.expected }) },
    ],
    expected: advice,
    sent: finding.sent === undefined ? [] : [finding.sent],
    received: finding.received === undefined ? [] : [finding.received],
  }));
  return { ...nothing, status: 'fail', message: outcome.findings[0]?.message ?? title, failures };
}
