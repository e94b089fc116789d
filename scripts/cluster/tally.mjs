/** What happened, in numbers. Wrong and lost must stay at zero; the rest shows how hard it was. */

/**
 * @typedef {object} Write
 * @property {number} startedAt
 * @property {number} [acknowledgedAt]
 * @property {number} attempts
 */

export class Tally {
  finished = 0;
  /** Clients that have made all of their calls, and wait for the end of the storm. */
  through = 0;
  calls = 0;
  /** Calls that failed with a clean error and were made again. */
  retried = 0;
  /** Calls that had no answer in time; a client of the official SDK that lost a stream before its first event. */
  timedOut = 0;
  progress = 0;
  questions = 0;
  updates = 0;
  /** @type {string[]} */
  wrong = [];
  /** @type {string[]} */
  lost = [];
  /** Clients that had their last updates later than they should. @type {string[]} */
  late = [];
  /** Clients that missed updates. @type {import('./history.mjs').Loss[]} */
  losses = [];
  /** @type {string[]} */
  duplicated = [];
  /** @type {string[]} */
  unfinished = [];
  /** @type {Map<string, number>} */
  reasons = new Map();
  /** @type {Write[]} */
  writes = [];

  /** Grows with everything that gets done. */
  get steps() {
    return this.finished + this.progress + this.questions + this.updates;
  }

  /** @param {unknown} error */
  reason(error) {
    const text = describe(error).slice(0, 110);
    this.reasons.set(text, (this.reasons.get(text) ?? 0) + 1);
  }

  get ok() {
    return [this.wrong, this.lost, this.duplicated, this.unfinished].every((list) => list.length === 0);
  }

  /**
   * How many updates a session must have, and may have: a write whose answer was lost may or may not have been
   * announced, and so may one from before the subscription that the session hears of with the first that it catches
   * up with.
   *
   * @param {number} connecting  when it began to connect
   * @param {number} subscribed  when it knew that it had subscribed
   */
  expected(connecting, subscribed) {
    const acknowledged = this.writes.filter(
      (write) => write.startedAt >= subscribed && write.acknowledgedAt !== undefined,
    );
    const possible = this.writes.filter((write) => (write.acknowledgedAt ?? Infinity) >= connecting);
    return {
      least: acknowledged.length,
      most: possible.reduce((sum, { attempts }) => sum + attempts, 0),
    };
  }
}

/** @param {unknown} error */
export function describe(error) {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.message}${cause}`.replaceAll(/[0-9a-f-]{36}|127\.0\.0\.1:\d+/g, '…');
}
