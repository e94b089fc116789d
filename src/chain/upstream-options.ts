/** What can be said of a server behind a chain. */

import type { Duration } from '../protocol/duration.js';
import type { OptionNames } from '../protocol/option-names.js';
import type { InstanceOptions } from './instance.js';
import type { OnDrift } from './lock/guard.js';
import type { Surface } from './lock/surface.js';
import type { NamingRules } from './namespace.js';

export type Isolation = 'shared' | 'session' | 'principal';

export interface UpstreamOptions extends NamingRules {
  /** Which calls share a connection (and so a process): all, those of a session, or those of a principal. */
  readonly isolate?: Isolation | undefined;
  /**
   * How many processes of the server may run at once where it is isolated; 16 by default. Further callers wait, and
   * processes that are not in use give way to them. For a server that is not started as a command: connections, no
   * limit by default.
   */
  readonly maxProcesses?: number | undefined;
  /** Protocol revisions to use upstream; all of them by default. */
  readonly revisions?: readonly string[] | undefined;
  /** How long a call may take without progress. */
  readonly timeout?: Duration | undefined;
  /** How long the server may take to start and answer. Default: 60 s for a program, 70 s for others. */
  readonly initTimeout?: Duration | undefined;
  /** Headers, credentials and fetch for servers behind a URL. */
  readonly headers?: InstanceOptions['headers'];
  /** Credentials for a server behind a URL: `oauth()` and its relatives of `plumb-mcp/auth`. */
  readonly auth?: InstanceOptions['auth'];
  /** Used instead of the HTTP client of the runtime. */
  readonly fetch?: InstanceOptions['fetch'];
  /** What was approved (`readLock`): a server that shows something else is not used. */
  readonly lock?: Surface | undefined;
  /** What to do about a server that shows something else than its lock; `block` by default. */
  readonly onDrift?: OnDrift | undefined;
}

export const UPSTREAM_OPTIONS: OptionNames<UpstreamOptions> = {
  prefix: true,
  rename: true,
  include: true,
  exclude: true,
  priority: true,
  isolate: true,
  maxProcesses: true,
  revisions: true,
  timeout: true,
  initTimeout: true,
  headers: true,
  auth: true,
  fetch: true,
  lock: true,
  onDrift: true,
};
