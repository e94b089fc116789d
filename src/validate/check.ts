/** A check judges one requirement, or a few that the same exchange decides. */

import type { Probe } from './probe.js';
import { type Requirement, requirement } from './requirements/index.js';
import type { TransportKind } from './wire/connection.js';

export interface Check {
  readonly requirements: readonly Requirement[];
  readonly transports: readonly TransportKind[];
  run(probe: Probe): Promise<void> | void;
}

const EVERYWHERE: readonly TransportKind[] = ['stdio', 'http', 'sse'];

/** Ids are given as one text, separated by blanks. */
export function check(
  ids: string,
  run: Check['run'],
  transports: readonly TransportKind[] = EVERYWHERE,
): Check {
  return { requirements: ids.split(' ').map(requirement), transports, run };
}

export const OVER_STDIO: readonly TransportKind[] = ['stdio'];
export const OVER_HTTP: readonly TransportKind[] = ['http'];
export const OVER_SSE: readonly TransportKind[] = ['sse'];
