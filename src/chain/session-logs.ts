/** Log messages of servers that get the log level once for a session. */

import type { Relay } from '../client/relay.js';

const TRAILING_MS = 20;

/** The result, once log messages that travel on another stream have had time to arrive. */
export function afterTrailingLogs<T>(result: T): Promise<T> {
  return new Promise((resolve) => setTimeout(resolve, TRAILING_MS, result));
}

export function logsBySession({ revision, client }: Relay): boolean {
  return revision.logLevel === 'session' && client.capabilities.logging !== undefined;
}
