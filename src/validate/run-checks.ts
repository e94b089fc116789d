/**
 * Runs checks side by side where they allow it, and makes sure of what they found. A finding that rests on
 * time or on a lost connection is tried again alone, with more patience; a server that crashed is one
 * finding, and what the check wanted to know stays open.
 */

import type { Check, Lane } from './check.js';
import { Outcomes } from './outcomes.js';
import type { Probe } from './probe.js';
import { CRASH_ID } from './requirements/index.js';
import type { RetryTime } from './retry-time.js';
import type { ValidatorSession } from './session/session.js';
import type { Slots } from './slots.js';
import { HttpConnection } from './wire/http-connection.js';
import { LineConnection } from './wire/line-pipe.js';
import { SseConnection } from './wire/sse-connection.js';

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onCheck: (check: Check) => void;
  /** How long an answer may take when something is tried again. */
  readonly patientMs: number;
  /** Limits what runs side by side, over all revisions. */
  readonly slots: Slots;
  /** Limits how long checks that did not finish are tried again, over all revisions. */
  readonly retries: RetryTime;
}

interface Limit {
  readonly ms: number;
  /** What to say of a check that took longer. */
  readonly reason: string;
}

/** One check never holds up a run for longer. */
const CHECK_MS = 30_000;
const CHECK_LIMIT: Limit = { ms: CHECK_MS, reason: `the check took longer than ${CHECK_MS / 1000} s` };
const PARALLEL = 4;
const PATIENCE = 4;
const MAX_TRIES = 3;
const MAX_CRASHES = 4;

export class CheckRun {
  readonly #probe: Probe;
  readonly #options: RunOptions;
  readonly #closing: Promise<void>[] = [];
  /** Checks that are under way. */
  readonly #active = new Set<Probe>();
  /** Checks with findings that have to be seen again. */
  readonly #doubtful: { check: Check; first: Outcomes }[] = [];
  /** Checks that ran out of time, or got no session. */
  readonly #unfinished: { check: Check; first: Outcomes }[] = [];
  #crashes = 0;
  /** Over HTTP a server that is gone stays gone; one that crashes all the time shows nothing else. */
  #gone: string | undefined;

  constructor(probe: Probe, options: RunOptions) {
    this.#probe = probe;
    this.#options = options;
  }

