/** What happens to the servers behind a chain, for operators. */

import type { CloseReason } from '../transports/transport.js';
import type { Drift } from './lock/drift.js';

interface OfServer {
  readonly server: string;
}

/** It has not answered yet. */
export interface ServerStarting extends OfServer {
  readonly type: 'starting';
  readonly afterMs: number;
  readonly limitMs: number;
  /** The end of what it wrote to stderr. */
  readonly stderr: string;
}

/** It answers again after a failure, or at last after a slow start. */
export interface ServerReady extends OfServer {
  readonly type: 'ready';
  readonly afterMs: number;
}

/** It could not be started or reached. */
export interface ServerStartFailed extends OfServer {
  readonly type: 'start_failed';
  readonly error: unknown;
  readonly stderr: string;
  /** Failures in a row, this one included. */
  readonly failures: number;
  /** How many there may be before it is only tried for calls; undefined: any number. */
  readonly limit: number | undefined;
  /** How long it is not tried again. */
  readonly waitMs: number;
}

/** It was connected, and is not any more. */
export interface ServerLost extends OfServer {
  readonly type: 'lost';
  readonly reason: CloseReason;
  readonly stderr: string;
}

/** A call to it failed for other reasons than an error that it answered with. */
export interface ServerCallFailed extends OfServer {
  readonly type: 'call_failed';
  readonly method: string;
  readonly error: unknown;
}

/** It shows something else than its lock. */
export interface ServerDrifted extends OfServer {
  readonly type: 'drifted';
  /** Nothing of it is used until the configuration is read again. */
  readonly blocked: boolean;
  readonly drift: readonly Drift[];
  readonly error: unknown;
}

/**
 * What happens to a server behind a chain: it starts, is ready, fails, is lost, or shows something else than its lock.
 */
export type ServerEvent =
  | ServerStarting
  | ServerReady
  | ServerStartFailed
  | ServerLost
  | ServerCallFailed
  | ServerDrifted;
