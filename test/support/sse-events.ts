/** Server-sent events as a test sees them: every field that was sent, comments included. No code of ours. */

import type { WireMessage } from './wire-peer.js';

export interface SentEvent {
  readonly event?: string;
  readonly id?: string;
  readonly retry?: string;
  /** Absent when the block had no `data` line, empty when it had an empty one. */
  readonly data?: string;
  readonly comment?: string;
}

/** Splits text into blocks as it comes; what is left waits for the rest. */
export class EventParser {
  #rest = '';

  push(text: string): SentEvent[] {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.map(parseBlock);
  }
}

function parseBlock(block: string): SentEvent {
  const fields: { event?: string; id?: string; retry?: string; data?: string; comment?: string } = {};
  for (const line of block.split('\n')) {
    if (line.startsWith(':')) {
      fields.comment = line.slice(1).trim();
      continue;
    }
    const match = /^(event|id|retry|data): ?(.*)$/s.exec(line);
    if (match === null) throw new Error(`Not a line of an event stream: ${JSON.stringify(line)}`);
    const name = match[1] as 'event' | 'id' | 'retry' | 'data';
    if (fields[name] !== undefined) throw new Error(`An event with two ${name} lines`);
    fields[name] = match[2] ?? '';
  }
  return fields;
}

/** The JSON-RPC message of an event; undefined for comments, retry hints and events without data. */
export function messageOf(event: SentEvent): WireMessage | undefined {
  if (event.data === undefined || event.data === '' || event.event === 'endpoint') return undefined;
  return JSON.parse(event.data);
}
