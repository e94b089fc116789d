/** A message as it is kept: what pages see of it, and the text that only leaves with its secrets masked. */

import { maskText, maskUrl } from '../../protocol/secrets.js';
import type { HttpExchangeView, MessageDetail, MessageSummary, TimelineRow } from '../api.js';
import { maskHeaders } from './mask.js';
import { previewOf } from './preview.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface StoredExchange {
  readonly id: number;
  readonly method: string;
  readonly url: string;
  /** Names and values in turn. */
  readonly requestHeaders: readonly string[];
  readonly startedAt: number;
  status?: number;
  responseHeaders?: readonly string[];
  headMs?: number;
  durationMs?: number;
  failure?: string;
}

export interface StoredMessage extends Mutable<Omit<MessageSummary, 'http'>> {
  readonly text: string;
  readonly truncated: boolean;
  exchange?: StoredExchange;
  /** It came as an event of a stream. */
  readonly streamed: boolean;
}

export type NewMessage = Omit<StoredMessage, 'seq' | 'group' | 'bytes' | 'truncated'> & {
  readonly group?: number;
};

function summaryOf(stored: StoredMessage): MessageSummary {
  const { text: _text, truncated: _truncated, exchange, streamed, ...summary } = stored;
  if (exchange === undefined) return summary;
  const { id, method, status } = exchange;
  return {
    ...summary,
    http: { exchange: id, method, ...(status === undefined ? {} : { status }), streamed },
  };
}

/** A message as a row of its own; what it says is left to those who open it. */
export function plainRow(stored: StoredMessage): TimelineRow {
  return { ...summaryOf(stored), preview: '' };
}

/** A message as a row of exchanges, with its answer where it has one. */
export function rowOf(stored: StoredMessage, answer: StoredMessage | undefined): TimelineRow {
  const row = { ...summaryOf(stored), preview: previewOf(stored) };
  if (answer === undefined || (answer.kind !== 'result' && answer.kind !== 'error')) return row;
  const { seq, kind, failed, rpcCode, asksForInput, bytes, problems } = answer;
  return {
    ...row,
    answer: {
      seq,
      kind,
      failed,
      bytes,
      preview: previewOf(answer),
      ...(rpcCode === undefined ? {} : { rpcCode }),
      ...(asksForInput === undefined ? {} : { asksForInput }),
      ...(problems === undefined ? {} : { problems }),
    },
  };
}

export function detailOf(stored: StoredMessage): MessageDetail {
  const { text, masked } = maskText(stored.text);
  const exchange = stored.exchange === undefined ? undefined : exchangeView(stored.exchange);
  const headersMasked = [...(exchange?.requestHeaders ?? []), ...(exchange?.responseHeaders ?? [])].some(
    (header) => header.masked,
  );
  return {
    ...summaryOf(stored),
    text,
    masked: masked || headersMasked,
    truncated: stored.truncated,
    ...(exchange === undefined ? {} : { exchange }),
  };
}

export function exchangeView(exchange: StoredExchange): HttpExchangeView {
  const { id, method, url, requestHeaders, startedAt, responseHeaders = [], ...rest } = exchange;
  return {
    id,
    method,
    url: maskUrl(url),
    startedAt,
    requestHeaders: maskHeaders(requestHeaders),
    responseHeaders: maskHeaders(responseHeaders),
    ...rest,
  };
}
