/**
 * The server's questions that are not answered yet, counted and weighed. A question is open until its answer has left:
 * over HTTP that is a request of its own, which the server may keep waiting.
 */

import type { Settings } from '../options.js';

export type QuestionLimits = Pick<Settings, 'maxQuestions' | 'maxQuestionBytes'>;

/** Refusals on their way at the same time; a server that does not take them gets no more. */
const MAX_REFUSALS = 100;

export class OpenQuestions {
  readonly #limits: QuestionLimits;
  #count = 0;
  #bytes = 0;
  #refusals = 0;
  #isOver = false;

  constructor(limits: QuestionLimits) {
    this.#limits = limits;
  }

  /** Whether there is room for one more; then `closed` is to be called for it. */
  opened(bytes: number): boolean {
    const { maxQuestions, maxQuestionBytes } = this.#limits;
    if (this.#count >= maxQuestions || (this.#count > 0 && this.#bytes + bytes > maxQuestionBytes))
      return false;
    this.#count += 1;
    this.#bytes += bytes;
    return true;
  }

  closed(bytes: number): void {
    this.#count -= 1;
    this.#bytes -= bytes;
    this.#isOver = false;
  }

  /** True for the first refusal since there was room: one report is enough for all that follow. */
  isFirstRefusal(): boolean {
    const isFirst = !this.#isOver;
    this.#isOver = true;
    return isFirst;
  }

  /** Whether one more refusal may be sent; then `refused` is to be called for it. */
  refusing(): boolean {
    if (this.#refusals >= MAX_REFUSALS) return false;
    this.#refusals += 1;
    return true;
  }

  refused(): void {
    this.#refusals -= 1;
  }

  get reason(): string {
    const { maxQuestions, maxQuestionBytes } = this.#limits;
    return `Too many questions at once; this client answers ${maxQuestions} of them, or ${maxQuestionBytes} bytes, at a time`;
  }
}
