/** What a check works with: a server in one revision, what is known about it, and where to report. */

import type { JsonObject } from '../jsonrpc/message.js';
import type { Revision } from '../protocol/revisions/revision.js';
import { knowParameterHeaders, type ObservedCatalogue, textOf } from './catalogue.js';
import type { Exercise, Use } from './exercise.js';
import type { Effects } from './observe.js';
import type { Evidence, Outcomes } from './outcomes.js';
import { ordinal } from './requirements/index.js';
import { type Opened, type OpenSessionOptions, openSession } from './session/open.js';
import type { WireReply } from './session/reply.js';
import type { ValidatorSession } from './session/session.js';
import type { SessionPool } from './session/session-pool.js';
import type { ValidationTarget } from './target.js';
import type { TransportKind } from './wire/connection.js';
import { Recorder } from './wire/recorder.js';

export interface ProbeSettings {
  /** How long an answer may take. */
  readonly timeoutMs: number;
  /** How long silence has to last before it counts as silence. */
  readonly quietMs: number;
  /** By how much other limits are stretched: more than 1 where a finding is tried again. */
  readonly patience: number;
  readonly callable: (tool: JsonObject) => boolean;
  /** Prints a fresh token for a scope and an audience; undefined where the user gave no command for it. */
  readonly mintToken?: (wanted: TokenWish) => Promise<string | undefined>;
}

export interface TokenWish {
  /** Separated by blanks; empty for a token without any, undefined for the usual ones. */
  readonly scope?: string;
  /** The server that the token is for. */
  readonly audience?: string;
  readonly expired?: boolean;
}

/** The session that most checks share, and its replacement when it is lost. */
export interface SharedSession {
  opened: Opened;
  /** The run is over: what is opened from now on is closed at once. */
  closed?: boolean;
}

export interface ProbeParts {
  readonly target: ValidationTarget;
  readonly revision: Revision;
  readonly recorder: Recorder;
  readonly outcomes: Outcomes;
  readonly settings: ProbeSettings;
  readonly shared: SharedSession;
  readonly catalogue: ObservedCatalogue;
  readonly exercise: Exercise;
  /** Undefined where no check wanted to know. */
  readonly effects: readonly Effects[] | undefined;
  /** All revisions that this server speaks; undefined where no check wanted to know. */
  readonly spoken: readonly Revision[] | undefined;
  /** Sessions that checks have left for others; each revision has its own. */
  readonly pool: SessionPool;
  /** What does not depend on the revision is asked once for all of them. */
  readonly once: Map<string, Promise<WireReply>>;
}

export class Probe {
  readonly target: ValidationTarget;
  readonly revision: Revision;
  readonly recorder: Recorder;
  readonly outcomes: Outcomes;
  readonly settings: ProbeSettings;
  readonly catalogue: ObservedCatalogue;
  readonly exercise: Exercise;
  readonly #opened = new Map<ValidatorSession, { opened: Opened; options: OpenSessionOptions }>();
  readonly #opening = new Set<Promise<Opened>>();
  readonly #shared: SharedSession;
  readonly #parts: ProbeParts;
  /** In place of the shared session where something is tried again. */
  #own: Promise<Opened> | undefined;

  constructor(parts: ProbeParts) {
    this.target = parts.target;
    this.revision = parts.revision;
    this.recorder = parts.recorder;
    this.outcomes = parts.outcomes;
    this.settings = parts.settings;
    this.catalogue = parts.catalogue;
    this.exercise = parts.exercise;
    this.#shared = parts.shared;
    this.#parts = parts;
  }

