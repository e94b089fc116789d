/** Servers: where they come from, how their connection stands, what they said about themselves. */

import type { Implementation } from '../../protocol/model/base.js';
import type { ServerCapabilities } from '../../protocol/model/capabilities.js';
import type { LogLevel } from '../../protocol/model/logging.js';
import type { Root } from '../../protocol/model/roots.js';

export type ServerId = string;

/** A failure, for people: the code is stable, the message says what to do next. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** The `data` of a protocol error, and its number. */
  readonly rpcCode?: number;
  readonly data?: unknown;
  /** True where logging in would help. */
  readonly needsLogin?: boolean;
}

export type ServerAddress =
  /** Values of headers are masked. */
  | { readonly kind: 'url'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd?: string;
      /** Names of variables; their values stay in the process. */
      readonly env: readonly string[];
    };

/** A change of a server: its address as a whole, and its settings. Values that are masks stay as they were. */
export type EditServer = { readonly server: ServerId } & Exclude<AddServer, { readonly kind: 'config' }>;

/** What can be set for a server besides its address. */
export interface InspectedServerSettings {
  /** How long a program may take to start and answer, in milliseconds. Default: 60 s. */
  readonly startTimeoutMs?: number;
  /** How long calls are waited for, in milliseconds; 0 waits without end. Default: 60 s. */
  readonly callTimeoutMs?: number;
  readonly oauth?: OAuthSettings;
}

/** What is used for logins instead of what is discovered. */
export interface OAuthSettings {
  readonly clientId?: string;
  /** In views: a mask where there is one. Sent back as it is, it stays. */
  readonly clientSecret?: string;
  /** The authorization server that the client is registered with. Default: the one that the server names. */
  readonly issuer?: string;
  readonly scopes?: readonly string[];
  readonly resource?: string;
}

export type ServerSource =
  | { readonly kind: 'command line' }
  | { readonly kind: 'page' }
  /** Kept from an earlier run. */
  | { readonly kind: 'saved' }
  | { readonly kind: 'config'; readonly path: string; readonly client: string };

export type EraName = 'handshake' | 'stateless';
export type TransportName = 'stdio' | 'http' | 'sse' | 'memory';

/** The states of the client's machine; `idle` is a server that was not connected yet. */
export type ServerState = 'idle' | 'starting' | 'initializing' | 'ready' | 'backoff' | 'closing' | 'closed';

/** What was agreed on with the server. */
export interface ServerSession {
  readonly revision: string;
  readonly era: EraName;
  readonly transport: TransportName;
  readonly server?: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string;
}

export interface ServerHealth {
  /** The last round trip that was asked for; absent before the first. */
  readonly ping?: { readonly at: number; readonly durationMs?: number; readonly failure?: Failure };
  /** Requests without an answer yet. */
  readonly waiting: number;
  /** Answers to nothing, twice, or too late, and messages that are none. */
  readonly strays: {
    readonly late: number;
    readonly duplicate: number;
    readonly unknown: number;
    readonly malformed: number;
  };
  /** The newest last; at most 50. */
  readonly faults: readonly ServerFault[];
}

export interface ServerFault {
  readonly at: number;
  readonly kind: string;
  readonly message: string;
  readonly sample?: string;
}

export interface StateStep {
  readonly at: number;
  readonly state: ServerState;
  readonly failure?: Failure;
  readonly retries: number;
}

export interface ServerView {
  readonly id: ServerId;
  readonly name: string;
  readonly address: ServerAddress;
  readonly source: ServerSource;
  readonly state: ServerState;
  /** How often it was tried again since it last worked. */
  readonly retries: number;
  /** When the next attempt begins, in `backoff`: milliseconds since 1970. */
  readonly nextAttemptAt?: number;
  /** Why it is not ready. */
  readonly failure?: Failure;
  /** The newest last; at most 50. */
  readonly history: readonly StateStep[];
  /** The revision that was asked for; null: the best that both speak. */
  readonly pinned: string | null;
  readonly settings: InspectedServerSettings;
  /** What its program wrote to stderr last, while it has not started yet. */
  readonly starting?: string;
  /** As last agreed on; stays while a connection is tried again. */
  readonly session?: ServerSession;
  readonly health: ServerHealth;
  /** URIs of resources whose updates are wanted. */
  readonly subscriptions: readonly string[];
  readonly logLevel: LogLevel | null;
  readonly roots: RootsView;
}

/** A chain whose traffic is watched. Its id stands in the messages of its hops, beside those of servers. */
export interface ChainView {
  readonly id: ServerId;
  readonly name: string;
  /** Where its clients reach it. */
  readonly url?: string;
  /** Names of the servers behind it. */
  readonly upstreams: readonly string[];
}

export interface RootsView {
  readonly roots: readonly Root[];
  /** True: the page is asked each time; false: the list above is the answer. */
  readonly ask: boolean;
}

/** A server to add. */
export type AddServer = (
  | {
      readonly kind: 'url';
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'command';
      /** A program, not a line for a shell: no shell ever runs. */
      readonly command: string;
      readonly args?: readonly string[];
      readonly cwd?: string;
      readonly env?: Readonly<Record<string, string>>;
    }
  /** An entry of a file that `configs.list` found. */
  | { readonly kind: 'config'; readonly path: string; readonly server: string }
) & {
  /** For display. Default: derived from the address. */
  readonly name?: string;
  readonly revision?: string | null;
  readonly settings?: InspectedServerSettings;
  /** Connect at once. Default: true. */
  readonly connect?: boolean;
};

/** A configuration file of some client on this machine. */
export interface FoundConfig {
  readonly path: string;
  /** Whose file it is: Claude Desktop, Cursor, VS Code... */
  readonly client: string;
  readonly servers: readonly FoundServer[];
  /** Why it could not be read. */
  readonly problem?: string;
}

export interface FoundServer {
  readonly name: string;
  readonly kind: 'url' | 'command' | 'unknown';
  /** The URL, or the command line, with values that look secret masked. */
  readonly summary: string;
  readonly disabled: boolean;
  /** Why it cannot be added, such as a variable that is not set. */
  readonly problem?: string;
  /** The server that was added from this entry. */
  readonly added?: ServerId;
}

export interface LogEntry {
  readonly seq: number;
  readonly at: number;
  readonly server: ServerId;
  /** A log message of the server, or a line that it wrote to stderr. */
  readonly source: 'log' | 'stderr';
  readonly level: LogLevel;
  readonly logger?: string;
  readonly data: unknown;
}
