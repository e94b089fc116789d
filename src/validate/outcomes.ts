/** What the checks found, by requirement. A failure outweighs any number of passes. */

import type { TransportKind } from './wire/connection.js';

export interface Evidence {
  readonly sent?: string;
  readonly received?: string;
  readonly expected: string;
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
      const finding = { id, revision: this.#revision, transport: this.#transport, message, ...evidence };
      findings.push(finding);
      this.#onFinding?.(finding);
    }
    this.#findings.set(id, findings);
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
