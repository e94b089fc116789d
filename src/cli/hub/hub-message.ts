/** The first line on a connection to the hub, and its answer. After `connect` the lines are those of MCP. */

import { isRecord } from '../../jsonrpc/message.js';
import type { HubServerStatus } from './hub-server.js';

export type HubRequest =
  | { readonly plumb: 1; readonly connect: string }
  | { readonly plumb: 1; readonly command: HubCommand };

export type HubCommand = 'status' | 'stop' | 'inspect';

export interface HubStatus {
  readonly pid: number;
  readonly version: string;
  readonly upMs: number;
  readonly servers: readonly HubServerStatus[];
}

export type HubReply =
  | { readonly ok: true; readonly status?: HubStatus; readonly inspector?: string }
  | { readonly ok: false; readonly error: string };

const COMMANDS: readonly HubCommand[] = ['status', 'stop', 'inspect'];

export function parseHubRequest(line: string): HubRequest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || value.plumb !== 1) return undefined;
  if (typeof value.connect === 'string') return { plumb: 1, connect: value.connect };
  const command = COMMANDS.find((known) => known === value.command);
  return command === undefined ? undefined : { plumb: 1, command };
}
