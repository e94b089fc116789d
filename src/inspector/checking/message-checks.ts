/**
 * Checks every recorded message against the schema of its revision, behind the traffic: in a thread of its own, so that the
 * process, which may be a proxy at work, is never held up; and bounded, so that a flood is not checked in full.
 */

import type { StoredMessage } from '../timeline/stored.js';
import type { Timeline } from '../timeline/timeline.js';
import { type CheckJob, CheckThread, type CheckThreadOptions } from './check-thread.js';

/** Messages that wait to be checked; what comes beyond stays unchecked. */
const MAX_WAITING = 5_000;
/** Longer texts stay unchecked: handing them over would take longer than reading them. */
const MAX_CHARACTERS = 256 * 1024;
const BATCH = { messages: 100, characters: 512 * 1024 };
/** What comes within this time goes to the thread together. */
const PAUSE_MS = 10;

export class MessageChecks {
  readonly #timeline: () => Timeline;
  readonly #failed: (request: StoredMessage) => void;
  readonly #options: CheckThreadOptions;
  #thread: CheckThread | undefined;
  /** Numbers alone: the texts are the timeline's, which is bounded. */
  #waiting: number[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #checking = false;
  #stopped = false;

  /** `failed` is called with each request that fails only because of what is wrong with its messages. */
  constructor(
    timeline: () => Timeline,
    failed: (request: StoredMessage) => void,
    options: CheckThreadOptions = {},
  ) {
    this.#timeline = timeline;
    this.#failed = failed;
    this.#options = options;
  }

  /** What the validator sends is wrong on purpose, and what was imported was checked where it happened. */
  add({ seq, source, kind, text, truncated, method, revision }: StoredMessage): void {
    if (this.#stopped || (source !== 'inspector' && source !== 'chain')) return;
    if (kind !== 'request' && kind !== 'notification' && kind !== 'result') return;
    if (method === undefined || revision === undefined) return;
    if (truncated || text.length > MAX_CHARACTERS || this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push(seq);
    this.#soon();
  }

  /** For good: what is said while everything closes would start another thread, and keep the process alive. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
    this.#thread?.stop();
    this.#thread = undefined;
  }

  #soon(): void {
    if (this.#timer !== undefined || this.#checking || this.#waiting.length === 0) return;
    this.#timer = setTimeout(() => void this.#work(), PAUSE_MS);
    this.#timer.unref();
  }

  async #work(): Promise<void> {
    this.#timer = undefined;
    this.#checking = true;
    this.#thread ??= new CheckThread(this.#options);
    const { broken } = await this.#thread.check(this.#nextBatch());
    this.#checking = false;
    const timeline = this.#timeline();
    for (const { seq, problems } of broken) {
      const request = timeline.broke(seq, problems);
      if (request !== undefined) this.#failed(request);
    }
    this.#soon();
  }

  #nextBatch(): CheckJob[] {
    const timeline = this.#timeline();
    const jobs: CheckJob[] = [];
    let taken = 0;
    let characters = 0;
    for (const seq of this.#waiting) {
      if (taken === BATCH.messages || characters > BATCH.characters) break;
      taken += 1;
      const message = timeline.get(seq);
      if (message === undefined) continue;
      const { method, revision, kind, direction, text } = message;
      characters += text.length;
      jobs.push({ seq, method, revision, kind, direction, text });
    }
    this.#waiting = this.#waiting.slice(taken);
    return jobs;
  }
}
