/** The handshake era: `initialize` opens a session that later requests belong to. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { invalidParams, ProtocolError, unsupportedVersion } from '../../protocol/errors.js';
import { parseImplementation } from '../../protocol/implementation.js';
import type { ClientCapabilities } from '../../protocol/model/capabilities.js';
import type { InitializeResult } from '../../protocol/model/lifecycle.js';
import { findRevision, type Revision } from '../../protocol/revisions/index.js';
import type { ServerHost } from '../host.js';
import { Session } from '../session.js';

export interface SessionIdentity {
  readonly principal?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly account?: string | undefined;
  readonly passing?: boolean;
}

/** The session that `initialize` opens, or the error that refuses it. */
export function openSession(
  host: Pick<ServerHost, 'handshakeRevisions' | 'statelessRevisions' | 'limits'>,
  params: JsonObject,
  identity: SessionIdentity,
): Session | ProtocolError {
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
    clientInfo: parseImplementation(params.clientInfo),
    capabilities: isRecord(params.capabilities) ? (params.capabilities as ClientCapabilities) : {},
    ...identity,
  });
  if (session.bytes <= host.limits.sessionBytes) return session;
  return invalidParams(
    `"capabilities" and "clientInfo" take more than the ${host.limits.sessionBytes} bytes that a session may have`,
  );
}

/** Why a client is not served, for the answer to `initialize`. */
export function refusalOf(host: Pick<ServerHost, 'onError'>, error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  host.onError(error, 'initialize');
  return new ProtocolError('internal_error', 'Internal error');
}

/** The result of `initialize` for this session, encoded. */
export function writeIntroduction(host: ServerHost, session: Session): string {
  const { info, instructions } = host.introduction();
  const result: InitializeResult = {
    protocolVersion: session.revision.version,
    capabilities: host.capabilitiesFor(session),
    serverInfo: info,
    ...(instructions === undefined ? {} : { instructions }),
  };
  return host.writeResult(session.revision, 'initialize', result);
}

/** The requested revision if it is spoken here, otherwise the newest that is (Lifecycle, version negotiation). */
function agreeOn(requested: string, supported: readonly Revision[]): Revision | undefined {
  const wanted = findRevision(requested);
  return wanted !== undefined && supported.includes(wanted) ? wanted : supported.at(-1);
}
