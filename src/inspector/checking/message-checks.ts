/**
 * Checks every recorded message against the schema of its revision, behind the traffic: in short slices, so that the
 * process, which may be a proxy at work, is never held up; and bounded, so that a flood is not checked in full.
 */

import type { StoredMessage } from '../timeline/stored.js';
import type { Timeline } from '../timeline/timeline.js';
import { checkMessage } from './check-message.js';

/** Messages that wait to be checked; what comes beyond stays unchecked. */
const MAX_WAITING = 5_000;
/** Longer texts take too long to read. */
const MAX_CHARACTERS = 256 * 1024;
const SLICE_MS = 4;
const PAUSE_MS = 10;

export class MessageChecks {
  readonly #timeline: () => Timeline;
  readonly #failed: (request: StoredMessage) => void;
  #waiting: number[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `failed` is called with each request that fails only because of what is wrong with its messages. */
  constructor(timeline: () => Timeline, failed: (request: StoredMessage) => void) {
    this.#timeline = timeline;
    this.#failed = failed;
  }

  /** What the validator sends is wrong on purpose, and what was imported was checked where it happened. */
  add({ seq, source, kind, text, truncated }: StoredMessage): void {
    if (source !== 'inspector' && source !== 'chain') return;
    if (kind !== 'request' && kind !== 'notification' && kind !== 'result') return;
    if (truncated || text.length > MAX_CHARACTERS || this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push(seq);
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#work(), PAUSE_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
  }

  #work(): void {
    const timeline = this.#timeline();
    const end = performance.now() + SLICE_MS;
    let done = 0;
    while (done < this.#waiting.length && performance.now() < end) {
      const seq = this.#waiting[done] ?? 0;
      done += 1;
      const message = timeline.get(seq);
      const problems = message === undefined ? [] : checkMessage(message);
      const request = problems.length > 0 ? timeline.broke(seq, problems) : undefined;
      if (request !== undefined) this.#failed(request);
    }
    this.#waiting = this.#waiting.slice(done);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    this.#timer = setTimeout(() => this.#work(), PAUSE_MS);
    this.#timer.unref();
  }
}
