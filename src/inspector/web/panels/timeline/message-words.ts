/** How a message is called in one line. */

import type { MessageKind, MessageSummary } from '../../../api.js';
import type { Tone } from '../../components/badge.js';

const KIND_WORDS: Readonly<Record<MessageKind, string>> = {
  request: 'request',
  notification: 'notification',
  result: 'result',
  error: 'error',
  batch: 'batch',
  malformed: 'malformed',
  http: 'HTTP',
};

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
  if (message.method !== undefined) return message.method;
  if (message.http !== undefined) return `${message.http.method} ${message.http.status ?? ''}`.trim();
  return KIND_WORDS[message.kind];
}
