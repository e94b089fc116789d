/** What users type and mark in pages, kept here so that a reload, a second tab or the back button lose none of it. */

import { weigh } from '../store/budget.js';
import type { EventSink } from './events.js';
import { invalid } from './failure.js';

const MAX_DRAFTS = 500;
const MAX_DRAFT_BYTES = 1024 * 1024;
const MAX_PINS = 50;

export class PageDesk {
  readonly #emit: EventSink;
  readonly #drafts = new Map<string, unknown>();
  #pins: readonly number[] = [];

  constructor(emit: EventSink) {
    this.#emit = emit;
  }

  get pins(): readonly number[] {
    return this.#pins;
  }

  drafts(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.#drafts);
  }

  /** Null or undefined forgets it. */
  draft(place: string, value: unknown, page: string): void {
    if (weigh(value) > MAX_DRAFT_BYTES) throw invalid('What was typed is too long to be kept');
    this.#drafts.delete(place);
    if (value !== undefined && value !== null) this.#drafts.set(place, value);
    const [oldest] = this.#drafts.keys();
    if (this.#drafts.size > MAX_DRAFTS && oldest !== undefined) this.#drafts.delete(oldest);
    this.#emit({ type: 'draft', place, value: value ?? null, page });
  }

  pin(seqs: readonly number[]): void {
    this.#pins = seqs.slice(-MAX_PINS);
    this.#emit({ type: 'pins', pins: this.#pins });
  }
}
