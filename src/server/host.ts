/** What the lifecycles and transports need of a server; the author's API is in server.ts. */

import type { JsonObject } from '../jsonrpc/message.js';
import type { Caller } from '../middleware/compose.js';
import type { MirroredParameter } from '../protocol/mirrored-headers.js';
import type { Implementation } from '../protocol/model/base.js';
import type { ServerCapabilities } from '../protocol/model/capabilities.js';
import type { Revision } from '../protocol/revisions/index.js';
import type { Admission } from './admission.js';
import type { Dispatcher } from './dispatcher.js';
import type { ErrorHandler } from './error-report.js';
import type { ChangeHub } from './hub.js';
import type { LimitNumbers } from './limits.js';
import type { Session } from './session.js';

/** What a server says of itself. */
export interface Introduction {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities;
}

export interface ServerHost {
  /** The revisions this server speaks, oldest first. */
  readonly handshakeRevisions: readonly Revision[];
  readonly statelessRevisions: readonly Revision[];
  readonly dispatcher: Dispatcher;
  readonly hub: ChangeHub;
  readonly limits: LimitNumbers;
  readonly admission: Admission;
  readonly stats: ServerStats;
  readonly newestRevision: Revision;
  introduction(): Introduction;
  /** What is declared to this client of the handshake era. */
  capabilitiesFor(session: Session): ServerCapabilities;
  /** Methods that exist in the stateless revisions and in no handshake revision, and the other way round. */
  isStatelessMethod(method: string): boolean;
  isHandshakeMethod(method: string): boolean;
  writeResult(revision: Revision, method: string, result: JsonObject): string;
  /** A notification of a handshake client that no lifecycle consumed. */
  notified(method: string, params: JsonObject, caller: Caller, session: Session): void;
  /** The arguments of a tool that HTTP headers repeat. */
  mirroredParameters(tool: string): readonly MirroredParameter[] | undefined;
  /** The scopes without which a tool may not be called. */
  requiredScopes(tool: string): readonly string[] | undefined;
  /** A client has said hello; its answer waits for the promise, if there is one. */
  opened(session: Session): Promise<void> | undefined;
  /** A session is over: itself where it lived with its connection, its id where it did not. */
  ended(session: Session | string): void;
  onError: ErrorHandler;
  countLost(): void;
}

export interface ServerStats {
  /** Input that was no JSON-RPC message. */
  malformed: number;
  /** Lines too long, noise, and other faults of transports. */
  faults: number;
  /** Messages that could not be written because the client was gone or did not read. */
  lost: number;
}
