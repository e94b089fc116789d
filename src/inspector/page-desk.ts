/** What users type and mark in pages, kept here so that a reload, a second tab or the back button lose none of it. */

import { weigh } from '../store/budget.js';
import type { EventSink } from './events.js';
import { invalid } from './failure.js';

const MAX_DRAFTS = 500;
const MAX_DRAFT_BYTES = 1024 * 1024;
/** Of all drafts: every page that opens gets them. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_PINS = 50;

export class PageDesk {
  readonly #emit: EventSink;
  readonly #drafts = new Map<string, { readonly value: unknown; readonly bytes: number }>();
  #bytes = 0;
  #pins: readonly number[] = [];

  constructor(emit: EventSink) {
    this.#emit = emit;
  }

  get pins(): readonly number[] {
    return this.#pins;
  }

  drafts(): Readonly<Record<string, unknown>> {
    return Object.fromEntries([...this.#drafts].map(([place, { value }]) => [place, value]));
  }

  /** Null or undefined forgets it. */
  draft(place: string, value: unknown, page: string): void {
    const bytes = weigh(value);
    if (bytes > MAX_DRAFT_BYTES) throw invalid('What was typed is too long to be kept');
    this.#forget(place);
    if (value !== undefined && value !== null) {
      this.#drafts.set(place, { value, bytes });
      this.#bytes += bytes;
    }
    while (this.#drafts.size > MAX_DRAFTS || this.#bytes > MAX_BYTES) {
      const [oldest] = this.#drafts.keys();
      if (oldest === undefined) break;
      this.#forget(oldest);
    }
    this.#emit({ type: 'draft', place, value: value ?? null, page });
  }

  #forget(place: string): void {
    this.#bytes -= this.#drafts.get(place)?.bytes ?? 0;
    this.#drafts.delete(place);
  }

  pin(seqs: readonly number[]): void {
    this.#pins = seqs.slice(-MAX_PINS);
    this.#emit({ type: 'pins', pins: this.#pins });
  }
}
