/** How a server, a chain or a client is closed. */

import type { Duration } from './duration.js';

export interface CloseOptions {
  /** How long running calls may go on. Default: 5 s for a server and a chain, not at all for a client. */
  readonly drain?: Duration | undefined;
}
