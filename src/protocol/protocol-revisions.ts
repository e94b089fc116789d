/** The published revisions of the protocol, as users see them. Their rules stay inside. */

import { REVISIONS } from './revisions/index.js';

/** A published revision of the protocol. */
export interface ProtocolRevision {
  /** Its date, as it stands in messages. */
  readonly version: string;
  /** Whether clients open a session with `initialize`, or send everything with each request. */
  readonly lifecycle: 'handshake' | 'stateless';
}

/** Every revision that Plumb speaks, oldest first. */
export const PROTOCOL_REVISIONS: readonly ProtocolRevision[] = REVISIONS;
