/**
 * Who is talking, and in which revision: settled once by `initialize` until 2025-11-25,
 * stated on every request and discoverable since 2026-07-28.
 */

import type { CacheHints, Implementation, Result } from './base.js';
import type { ClientCapabilities, ServerCapabilities } from './capabilities.js';
import type { RequestMeta } from './meta.js';

/** Until 2025-11-25. */
export type InitializeParams = {
  _meta?: RequestMeta;
  /** The revision that the client would like. */
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
};

/** Until 2025-11-25. */
export type InitializeResult = Result & {
  /** The revision that the server chose; a client that cannot speak it hangs up. */
  protocolVersion: string;
  capabilities: ServerCapabilities;
  serverInfo: Implementation;
  /** How to use this server, for the model. */
  instructions?: string;
};

/** Since 2026-07-28. The server's name is in `_meta`, as on every result. */
export type DiscoverResult = Result &
  CacheHints & {
    /** May name revisions that need the handshake. */
    supportedVersions: string[];
    capabilities: ServerCapabilities;
    /** How to use this server, for the model. */
    instructions?: string;
  };