  /** The same server, reported on elsewhere and perhaps with more patience. */
  fork(outcomes: Outcomes, settings: Partial<ProbeSettings> = {}): Probe {
    return new Probe({ ...this.#parts, outcomes, settings: { ...this.settings, ...settings } });
  }

  get transport(): TransportKind {
    return this.target.kind;
  }

  get stateless(): boolean {
    return this.revision.lifecycle === 'stateless';
  }

  /** The place of the revision in the history, from 1. */
  get ordinal(): number {
    return ordinal(this.revision);
  }

  get shared(): ValidatorSession {
    return this.#shared.opened.session;
  }

  get greeting(): WireReply | undefined {
    return this.#shared.opened.greeting;
  }

  /** Sessions that this check has opened so far. */
  get opened(): readonly ValidatorSession[] {
    return [...this.#opened.keys()];
  }

  /** The session that most checks share; a new one when the last was lost. */
  async session(): Promise<ValidatorSession> {
    // What is tried again is not disturbed by late answers to what others asked.
    if (this.settings.patience > 1) {
      this.#own ??= this.open();
      return (await this.#own).session;
    }
    if (!this.shared.connection.ended) return this.shared;
    if (this.#shared.closed === true) throw new Error('the run was stopped');
    this.#shared.opened = await openSession({ ...this, timeoutMs: this.settings.timeoutMs });
    knowParameterHeaders(this.shared, this.catalogue);
    return this.shared;
  }

  /** A session of its own for a check; closed when the check is over. */
  async open(options: OpenSessionOptions = {}, revision: Revision = this.revision): Promise<Opened> {
    const { target, settings } = this;
    // Another revision has other rules: its traffic is not judged with ours.
    const recorder = revision === this.revision ? this.recorder : new Recorder();
    const idle = revision === this.revision ? this.#idle(options) : undefined;
    if (idle !== undefined) return idle;
    const opening = openSession({ target, recorder, revision, timeoutMs: settings.timeoutMs }, options);
    this.#opening.add(opening);
    const opened = await opening.finally(() => this.#opening.delete(opening));
    this.#opened.set(opened.session, { opened, options });
    if (this.#shared.closed === true) {
      await opened.session.close();
      throw new Error('the run was stopped');
    }
    const usual = options.handshake === undefined && options.capabilities === undefined;
    // Everything after an unanswered handshake would be blamed on something else.
    if (usual && opened.greeting?.kind === 'silence')
      throw new Error('the handshake was not answered in time');
    knowParameterHeaders(opened.session, this.catalogue);
    return opened;
  }

  /** Closes what was opened, and what is just being opened. */
  async closeOpened(): Promise<void> {
    const late = await Promise.allSettled([...this.#opening]);
    const sessions = new Set(this.#opened.keys());
    for (const result of late) if (result.status === 'fulfilled') sessions.add(result.value.session);
    this.#opened.clear();
    await Promise.all([...sessions].map((session) => session.close()));
  }

  /** After a check that found nothing: what it opened serves the next one, where that is possible. */
  async release(): Promise<void> {
    for (const [session, { opened, options }] of this.#opened)
      if (session.revision === this.revision && this.#parts.pool.give(opened, options))
        this.#opened.delete(session);
    await this.closeOpened();
  }

  /** An exchange that is the same in every revision; its answer is shared. */
  once(key: string, ask: () => Promise<WireReply>): Promise<WireReply> {
    // What is tried again is asked again.
    if (this.settings.patience > 1) return ask();
    const { once } = this.#parts;
    const known = once.get(key) ?? ask();
    once.set(key, known);
    return known;
  }

  /** What is tried again is tried in a process of its own. */
  #idle(options: OpenSessionOptions): Opened | undefined {
    if (this.settings.patience > 1 || this.#shared.closed === true) return undefined;
    const opened = this.#parts.pool.take(options);
    if (opened === undefined) return undefined;
    this.#opened.set(opened.session, { opened, options });
    knowParameterHeaders(opened.session, this.catalogue);
    return opened;
  }

  async close(): Promise<void> {
    this.#shared.closed = true;
    await this.closeOpened();
    await this.#parts.pool.close();
    await this.shared.close();
  }

  /** A limit in milliseconds, stretched where a finding is tried again. */
  patient(milliseconds: number): number {
    return milliseconds * this.settings.patience;
  }

  /** Tools that may be called. */
  get tools(): readonly JsonObject[] {
    return this.catalogue.tools.filter(this.settings.callable);
  }

  /** A use of a tool that went well, for checks that want to repeat one. */
  get goodCall(): Use | undefined {
    return this.goodCalls[0];
  }

  /** Uses of tools that went well, the quickest first. */
  get goodCalls(): readonly Use[] {
    return this.exercise.calls
      .filter(
        ({ last }) =>
          last.kind === 'result' && last.result.isError !== true && last.result.content !== undefined,
      )
      .toSorted((a, b) => a.last.elapsedMs - b.last.elapsedMs);
  }

  /** All revisions that this server speaks. */
  get spoken(): readonly Revision[] {
    const { spoken } = this.#parts;
    if (spoken === undefined)
      throw new Error('a check of other revisions has to be marked as across revisions');
    return spoken;
  }

  /** What each tool was seen to do. */
  get effects(): readonly Effects[] {
    const { effects } = this.#parts;
    if (effects === undefined) throw new Error('a check that looks at effects has to be marked as observing');
    return effects;
  }

  /** Tools that were seen to do something, the quickest first. */
  seen(fits: (effects: Effects) => boolean): readonly Effects[] {
    return this.effects.filter(fits);
  }

  declares(capability: string): boolean {
    return this.catalogue.capabilities[capability] !== undefined;
  }

  tool(name: string): JsonObject | undefined {
    return this.catalogue.tools.find((tool) => textOf(tool, 'name') === name);
  }

  pass(...ids: readonly string[]): void {
    this.outcomes.pass(...ids);
  }

  skip(id: string, reason: string): void {
    this.outcomes.skip(id, reason);
  }

  skipAll(ids: string, reason: string): void {
    for (const id of ids.split(' ')) this.skip(id, reason);
  }

  fail(id: string, message: string, evidence: Evidence): void {
    this.outcomes.fail(id, message, evidence);
  }

  /** The usual shape of a check: what was sent, what came back, and whether that is right. */
  judge(id: string, ok: boolean, message: string, expected: string, reply: Shown): void {
    if (ok) this.pass(id);
    else {
      const { sent, received, timed = reply.kind === 'silence' } = reply;
      this.fail(id, message, {
        ...(sent === undefined ? {} : { sent }),
        ...(received === undefined ? {} : { received }),
        expected,
        timed,
      });
    }
  }
}

/** What a judgement shows: a reply, or texts. Silence is a matter of time, and tried again. */
export interface Shown {
  readonly sent?: string;
  readonly received?: string;
  readonly kind?: string;
  readonly timed?: boolean;
}
