/** The record of a run, sorted into requests with their answers, notifications, and what does not belong anywhere. */

import { isRecord, isRequestId, type JsonObject } from '../jsonrpc/message.js';
import type { RecordedEntry } from './wire/recorder.js';

/** A request of ours, and its answer. */
export interface ObservedExchange {
  readonly method: string;
  readonly params: JsonObject;
  readonly request: RecordedEntry;
  readonly response: RecordedEntry | undefined;
  /** The result, when the answer has one. */
  readonly result: JsonObject | undefined;
  readonly error: JsonObject | undefined;
}

/** Something that the server sent by itself. */
export interface Sent {
  readonly method: string;
  readonly params: JsonObject;
  readonly message: JsonObject;
  readonly entry: RecordedEntry;
}

export interface Traffic {
  readonly entries: readonly RecordedEntry[];
  /** Every object that the server sent. */
  readonly received: readonly { readonly message: JsonObject; readonly entry: RecordedEntry }[];
  readonly exchanges: readonly ObservedExchange[];
  readonly notifications: readonly Sent[];
  readonly requests: readonly Sent[];
  /** Answers to nothing that we asked. */
  readonly strays: readonly RecordedEntry[];
  readonly noise: readonly RecordedEntry[];
}

const sorted = new WeakMap<
  readonly RecordedEntry[],
  { readonly length: number; readonly traffic: Traffic }
>();

/** A record only grows: what was sorted at this length need not be sorted again. */
export function sortTraffic(entries: readonly RecordedEntry[]): Traffic {
  const known = sorted.get(entries);
  if (known?.length === entries.length) return known.traffic;
  const traffic = sortEntries(entries);
  sorted.set(entries, { length: entries.length, traffic });
  return traffic;
}

/** A request with its answer, while they are put together. */
interface Pair {
  readonly key: string;
  request: RecordedEntry;
  response: RecordedEntry | undefined;
}

function sortEntries(entries: readonly RecordedEntry[]): Traffic {
  const asked = new Map<string, Pair>();
  const pairs: Pair[] = [];
  const notifications: Sent[] = [];
  const requests: Sent[] = [];
  const strays: RecordedEntry[] = [];
  const received: { message: JsonObject; entry: RecordedEntry }[] = [];
  for (const entry of entries) {
    // What a resumed stream brings again was judged when it came first.
    if (entry.kind !== 'message' || entry.replayed === true) continue;
    for (const message of messagesOf(entry.value)) {
      if (entry.direction === 'sent') {
        // Also what was sent to be refused without a method: its refusal is an answer.
        if (!isRequestId(message.id) || isResponse(message)) continue;
        const key = keyOf(entry, message.id);
        const earlier = asked.get(key);
        // Without sessions an id is free again once it was answered.
        if (earlier !== undefined && earlier.response === undefined) earlier.request = entry;
        else {
          const pair = { key, request: entry, response: undefined };
          asked.set(key, pair);
          pairs.push(pair);
        }
        continue;
      }
      received.push({ message, entry });
      if (typeof message.method === 'string') {
        const params = isRecord(message.params) ? message.params : {};
        ('id' in message ? requests : notifications).push({ method: message.method, params, message, entry });
      } else if (asked.has(keyOf(entry, message.id))) {
        const pair = asked.get(keyOf(entry, message.id));
        if (pair === undefined || pair.response !== undefined) strays.push(entry);
        else pair.response = entry;
      } else if (message.id !== undefined && message.id !== null) strays.push(entry);
    }
  }
  const exchanges = pairs.flatMap(({ key, request, response }) => exchangesOf(request, key, response));
  const noise = entries.filter((entry) => entry.kind === 'noise' && entry.direction === 'received');
  return { entries, received, exchanges, notifications, requests, strays, noise };
}

function exchangesOf(
  request: RecordedEntry,
  key: string,
  response: RecordedEntry | undefined,
): ObservedExchange[] {
  const message = messagesOf(request.value).find((item) => keyOf(request, item.id) === key);
  if (message === undefined) return [];
  const answer = messagesOf(response?.value).find(
    (item) => response !== undefined && keyOf(response, item.id) === key,
  );
  return [
    {
      method: String(message.method),
      params: isRecord(message.params) ? message.params : {},
      request,
      response,
      result: isRecord(answer?.result) ? answer.result : undefined,
      error: isRecord(answer?.error) ? answer.error : undefined,
    },
  ];
}

function isResponse(message: JsonObject): boolean {
  return 'result' in message || 'error' in message;
}

export function messagesOf(value: unknown): readonly JsonObject[] {
  if (Array.isArray(value)) return value.filter(isRecord);
  return isRecord(value) ? [value] : [];
}

/** Ids are compared with their types: 7 and "7" are two requests. */
function keyOf(entry: RecordedEntry, id: unknown): string {
  return `${entry.connection} ${JSON.stringify(id)}`;
}

/** All `_meta` objects inside a message, at any depth. */
export function metasOf(value: unknown, depth = 0): readonly JsonObject[] {
  if (depth > 12 || typeof value !== 'object' || value === null) return [];
  const found: JsonObject[] = [];
  for (const [key, child] of Object.entries(value)) {
    if (key === '_meta' && isRecord(child)) found.push(child);
    found.push(...metasOf(child, depth + 1));
  }
  return found;
}
