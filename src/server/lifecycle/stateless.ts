/** The stateless era: each request carries version, capabilities and identity in `_meta`, and stands alone. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { invalidParams, type ProtocolError, unsupportedVersion } from '../../protocol/errors.js';
import { parseImplementation } from '../../protocol/implementation.js';
import type { ClientCapabilities } from '../../protocol/model/capabilities.js';
import type { LogLevel } from '../../protocol/model/logging.js';
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_PROTOCOL_VERSION,
} from '../../protocol/model/meta.js';
import type { Revision } from '../../protocol/revisions/index.js';
import { isLogLevel, type Peer } from '../peer.js';

/** Whether a request is written in the stateless way, though perhaps not completely. */
export function hasEnvelope(params: JsonObject | undefined): boolean {
  const meta = params?._meta;
  return isRecord(meta) && (meta[META_PROTOCOL_VERSION] ?? meta[META_CLIENT_CAPABILITIES]) !== undefined;
}

/** The envelope of a request, complete but not yet judged. */
export interface Envelope {
  readonly version: string;
  readonly capabilities: JsonObject;
  readonly meta: JsonObject;
}

/** Reads the envelope, or returns the error that names what is missing from it. */
export function parseEnvelope(params: JsonObject | undefined): Envelope | ProtocolError {
  const meta = params?._meta;
  const version = isRecord(meta) ? meta[META_PROTOCOL_VERSION] : undefined;
  if (!isRecord(meta) || typeof version !== 'string') {
    return invalidParams(`params._meta needs "${META_PROTOCOL_VERSION}", a string`);
  }
  const capabilities = meta[META_CLIENT_CAPABILITIES];
  if (!isRecord(capabilities))
    return invalidParams(`params._meta needs "${META_CLIENT_CAPABILITIES}", an object`);
  return { version, capabilities, meta };
}

/** Who asks, and in which revision; or the error that refuses it. */
export function admitPeer(
  envelope: Envelope,
  supported: readonly Revision[],
  principal: string | undefined,
  account: string | undefined,
): Peer | ProtocolError {
  const { version, capabilities, meta } = envelope;
  const revision = supported.find((candidate) => candidate.version === version);
  if (revision === undefined) {
    // Handshake revisions are not named here: they cannot be spoken in an envelope, and the client would loop.
    return unsupportedVersion(
      version,
      supported.map((candidate) => candidate.version),
    );
  }
  const logLevel = meta[META_LOG_LEVEL];
  if (logLevel !== undefined && !isLogLevel(logLevel))
    return invalidParams(`"${META_LOG_LEVEL}" is not a log level`);
  return new StatelessPeer(revision, capabilities, meta, logLevel, principal, account);
}

class StatelessPeer implements Peer {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly logLevel: LogLevel | undefined;
  readonly principal: string | undefined;
  readonly sessionId: undefined;
  readonly account: string | undefined;
  readonly #meta: JsonObject;

  constructor(
    revision: Revision,
    capabilities: JsonObject,
    meta: JsonObject,
    logLevel: LogLevel | undefined,
    principal: string | undefined,
    account: string | undefined,
  ) {
    this.revision = revision;
    this.capabilities = capabilities as ClientCapabilities;
    this.#meta = meta;
    this.logLevel = logLevel;
    this.principal = principal;
    this.account = account;
  }

  get clientInfo(): ReturnType<typeof parseImplementation> {
    return parseImplementation(this.#meta[META_CLIENT_INFO]);
  }
}
