/** A recorded request once more. */

import { decodeText } from '../jsonrpc/decode.js';
import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import type { CallTarget } from './api.js';
import { CommandError, invalid, notFound } from './failure.js';
import type { StoredMessage } from './timeline/stored.js';
import type { Timeline } from './timeline/timeline.js';

/** What belongs to the first time: the answers of a person, the state of the server, the envelope of a revision. */
const OWN_TO_A_ROUND = new Set(['_meta', 'requestState', 'inputResponses']);

/** Requests of the connection itself are made by the client; sent twice they would confuse the server. */
const NOT_REPEATED = /^(initialize|server\/discover|subscriptions\/listen)$/;

export function replayTarget(timeline: Timeline, seq: number, params: JsonObject | undefined): CallTarget {
  const message = requestOf(timeline, seq);
  if (message.truncated) {
    throw new CommandError(
      409,
      'truncated',
      'The message was too long to be kept whole, and cannot be sent again',
    );
  }
  const decoded = decodeText(message.text);
  if (decoded.kind !== 'request') throw invalid('Only requests can be sent again');
  const { method } = decoded.message;
  if (NOT_REPEATED.test(method)) {
    throw invalid(`${method} is part of the connection itself; connect again to see it once more`);
  }
  const given = params ?? decoded.message.params ?? {};
  return targetOf(
    method,
    Object.fromEntries(Object.entries(given).filter(([name]) => !OWN_TO_A_ROUND.has(name))),
  );
}

/** The request itself, or the one that an answer belongs to. */
function requestOf(timeline: Timeline, seq: number): StoredMessage {
  const message = timeline.get(seq);
  if (message === undefined) throw notFound('message');
  if (message.direction === 'to-client' && message.kind === 'request') {
    throw invalid('This is a question of the server; only requests to servers can be sent again');
  }
  const request = message.kind === 'request' ? message : timeline.get(message.pair ?? 0);
  if (request === undefined || request.kind !== 'request' || request.direction !== 'to-server') {
    throw invalid('Only requests to servers can be sent again');
  }
  return request;
}

/** In the words of the client where it has some: it then adds what the revision wants. */
function targetOf(method: string, params: JsonObject): CallTarget {
  const { name, uri } = params;
  const args = isRecord(params.arguments) ? params.arguments : {};
  if (method === 'tools/call' && typeof name === 'string') return { kind: 'tool', name, arguments: args };
  if (method === 'resources/read' && typeof uri === 'string') return { kind: 'resource', uri };
  return { kind: 'raw', method, params };
}