  /** Closes whatever checks have opened, also those that are still under way. */
  async close(): Promise<void> {
    await Promise.all([...this.#active].map((probe) => probe.closeOpened()));
    await Promise.all(this.#closing.splice(0));
  }

  /** Exploring a server can crash it too. */
  async arrived(): Promise<void> {
    const crash = await crashOf([this.#probe.shared]);
    if (crash !== undefined) this.#report(crash);
  }

  /** Those that others may run beside. */
  async together(checks: readonly Check[]): Promise<void> {
    const queue = [...inLane(checks, 'own')];
    const shared = async (): Promise<void> => {
      for (const check of inLane(checks, 'shared')) await this.#first(check);
    };
    const own = async (): Promise<void> => {
      for (let check = queue.shift(); check !== undefined; check = queue.shift()) {
        const next = check;
        await this.#options.slots.use(() => this.#first(next));
      }
    };
    await Promise.all([shared(), ...Array.from({ length: PARALLEL }, own)]);
  }

  /** Those that want the server to themselves. */
  async alone(checks: readonly Check[]): Promise<void> {
    for (const check of inLane(checks, 'alone')) await this.#first(check);
    await Promise.all(this.#closing.splice(0));
  }

  /** Whatever has to be tried again, while nothing else runs. */
  async settleDoubts(): Promise<void> {
    for (const { check, first } of this.#unfinished.splice(0)) await this.#anew(check, first);
    for (const { check, first } of this.#doubtful.splice(0)) await this.#again(check, first);
    await Promise.all(this.#closing.splice(0));
  }

  async watch(checks: readonly Check[]): Promise<void> {
    for (const check of inLane(checks, 'watch')) await this.#first(check);
    await Promise.all(this.#closing.splice(0));
  }

  async #first(check: Check): Promise<void> {
    this.#options.signal?.throwIfAborted();
    this.#options.onCheck(check);
    if (this.#gone !== undefined && check.lane !== 'watch') {
      for (const { id } of check.requirements) this.#probe.skip(id, this.#gone);
      return;
    }
    const outcomes = this.#fresh();
    const { crash, done } = await this.#run(check, this.#probe.fork(outcomes));
    if (crash !== undefined) this.#crashed(check, crash, outcomes);
    else if (!done && check.lane !== 'watch') this.#unfinished.push({ check, first: outcomes });
    else if (outcomes.findings.some(({ timed }) => timed === true))
      this.#doubtful.push({ check, first: outcomes });
    else this.#probe.outcomes.merge(outcomes);
  }

  /** A check that did not come to its end begins anew; most often the machine was busy. */
  async #anew(check: Check, first: Outcomes): Promise<void> {
    if (this.#gone !== undefined) {
      this.#probe.outcomes.merge(first);
      return;
    }
    const { signal, retries } = this.#options;
    signal?.throwIfAborted();
    const { leftMs, usedUp } = retries;
    if (leftMs === 0) {
      for (const { id } of check.requirements) this.#probe.skip(id, `could not be checked: ${usedUp}`);
      this.#settle(first, first, new Map(), 1);
      return;
    }
    const limit = leftMs < CHECK_MS ? { ms: leftMs, reason: usedUp } : CHECK_LIMIT;
    const outcomes = this.#fresh();
    const probe = this.#probe.fork(outcomes, this.#patiently());
    const { crash, done } = await retries.spend(() => this.#run(check, probe, limit));
    if (crash !== undefined) this.#crashed(check, crash, outcomes);
    // What it saw before it ran out of time is sure only where it does not rest on time.
    else if (!done) this.#settle(outcomes, outcomes, new Map(), 1);
    else if (outcomes.findings.some(({ timed }) => timed === true))
      this.#doubtful.push({ check, first: outcomes });
    else this.#probe.outcomes.merge(outcomes);
  }

  #patiently(): Pick<Probe['settings'], 'timeoutMs' | 'quietMs' | 'patience'> {
    const { patientMs } = this.#options;
    return { timeoutMs: patientMs, quietMs: this.#probe.settings.quietMs * 2, patience: PATIENCE };
  }

  /** Tries until it is clear whether what rests on time comes again. */
  async #again(check: Check, first: Outcomes): Promise<void> {
    if (this.#gone !== undefined) {
      // It cannot be tried again: only what does not rest on time is sure.
      this.#settle(first, first, new Map(), 1);
      return;
    }
    const seen = new Map<string, number>();
    for (const { id, timed } of first.findings) if (timed === true) seen.set(id, 1);
    let last = first;
    let tries = 1;
    while (tries < MAX_TRIES) {
      this.#options.signal?.throwIfAborted();
      tries += 1;
      const outcomes = this.#fresh();
      const { crash } = await this.#run(check, this.#probe.fork(outcomes, this.#patiently()));
      if (crash !== undefined) return this.#crashed(check, crash, outcomes);
      const found = new Set(outcomes.findings.map(({ id }) => id));
      for (const [id, count] of seen) if (found.has(id)) seen.set(id, count + 1);
      last = outcomes;
      if ([...seen.values()].every((count) => count > 1)) break;
    }
    this.#settle(first, last, seen, tries);
  }

  /** What was seen at least twice is reported, and what does not rest on time as it was. */
  #settle(first: Outcomes, last: Outcomes, seen: ReadonlyMap<string, number>, tries: number): void {
    const outcomes = this.#probe.outcomes;
    const confirmed = (id: string): boolean => (seen.get(id) ?? 0) > 1;
    const reported = new Set<string>();
    for (const source of [last, first]) {
      for (const finding of source.findings) {
        const { id, message } = finding;
        const sure = finding.timed !== true || confirmed(id);
        if (!sure || (finding.timed === true && reported.has(id))) continue;
        reported.add(id);
        const count = seen.get(id);
        outcomes.fail(id, message, {
          ...finding,
          ...(finding.timed === true && count !== undefined ? { seen: `${count} of ${tries}` } : {}),
        });
      }
    }
    // What the last try saw to be right is right; what was only slow at first is no finding.
    outcomes.merge(last.withoutFindings());
    outcomes.merge(first.withoutFindings());
  }

  #fresh(): Outcomes {
    return new Outcomes(this.#probe.revision.version, this.#probe.transport);
  }

  /** Resolves with how the server died, where it did, and whether the check came to its end. */
  async #run(
    check: Check,
    probe: Probe,
    limit: Limit = CHECK_LIMIT,
  ): Promise<{ readonly crash?: Crash; readonly done: boolean }> {
    const { signal } = this.#options;
    const before = probe.shared;
    this.#active.add(probe);
    let timer: NodeJS.Timeout | undefined;
    let stop = (): void => {};
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(limit.reason)), limit.ms);
      stop = () => reject(new Error('the run was stopped'));
      signal?.addEventListener('abort', stop, { once: true });
    });
    let done = false;
    try {
      await Promise.race([Promise.resolve(check.run(probe)), late]);
      done = true;
    } catch (error) {
      // The check could not be carried out, which is for the reader to know and no proof of anything.
      const reason = error instanceof Error ? error.message : String(error);
      for (const { id } of check.requirements) probe.skip(id, `could not be checked: ${reason}`);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
    const own = probe.opened;
    // Only checks of the shared session can have broken it.
    const shared = check.lane === 'own' ? [] : [before, probe.shared];
    const crash = check.lane === 'watch' ? undefined : await crashOf([...own, ...shared]);
    const clean = done && crash === undefined && probe.outcomes.findings.length === 0;
    const ending = clean ? probe.release() : probe.closeOpened();
    this.#closing.push(ending.finally(() => this.#active.delete(probe)));
    return crash === undefined ? { done } : { crash, done };
  }

  #crashed(check: Check, crash: Crash, outcomes: Outcomes): void {
    const probe = this.#probe;
    this.#report(crash);
    for (const { id } of check.requirements) probe.skip(id, `the server crashed (${CRASH_ID})`);
    // What was wrong before the crash stays wrong.
    for (const finding of outcomes.findings)
      if (finding.timed !== true) probe.fail(finding.id, finding.message, finding);
  }

  #report(crash: Crash): void {
    this.#probe.fail(CRASH_ID, `The server crashed: ${crash.epitaph}`, {
      sent: crash.sent,
      received: crash.words,
      expected: 'an answer, whatever was sent',
    });
    this.#crashes += 1;
    if (crash.forGood) this.#gone = `the server crashed (${CRASH_ID}), and is gone`;
    else if (this.#crashes >= MAX_CRASHES)
      this.#gone = `the server crashed ${this.#crashes} times (${CRASH_ID})`;
  }
}

interface Crash {
  readonly epitaph: string;
  readonly sent: string;
  /** The end of what it wrote to stderr. */
  readonly words: string;
  readonly forGood: boolean;
}

const STDERR_END = 2_000;

async function crashOf(sessions: readonly ValidatorSession[]): Promise<Crash | undefined> {
  for (const { connection } of sessions) {
    if (connection instanceof LineConnection && connection.crashed) {
      const { epitaph, lastSent: sent } = connection;
      return { epitaph, sent, words: connection.stderr.slice(-STDERR_END) || epitaph, forGood: false };
    }
    const http = connection instanceof SseConnection ? connection.http : connection;
    if (!(http instanceof HttpConnection) || !http.refused) continue;
    const gone = await http.isGone();
    if (!gone) continue;
    const epitaph = `nothing listens at ${http.url.host} any more`;
    return { epitaph, sent: http.lastAnswered, words: epitaph, forGood: true };
  }
  return undefined;
}

function inLane(checks: readonly Check[], lane: Lane): readonly Check[] {
  return checks.filter((check) => check.lane === lane);
}
