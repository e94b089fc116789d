/**
 * What happened, step by step, in every process. Where an event was lost it names the first step that is missing, so
 * that a failed run says what to look at.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * @typedef {object} Step
 * @property {number} at  milliseconds since 1970
 * @property {string} step
 * @property {number} [node]  the process
 * @property {string} [session]
 * @property {string} [stream]
 * @property {string} [client]
 * @property {string} [change]
 * @property {string} [event]
 * @property {string} [heard]
 * @property {string} [text]
 */

/** @typedef {{ client: string, subscribedAt: number }} Loss */
/** @typedef {{ id: string, text: string }} Change */

export class History {
  directory = mkdtempSync(join(tmpdir(), 'plumb-cluster-history-'));
  /** @type {Step[]} */
  #steps = [];

  /**
   * @param {string} step
   * @param {Omit<Step, 'at' | 'step'>} [details]
   */
  record(step, details = {}) {
    this.#steps.push({ at: now(), step, ...details });
  }

  /**
   * The first missing step of each kind of loss, with how many clients it concerns.
   *
   * @param {readonly Loss[]} losses
   * @param {readonly import('./tally.mjs').Write[]} writes
   * @param {readonly Change[]} changes  the change log, as Redis has it at the end
   * @returns {string[]}
   */
  explain(losses, writes, changes) {
    if (losses.length === 0) return [];
    const steps = [...this.#steps, ...this.#recorded()].sort((a, b) => a.at - b.at);
    /** @type {Map<string, Step[]>} */
    const bySession = new Map();
    for (const step of steps) {
      const known = bySession.get(step.session ?? '');
      if (known === undefined) bySession.set(step.session ?? '', [step]);
      else known.push(step);
    }
    /** Those that belong to no session: what nodes, Redis and the writer did. */
    const course = (bySession.get('') ?? []).filter(({ step }) => step !== 'update');
    /** @type {Map<string, string[]>} */
    const reasons = new Map();
    for (const loss of losses) {
      const own = steps
        .filter(({ step, client }) => step === 'session' && client === loss.client)
        .flatMap(({ session }) => bySession.get(session ?? '') ?? []);
      const reason = explainOne(loss.subscribedAt, writes, changes, own, course);
      reasons.set(reason, [...(reasons.get(reason) ?? []), loss.client]);
    }
    return [...reasons].map(
      ([reason, clients]) => `${clients.length} clients (${clients.slice(0, 3).join(', ')}): ${reason}`,
    );
  }

  /** @param {boolean} keep */
  close(keep) {
    if (!keep) rmSync(this.directory, { recursive: true, force: true });
  }

  /** @returns {Step[]} */
  #recorded() {
    return readdirSync(this.directory).flatMap((name) =>
      readFileSync(join(this.directory, name), 'utf8')
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line)),
    );
  }
}

/** The clock that all processes share. */
export function now() {
  return performance.timeOrigin + performance.now();
}

/**
 * @param {number} subscribedAt
 * @param {readonly import('./tally.mjs').Write[]} writes
 * @param {readonly Change[]} changes
 * @param {readonly Step[]} own  of the client's sessions
 * @param {readonly Step[]} course
 * @returns {string}
 */
function explainOne(subscribedAt, writes, changes, own, course) {
  for (const [index, write] of writes.entries()) {
    if (write.startedAt < subscribedAt || write.acknowledgedAt === undefined) continue;
    const [from, to] = [write.startedAt, writes[index + 1]?.startedAt ?? Infinity];
    const isDuring = (/** @type {number} */ at) => at >= from && at < to;
    const inLog = changes.filter(({ id }) => isDuring(Number.parseInt(id, 10) + 1));
    const during = describeCourse(course, from, to);
    if (inLog.length === 0)
      return `write ${index + 1} was acknowledged, but its change is not in the change log (rule 1): ${during}`;
    const told = own.filter(
      ({ step, change }) => step === 'told' && change !== undefined && inLog.some(({ id }) => id === change),
    );
    // A node that was killed at that moment did not write it down; what the session had heard when it moved tells.
    const heard = own.some(({ heard: last }) => last !== undefined && inLog.some(({ id }) => id === last));
    if (told.length === 0 && !heard)
      return `the change of write ${index + 1} is in the change log, but no node passed it to the session (rule 2): ${during}`;
    if (!heard && told.every(({ event }) => event === undefined))
      return `the change of write ${index + 1} was passed to the session by ${told.length} attempts, and each found it appended already (rule 3 or 4): ${during}`;
  }
  return 'every change was appended to the events of the session; its client did not get all of them (rule 2)';
}

/**
 * @param {readonly Step[]} steps
 * @param {number} from
 * @param {number} to
 */
function describeCourse(steps, from, to) {
  const until = Math.min(to, from + 5_000);
  return steps
    .filter(({ at }) => at >= from && at < until)
    .slice(0, 16)
    .map(
      ({ at, step, node }) =>
        `${step}${node === undefined ? '' : ` by ${node}`} +${Math.round(at - from)} ms`,
    )
    .join(', ');
}
