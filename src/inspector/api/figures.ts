/** How fast and how reliable: figures for charts, for every server and every hop. */

import type { ServerId } from './servers.js';
import type { Hop } from './timeline.js';

export interface Figures {
  readonly server: ServerId;
  readonly hop: Hop;
  /** Behind a chain: the name of the server there. */
  readonly upstream?: string;
  readonly requests: number;
  readonly failures: number;
  readonly waiting: number;
  /** Of the last 1,000 answers, in milliseconds; absent before the first. */
  readonly latency?: {
    readonly p50: number;
    readonly p95: number;
    readonly p99: number;
    readonly max: number;
  };
  /** One a second, oldest first, for at most five minutes; seconds in which nothing happened are left out. */
  readonly seconds: readonly FigureSecond[];
}

export interface FigureSecond {
  /** Whole seconds since 1970. */
  readonly at: number;
  readonly requests: number;
  readonly failures: number;
  /** The middle and the worst latency of the answers in this second, in milliseconds. */
  readonly p50: number;
  readonly max: number;
}
