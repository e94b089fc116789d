/** What the checks found, by requirement. A failure outweighs any number of passes. */

import type { TransportKind } from './wire/connection.js';

export interface Evidence {
  readonly sent?: string;
  readonly received?: string;
  readonly expected: string;
  /** It rests on time, or on a connection that was lost: it is tried again before it is reported. */
  readonly timed?: boolean;
  /** How often it was seen, where it was tried again. */
  readonly seen?: string;
}

export interface Finding extends Evidence {
  readonly id: string;
  readonly revision: string;
  readonly transport: TransportKind;
  readonly message: string;
}

export type Verdict = 'pass' | 'fail' | 'skip';

export interface Outcome {
  readonly id: string;
  readonly revision: string;
  readonly transport: TransportKind;
  readonly verdict: Verdict;
  /** Why it was not judged. */
  readonly reason: string | undefined;
  readonly findings: readonly Finding[];
}

/** More of the same kind are not useful. */
const MAX_FINDINGS = 5;

export class Outcomes {
  readonly #revision: string;
  readonly #transport: TransportKind;
  readonly #passed = new Set<string>();
  readonly #skipped = new Map<string, string>();
  readonly #findings = new Map<string, Finding[]>();

  readonly #onFinding: ((finding: Finding) => void) | undefined;

  constructor(revision: string, transport: TransportKind, onFinding?: (finding: Finding) => void) {
    this.#revision = revision;
    this.#transport = transport;
    this.#onFinding = onFinding;
  }

  pass(...ids: readonly string[]): void {
    for (const id of ids) this.#passed.add(id);
  }

  skip(id: string, reason: string): void {
    if (!this.#skipped.has(id)) this.#skipped.set(id, reason);
  }

  fail(id: string, message: string, evidence: Evidence): void {
    const findings = this.#findings.get(id) ?? [];
    const repeated = findings.some((finding) => finding.message === message);
    if (findings.length < MAX_FINDINGS && !repeated) {
      const { sent, received, expected, timed, seen } = evidence;
      const finding: Finding = {
        id,
        revision: this.#revision,
        transport: this.#transport,
        message,
        ...(sent === undefined ? {} : { sent }),
        ...(received === undefined ? {} : { received }),
        expected,
        ...(timed === true ? { timed } : {}),
        ...(seen === undefined ? {} : { seen }),
      };
      findings.push(finding);
      this.#onFinding?.(finding);
    }
    this.#findings.set(id, findings);
  }

  /** Takes over what another collection holds. */
  merge(other: Outcomes): void {
    this.pass(...other.#passed);
    for (const [id, reason] of other.#skipped) this.skip(id, reason);
    for (const finding of other.findings) this.fail(finding.id, finding.message, evidenceOf(finding));
  }

  withoutFindings(): Outcomes {
    const rest = new Outcomes(this.#revision, this.#transport);
    rest.pass(...this.#passed);
    for (const [id, reason] of this.#skipped) rest.skip(id, reason);
    return rest;
  }

  get findings(): readonly Finding[] {
    return [...this.#findings.values()].flat();
  }

  judged(id: string): boolean {
    return this.#passed.has(id) || this.#findings.has(id) || this.#skipped.has(id);
  }

  outcome(id: string): Outcome {
    const findings = this.#findings.get(id) ?? [];
    const verdict: Verdict = findings.length > 0 ? 'fail' : this.#passed.has(id) ? 'pass' : 'skip';
    const reason = verdict === 'skip' ? (this.#skipped.get(id) ?? 'nothing here to judge it by') : undefined;
    return { id, revision: this.#revision, transport: this.#transport, verdict, reason, findings };
  }
}

function evidenceOf({ sent, received, expected, timed, seen }: Finding): Evidence {
  return {
    ...(sent === undefined ? {} : { sent }),
    ...(received === undefined ? {} : { received }),
    expected,
    ...(timed === undefined ? {} : { timed }),
    ...(seen === undefined ? {} : { seen }),
  };
}
