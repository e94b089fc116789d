/** How a person gets to the authorization server's pages, and back. */

import type { Awaitable } from '../../protocol/awaitable.js';
import type { Duration } from '../../protocol/duration.js';

export interface Login {
  /** Where to send the person. */
  readonly url: URL;
  /** The MCP server that they want to use. */
  readonly server: URL;
  readonly issuer: string;
}

export interface Redirect {
  /** Where the authorization server sends the person back to. */
  readonly redirectUri: string;
  /** Resolves with the whole URL that they came back with. */
  authorize(login: Login): Promise<URL>;
  /** Called at the end, whatever happened. */
  close?(succeeded: boolean): Awaitable<void>;
}

/** Takes a person to the pages of the authorization server, and back. */
export interface Interaction {
  /** `preferred` is the redirect URI that we are registered with; another one is registered anew. */
  open(preferred: string | undefined): Awaitable<Redirect>;
}

export interface LoopbackOptions {
  /** The port to wait on. Default: a free one. */
  readonly port?: number | undefined;
  /** Shows the URL to the person. Default: opens the browser and writes to stderr. */
  readonly show?: ((login: Login) => Awaitable<void>) | undefined;
  /** How long the person may take. Default: 5 min. */
  readonly timeout?: Duration | undefined;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** Opens the browser and waits for it on this machine (RFC 8252). Node only. */
export function loopback(options: LoopbackOptions = {}): Interaction {
  return {
    open: async (preferred) => {
      const { openLoopback } = await import('./node-loopback.js');
      return openLoopback(preferred, options);
    },
  };
}
