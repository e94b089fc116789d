/** Carries events from the rooms of the inspector to every page that is open. */

import type { InspectorEvent } from './api.js';

export type EventSink = (event: InspectorEvent) => void;

export class Broadcast {
  readonly #sinks = new Set<EventSink>();

  get listeners(): number {
    return this.#sinks.size;
  }

  readonly emit: EventSink = (event) => {
    for (const sink of [...this.#sinks]) sink(event);
  };

  subscribe(sink: EventSink): () => void {
    this.#sinks.add(sink);
    return () => this.#sinks.delete(sink);
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
    // Nobody waits for news of a process that has nothing else to do.
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
