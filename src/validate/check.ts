/** A check judges one requirement, or a few that the same exchange decides. */

import type { Probe } from './probe.js';
import { type Requirement, requirement } from './requirements/index.js';
import type { TransportKind } from './wire/connection.js';

/**
 * Where a check runs. `shared`: one after the other, on the session that these checks share. `own`: side by
 * side with others, on sessions that it opens itself. `alone`: after the others, because it changes the
 * server, loads it or measures it. `watch`: at the end, on everything that the others caused.
 */
export type Lane = 'shared' | 'own' | 'alone' | 'watch';

export interface Check {
  readonly requirements: readonly Requirement[];
  readonly transports: readonly TransportKind[];
  readonly lane: Lane;
  /**
   * Requirements that are judged by what each tool was seen to do, or by the messages of that: for them the tools are
   * watched one by one before.
   */
  readonly observes?: readonly string[];
  /** Relies on which other revisions the server speaks (`probe.spoken`). */
  readonly acrossRevisions?: boolean;
  run(probe: Probe): Promise<void> | void;
}

const EVERYWHERE: readonly TransportKind[] = ['stdio', 'http', 'sse'];

/** Ids are given as one text, separated by blanks. */
export function check(
  ids: string,
  run: Check['run'],
  transports: readonly TransportKind[] = EVERYWHERE,
  lane: Lane = 'shared',
): Check {
  return { requirements: ids.split(' ').map(requirement), transports, lane, run };
}

/** A check that opens sessions of its own, and leaves the shared one alone. */
export function ownCheck(
  ids: string,
  run: Check['run'],
  transports: readonly TransportKind[] = EVERYWHERE,
): Check {
  return check(ids, run, transports, 'own');
}

/** A check that no other one runs beside. */
export function loneCheck(
  ids: string,
  run: Check['run'],
  transports: readonly TransportKind[] = EVERYWHERE,
): Check {
  return check(ids, run, transports, 'alone');
}

/** A check of everything that was recorded. */
export function watch(
  ids: string,
  run: Check['run'],
  transports: readonly TransportKind[] = EVERYWHERE,
): Check {
  return check(ids, run, transports, 'watch');
}

/** A check that relies on what tools were seen to do (`probe.seen`): for all of its requirements, or for these. */
export function observing(given: Check, ids?: string): Check {
  return { ...given, observes: ids?.split(' ') ?? given.requirements.map(({ id }) => id) };
}

/** A check that relies on which other revisions the server speaks (`probe.spoken`). */
export function acrossRevisions(given: Check): Check {
  return { ...given, acrossRevisions: true };
}

export const OVER_STDIO: readonly TransportKind[] = ['stdio'];
export const OVER_HTTP: readonly TransportKind[] = ['http'];
export const OVER_SSE: readonly TransportKind[] = ['sse'];
