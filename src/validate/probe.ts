/** What a check works with: a server in one revision, what is known about it, and where to report. */

import type { JsonObject } from '../jsonrpc/message.js';
import type { Revision } from '../protocol/index.js';
import { type Catalogue, knowParameterHeaders, textOf } from './catalogue.js';
import type { Exercise, Use } from './exercise.js';
import type { Evidence, Outcomes } from './outcomes.js';
import { ordinal } from './requirements/index.js';
import { type Opened, type OpenOptions, openSession } from './session/open.js';
import type { Reply } from './session/reply.js';
import type { Session } from './session/session.js';
import type { Target } from './target.js';
import type { TransportKind } from './wire/connection.js';
import { Recorder } from './wire/recorder.js';

export interface ProbeSettings {
  /** How long an answer may take. */
  readonly timeoutMs: number;
  /** How long silence has to last before it counts as silence. */
  readonly quietMs: number;
  readonly callable: (tool: JsonObject) => boolean;
}

export interface ProbeParts {
  readonly target: Target;
  readonly revision: Revision;
  readonly recorder: Recorder;
  readonly outcomes: Outcomes;
  readonly settings: ProbeSettings;
  readonly shared: Opened;
  readonly catalogue: Catalogue;
  readonly exercise: Exercise;
  /** All revisions that this server speaks. */
  readonly spoken: readonly Revision[];
}

export class Probe {
  readonly target: Target;
  readonly revision: Revision;
  readonly recorder: Recorder;
  readonly outcomes: Outcomes;
  readonly settings: ProbeSettings;
  readonly catalogue: Catalogue;
  readonly exercise: Exercise;
  readonly spoken: readonly Revision[];
  readonly #opened = new Set<Session>();
  #shared: Opened;

  constructor(parts: ProbeParts) {
    this.target = parts.target;
    this.revision = parts.revision;
    this.recorder = parts.recorder;
    this.outcomes = parts.outcomes;
    this.settings = parts.settings;
    this.catalogue = parts.catalogue;
    this.exercise = parts.exercise;
    this.spoken = parts.spoken;
    this.#shared = parts.shared;
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

  get shared(): Session {
    return this.#shared.session;
  }

  get greeting(): Reply | undefined {
    return this.#shared.greeting;
  }

  /** The session that most checks share; a new one when the last was lost. */
  async session(): Promise<Session> {
    if (!this.#shared.session.connection.ended) return this.#shared.session;
    this.#shared = await openSession({ ...this, timeoutMs: this.settings.timeoutMs });
    knowParameterHeaders(this.#shared.session, this.catalogue);
    return this.#shared.session;
  }

  /** A session of its own for a check; closed when the check is over. */
  async open(options: OpenOptions = {}, revision: Revision = this.revision): Promise<Opened> {
    const { target, settings } = this;
    // Another revision has other rules: its traffic is not judged with ours.
    const recorder = revision === this.revision ? this.recorder : new Recorder();
    const opened = await openSession({ target, recorder, revision, timeoutMs: settings.timeoutMs }, options);
    this.#opened.add(opened.session);
    knowParameterHeaders(opened.session, this.catalogue);
    return opened;
  }

  async closeOpened(): Promise<void> {
    const sessions = [...this.#opened];
    this.#opened.clear();
    await Promise.all(sessions.map((session) => session.close()));
  }

  async close(): Promise<void> {
    await this.closeOpened();
    await this.#shared.session.close();
  }

  /** Tools that may be called. */
  get tools(): readonly JsonObject[] {
    return this.catalogue.tools.filter(this.settings.callable);
  }

  /** A use of a tool that went well, for checks that want to repeat one. */
  get goodCall(): Use | undefined {
    const good = this.exercise.calls.filter(
      ({ last }) =>
        last.kind === 'result' && last.result.isError !== true && last.result.content !== undefined,
    );
    return good.toSorted((a, b) => a.last.elapsedMs - b.last.elapsedMs)[0];
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

  fail(id: string, message: string, evidence: Evidence): void {
    this.outcomes.fail(id, message, evidence);
  }

  /** The usual shape of a check: what was said, what came back, and whether that is right. */
  judge(
    id: string,
    ok: boolean,
    message: string,
    expected: string,
    reply: { sent?: string; received?: string },
  ): void {
    if (ok) this.pass(id);
    else {
      const { sent, received } = reply;
      const evidence = {
        ...(sent === undefined ? {} : { sent }),
        ...(received === undefined ? {} : { received }),
        expected,
      };
      this.fail(id, message, evidence);
    }
  }
}
