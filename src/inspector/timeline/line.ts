/** One line of a timeline file. It comes from anywhere, so every field is looked at before it is believed. */

import { isRecord, isRequestId, type JsonObject } from '../../jsonrpc/message.js';
import type { ConnectionEvent, Hop, MessageKind, RequestStatus, TransportName } from '../api.js';
import type { StoredExchange, StoredMessage } from './stored.js';

const KINDS: readonly MessageKind[] = [
  'request',
  'notification',
  'result',
  'error',
  'batch',
  'malformed',
  'http',
  'event',
];
const EVENTS: readonly ConnectionEvent[] = [
  'connecting',
  'connected',
  'closed',
  'exited',
  'lost',
  'retrying',
  'stderr',
];
const STATUSES: readonly RequestStatus[] = ['pending', 'ok', 'error', 'cancelled', 'lost'];
const HOPS: readonly Hop[] = ['direct', 'client', 'upstream'];
const TRANSPORTS: readonly TransportName[] = ['stdio', 'http', 'sse', 'memory'];

/** Undefined when it is no message. */
export function parseLine(value: unknown): Omit<StoredMessage, 'bytes' | 'truncated' | 'source'> | undefined {
  if (!isRecord(value)) return undefined;
  const { seq, at, server, direction, text } = value;
  const kind = KINDS.find((known) => known === value.kind);
  if (!isNumber(seq) || !isNumber(at) || typeof server !== 'string' || typeof text !== 'string')
    return undefined;
  if (kind === undefined || (direction !== 'to-server' && direction !== 'to-client')) return undefined;
  const exchange = parseExchange(value.exchange);
  const { rpcId } = value;
  const event = EVENTS.find((known) => known === value.event);
  const status = STATUSES.find((known) => known === value.status);
  return {
    seq,
    at,
    server,
    direction,
    kind,
    text,
    hop: HOPS.find((known) => known === value.hop) ?? 'direct',
    transport: TRANSPORTS.find((known) => known === value.transport) ?? 'http',
    connection: numberIn(value, 'connection') ?? 1,
    failed: value.failed === true,
    group: numberIn(value, 'group') ?? seq,
    streamed: isRecord(value.http) && value.http.streamed === true,
    ...strings(value, ['method', 'subject', 'upstream', 'revision']),
    ...numbers(value, ['rpcCode', 'pair', 'durationMs', 'round']),
    ...(value.asksForInput === true ? { asksForInput: true } : {}),
    ...(value.era === 'handshake' || value.era === 'stateless' ? { era: value.era } : {}),
    ...(isRequestId(rpcId) || rpcId === null ? { rpcId } : {}),
    ...(exchange === undefined ? {} : { exchange }),
    ...(event === undefined ? {} : { event }),
    ...(status === undefined ? {} : { status }),
  };
}

function parseExchange(value: unknown): StoredExchange | undefined {
  if (!isRecord(value) || !isNumber(value.id) || !isNumber(value.startedAt)) return undefined;
  return {
    id: value.id,
    startedAt: value.startedAt,
    method: String(value.method),
    url: String(value.url),
    requestHeaders: headers(value.requestHeaders),
    responseHeaders: headers(value.responseHeaders),
    ...numbers(value, ['status', 'headMs', 'durationMs']),
    ...strings(value, ['failure']),
  };
}

function headers(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((header: unknown) =>
    isRecord(header) ? [String(header.name), String(header.value)] : [],
  );
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function numberIn(value: JsonObject, name: string): number | undefined {
  const found = value[name];
  return isNumber(found) ? found : undefined;
}

function numbers<N extends string>(value: JsonObject, names: readonly N[]): { [K in N]?: number } {
  const found: { [K in N]?: number } = {};
  for (const name of names) {
    const number = numberIn(value, name);
    if (number !== undefined) found[name] = number;
  }
  return found;
}

function strings<N extends string>(value: JsonObject, names: readonly N[]): { [K in N]?: string } {
  const found: { [K in N]?: string } = {};
  for (const name of names) {
    const text = value[name];
    if (typeof text === 'string') found[name] = text;
  }
  return found;
}
