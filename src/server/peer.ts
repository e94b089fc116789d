/** The client of a call, as the server sees it. */

import type { Caller } from '../middleware/compose.js';
import type { AuthInfo } from '../protocol/authorization.js';
import type { Implementation } from '../protocol/model/base.js';
import type { ClientCapabilities } from '../protocol/model/capabilities.js';
import { LOG_LEVELS, type LogLevel } from '../protocol/model/logging.js';
import type { Revision } from '../protocol/revisions/index.js';

export interface Peer {
  readonly revision: Revision;
  readonly clientInfo: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly principal: string | undefined;
  readonly sessionId: string | undefined;
  /** What it makes the server keep is charged to this: its principal, or its address; undefined where neither is known. */
  readonly account: string | undefined;
  /** A client of the handshake era that is served without a session: it is known for one request alone. */
  readonly passing?: boolean;
  /** Log messages below this level are not sent; undefined sends none. */
  readonly logLevel: LogLevel | undefined;
}

/** `auth` belongs to the call and not to the peer: a session outlives the token that opened it. */
export function callerOf(peer: Peer, auth?: AuthInfo): Caller {
  const caller: Caller = {
    revision: peer.revision.version,
    client: peer.clientInfo,
    capabilities: peer.capabilities,
    principal: peer.principal,
    sessionId: peer.sessionId,
  };
  return auth === undefined ? caller : { ...caller, auth };
}

export function isLogLevel(value: unknown): value is LogLevel {
  return typeof value === 'string' && (LOG_LEVELS as readonly string[]).includes(value);
}

/** For code that no compiler has read: `warn` is a level elsewhere. */
export function assertLogLevel(level: LogLevel): void {
  if (!LOG_LEVELS.includes(level))
    throw new TypeError(`"${level}" is not a log level; levels are ${LOG_LEVELS.join(', ')}`);
}

export function wantsLog(peer: Peer, level: LogLevel): boolean {
  return peer.logLevel !== undefined && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(peer.logLevel);
}
