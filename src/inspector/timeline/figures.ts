/** Requests, failures and latencies, by server and hop, for the last five minutes. */

import type { FigureSecond, Figures } from '../api.js';
import type { StoredMessage } from './stored.js';

const MAX_SECONDS = 300;
const MAX_LATENCIES = 1_000;
/** Latencies of one second that are kept for its middle. */
const MAX_IN_SECOND = 200;
/** Chains and servers come and go; figures of the oldest are given up. */
const MAX_SERIES = 200;

export class FigureBook {
  readonly #series = new Map<string, Series>();

  asked(request: StoredMessage): void {
    this.#of(request).asked(request.at);
  }

  answered(request: StoredMessage, answer: StoredMessage): void {
    // One that was invalid has been counted.
    const failed = answer.failed && !request.failed;
    this.#of(request).answered(answer.at, answer.at - request.at, failed);
  }

  /** It will not be answered any more. */
  lost(request: StoredMessage, at: number): void {
    this.#of(request).lost(at);
  }

  /** It was answered, and what was said breaks the schema. */
  invalid(request: StoredMessage, at: number): void {
    this.#of(request).invalid(at);
  }

  /** Its sender gave it up, which is no failure of the server. */
  cancelled(request: StoredMessage): void {
    this.#of(request).forgotten();
  }

  /** Its answer will not be recognised. */
  forgotten(request: StoredMessage): void {
    this.#of(request).forgotten();
  }

  all(): Figures[] {
    return [...this.#series.values()].map((series) => series.view());
  }

  forget(server: string): void {
    for (const [key, series] of this.#series) if (series.server === server) this.#series.delete(key);
  }

  #of(message: StoredMessage): Series {
    const { server, hop, upstream } = message;
    const key = `${server}\n${hop}\n${upstream ?? ''}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      const [oldest] = this.#series.keys();
      if (this.#series.size >= MAX_SERIES && oldest !== undefined) this.#series.delete(oldest);
      series = new Series(message);
      this.#series.set(key, series);
    }
    return series;
  }
}

interface Second {
  readonly at: number;
  requests: number;
  failures: number;
  latencies: number[];
  max: number;
}

class Series {
  readonly server: string;
  readonly #hop: Figures['hop'];
  readonly #upstream: string | undefined;
  readonly #seconds: Second[] = [];
  readonly #latencies: number[] = [];
  #oldest = 0;
  #requests = 0;
  #failures = 0;
  #waiting = 0;

  constructor({ server, hop, upstream }: StoredMessage) {
    this.server = server;
    this.#hop = hop;
    this.#upstream = upstream;
  }

  asked(at: number): void {
    this.#requests += 1;
    this.#waiting += 1;
    this.#second(at).requests += 1;
  }

  answered(at: number, latency: number, failed: boolean): void {
    this.#waiting -= 1;
    if (this.#latencies.length < MAX_LATENCIES) this.#latencies.push(latency);
    else this.#latencies[this.#oldest] = latency;
    this.#oldest = (this.#oldest + 1) % MAX_LATENCIES;
    const second = this.#second(at);
    if (second.latencies.length < MAX_IN_SECOND) second.latencies.push(latency);
    second.max = Math.max(second.max, latency);
    if (!failed) return;
    this.#failures += 1;
    second.failures += 1;
  }

  invalid(at: number): void {
    this.#failures += 1;
    this.#second(at).failures += 1;
  }

  lost(at: number): void {
    this.#waiting -= 1;
    this.#failures += 1;
    this.#second(at).failures += 1;
  }

  forgotten(): void {
    this.#waiting -= 1;
  }

  view(): Figures {
    const sorted = this.#latencies.toSorted((left, right) => left - right);
    const max = sorted.at(-1);
    return {
      server: this.server,
      hop: this.#hop,
      ...(this.#upstream === undefined ? {} : { upstream: this.#upstream }),
      requests: this.#requests,
      failures: this.#failures,
      waiting: Math.max(0, this.#waiting),
      ...(max === undefined
        ? {}
        : { latency: { p50: share(sorted, 0.5), p95: share(sorted, 0.95), p99: share(sorted, 0.99), max } }),
      seconds: this.#seconds.map(viewOf),
    };
  }

  #second(at: number): Second {
    const whole = Math.floor(at / 1_000);
    const last = this.#seconds.at(-1);
    // Clocks may go back; what is late counts for the newest second.
    if (last !== undefined && last.at >= whole) return last;
    const second: Second = { at: whole, requests: 0, failures: 0, latencies: [], max: 0 };
    this.#seconds.push(second);
    while ((this.#seconds[0]?.at ?? whole) <= whole - MAX_SECONDS) this.#seconds.shift();
    return second;
  }
}

function viewOf({ at, requests, failures, latencies, max }: Second): FigureSecond {
  return {
    at,
    requests,
    failures,
    p50: share(
      latencies.toSorted((left, right) => left - right),
      0.5,
    ),
    max,
  };
}

function share(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
