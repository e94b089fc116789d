/** The handshake era: `initialize` opens a session that later requests belong to. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { invalidParams, type ProtocolError, unsupportedVersion } from '../../protocol/errors.js';
import type { Implementation } from '../../protocol/model/base.js';
import type { ClientCapabilities, ServerCapabilities } from '../../protocol/model/capabilities.js';
import type { InitializeResult } from '../../protocol/model/lifecycle.js';
import { findRevision, type Revision } from '../../protocol/revisions/index.js';
import { Session } from '../session.js';

export interface HandshakeHost {
  /** The handshake revisions this server speaks, oldest first. */
  readonly handshakeRevisions: readonly Revision[];
  readonly statelessRevisions: readonly Revision[];
  readonly serverInfo: Implementation;
  readonly instructions: string | undefined;
  capabilities(): ServerCapabilities;
}

export interface Opened {
  readonly session: Session;
  readonly result: JsonObject;
}

export interface SessionIdentity {
  readonly principal?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** Answers `initialize`: the session with the result, or the error that refuses it. */
export function openSession(
  host: HandshakeHost,
  params: JsonObject,
  identity: SessionIdentity,
): Opened | ProtocolError {
  const requested = params.protocolVersion;
  if (typeof requested !== 'string') return invalidParams('initialize needs a string "protocolVersion"');
  const revision = agreeOn(requested, host.handshakeRevisions);
  if (revision === undefined) {
    return unsupportedVersion(
      requested,
      host.statelessRevisions.map(({ version }) => version),
    );
  }
  const session = new Session({
    revision,
    clientInfo: readImplementation(params.clientInfo),
    capabilities: isRecord(params.capabilities) ? (params.capabilities as ClientCapabilities) : {},
    ...identity,
  });
  const result: InitializeResult = {
    protocolVersion: revision.version,
    capabilities: host.capabilities(),
    serverInfo: host.serverInfo,
    ...(host.instructions === undefined ? {} : { instructions: host.instructions }),
  };
  return { session, result };
}

/** The requested revision if it is spoken here, otherwise the newest that is (Lifecycle, version negotiation). */
function agreeOn(requested: string, supported: readonly Revision[]): Revision | undefined {
  const wanted = findRevision(requested);
  return wanted !== undefined && supported.includes(wanted) ? wanted : supported.at(-1);
}

export function readImplementation(value: unknown): Implementation | undefined {
  if (!isRecord(value) || typeof value.name !== 'string') return undefined;
  return { ...value, name: value.name, version: typeof value.version === 'string' ? value.version : '' };
}
