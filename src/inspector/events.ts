/** Carries events from the rooms of the inspector to every page that is open. */

import type { InspectorEvent } from './api.js';

export type EventSink = (event: InspectorEvent) => void;

export class Broadcast {
  /** Each with what to do when nothing more will come. */
  readonly #sinks = new Map<EventSink, () => void>();

  get listeners(): number {
    return this.#sinks.size;
  }

  readonly emit: EventSink = (event) => {
    for (const sink of [...this.#sinks.keys()]) sink(event);
  };

  subscribe(sink: EventSink, ended: () => void): () => void {
    this.#sinks.set(sink, ended);
    return () => this.#sinks.delete(sink);
  }

  end(): void {
    for (const ended of [...this.#sinks.values()]) ended();
    this.#sinks.clear();
  }
}

/** Runs something soon, once, however often it was asked for meanwhile. */
export class Throttle {
  readonly #run: () => void;
  readonly #delayMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(delayMs: number, run: () => void) {
    this.#delayMs = delayMs;
    this.#run = run;
  }

  request(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#run();
    }, this.#delayMs);
    // The timer must not keep an otherwise idle process alive.
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
