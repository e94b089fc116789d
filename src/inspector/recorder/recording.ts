/** Everything that recorders write to. */

import type { FigureBook } from '../timeline/figures.js';
import type { Timeline } from '../timeline/timeline.js';
import { Rounds } from './rounds.js';
import { SentRequests } from './sent-requests.js';

export class Recording {
  readonly timeline: Timeline;
  readonly figures: FigureBook;
  readonly rounds: Rounds = new Rounds();
  readonly sent: SentRequests = new SentRequests();
  #exchanges = 0;

  constructor(timeline: Timeline, figures: FigureBook) {
    this.timeline = timeline;
    this.figures = figures;
  }

  nextExchange(): number {
    this.#exchanges += 1;
    return this.#exchanges;
  }

  /** Milliseconds since 1970 with a fraction: the order within a millisecond matters here. */
  now(): number {
    return performance.timeOrigin + performance.now();
  }
}
