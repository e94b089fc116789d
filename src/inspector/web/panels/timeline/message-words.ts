/** How a message is called in one line. */

import type {
  ConnectionEvent,
  MessageKind,
  MessageSummary,
  RequestStatus,
  TimelineRow,
} from '../../../api.js';
import type { Tone } from '../../components/badge.js';

const KIND_WORDS: Readonly<Record<MessageKind, string>> = {
  request: 'request',
  notification: 'notification',
  result: 'result',
  error: 'error',
  batch: 'batch',
  malformed: 'malformed',
  http: 'HTTP',
  event: 'event',
};

const EVENT_WORDS: Readonly<Record<ConnectionEvent, string>> = {
  connecting: 'connecting',
  connected: 'connected',
  closed: 'connection closed',
  exited: 'process exited',
  lost: 'connection lost',
  retrying: 'reconnecting',
  stderr: 'stderr',
};

/** How a row ended, in one word; undefined where there is nothing to end. */
export function statusOf(message: TimelineRow): StatusWord | undefined {
  if (message.problems !== undefined) return 'invalid';
  if (message.kind !== 'request') return message.failed ? 'error' : undefined;
  if (message.answer?.asksForInput) return 'input';
  if (message.answer?.problems !== undefined) return 'invalid';
  if (message.answer?.kind === 'error' && !message.answer.failed) return 'refused';
  // It lasts as long as the subscription, and is not late.
  if (message.status === 'pending' && message.method === 'subscriptions/listen') return 'open';
  return message.status;
}

export type StatusWord = RequestStatus | 'input' | 'invalid' | 'refused' | 'open';

export function statusTone(status: StatusWord | undefined): Tone | undefined {
  switch (status) {
    case 'ok':
      return 'good';
    case 'error':
    case 'lost':
    case 'invalid':
      return 'bad';
    case 'pending':
    case 'input':
      return 'warn';
    default:
      return undefined;
  }
}

export function kindWord({ kind }: MessageSummary): string {
  return KIND_WORDS[kind];
}

export function kindTone(message: MessageSummary): Tone | undefined {
  if (message.failed || message.kind === 'malformed') return 'bad';
  if (message.asksForInput) return 'warn';
  if (message.kind === 'request') return 'info';
  if (message.kind === 'result') return 'good';
  return undefined;
}

/** The method, or what else identifies the message. */
export function messageTitle(message: MessageSummary): string {
  if (message.event !== undefined) return EVENT_WORDS[message.event];
  if (message.method !== undefined && message.kind !== 'http') return message.method;
  if (message.http !== undefined) return `${message.http.method} ${message.http.status ?? ''}`.trim();
  return KIND_WORDS[message.kind];
}
