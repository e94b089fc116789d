/** Files read back into the timeline: our own JSON lines, and HAR of any browser or proxy. */

import { SseReader } from '../../framing/sse-reader.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { ImportSummary } from '../api.js';
import { invalid } from '../failure.js';
import { RecordedConversation } from '../recorder/conversation.js';
import type { Recording } from '../recorder/recording.js';
import { FILE_KIND } from './export.js';
import { parseLine } from './line.js';
import type { StoredExchange, StoredMessage } from './stored.js';

const MAX_EVENT_LENGTH = 16 * 1024 * 1024;

export function importText(recording: Recording, name: string, text: string): ImportSummary {
  const har = text.trimStart().startsWith('{') ? harEntries(text) : undefined;
  const before = recording.timeline.totals().last;
  const found = har === undefined ? importLines(recording, text) : importHar(recording, name, har);
  if (found.messages.length === 0) {
    throw invalid('This file contains no messages; import JSON lines of the timeline, or HAR');
  }
  return {
    messages: found.messages.length,
    skipped: found.skipped,
    servers: [...new Set(found.messages.map(({ server }) => server))],
    first: found.messages[0]?.seq ?? before,
    last: found.messages.at(-1)?.seq ?? before,
  };
}

interface Imported {
  readonly messages: StoredMessage[];
  readonly skipped: number;
}

function importLines(recording: Recording, text: string): Imported {
  const { timeline } = recording;
  const messages: StoredMessage[] = [];
  /** From the numbers in the file to those that the messages have now. */
  const seqs = new Map<number, number>();
  const exchanges = new Map<number, StoredExchange>();
  let names: JsonObject = {};
  let skipped = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const value = parsed(line);
    if (isRecord(value) && value.kind === FILE_KIND) {
      names = isRecord(value.servers) ? value.servers : {};
      continue;
    }
    const read = parseLine(value);
    if (read === undefined) {
      skipped += 1;
      continue;
    }
    const { seq, group, pair, exchange, server, ...message } = read;
    const named = names[server];
    const own =
      exchange === undefined
        ? undefined
        : (exchanges.get(exchange.id) ?? { ...exchange, id: recording.nextExchange() });
    if (exchange !== undefined && own !== undefined) exchanges.set(exchange.id, own);
    const mapped = group === seq ? undefined : seqs.get(group);
    const stored = timeline.add({
      ...message,
      source: 'import',
      server: `${typeof named === 'string' ? named : server} (imported)`,
      ...(own === undefined ? {} : { exchange: own }),
      ...(mapped === undefined ? {} : { group: mapped }),
    });
    seqs.set(seq, stored.seq);
    const partner = pair === undefined ? undefined : seqs.get(pair);
    const other = partner === undefined ? undefined : timeline.get(partner);
    if (other !== undefined) timeline.pair(other, stored);
    messages.push(stored);
  }
  return { messages, skipped };
}

function importHar(recording: Recording, name: string, entries: readonly unknown[]): Imported {
  const conversation = new RecordedConversation(recording, {
    server: `${name} (imported)`,
    source: 'import',
    hop: 'direct',
    connection: 1,
    transport: 'http',
  });
  const messages: StoredMessage[] = [];
  let skipped = 0;
  for (const entry of entries) {
    const before = messages.length;
    if (isRecord(entry) && isRecord(entry.request) && isRecord(entry.response)) {
      messages.push(...harMessages(recording, conversation, entry, entry.request, entry.response));
    }
    if (messages.length === before) skipped += 1;
  }
  conversation.end();
  return { messages, skipped };
}

function harMessages(
  recording: Recording,
  conversation: RecordedConversation,
  entry: JsonObject,
  request: JsonObject,
  response: JsonObject,
): StoredMessage[] {
  const startedAt = Date.parse(String(entry.startedDateTime)) || 0;
  const durationMs = typeof entry.time === 'number' ? entry.time : 0;
  const exchange: StoredExchange = {
    id: recording.nextExchange(),
    method: String(request.method),
    url: String(request.url),
    requestHeaders: flat(request.headers),
    responseHeaders: flat(response.headers),
    status: Number(response.status) || 0,
    startedAt,
    durationMs,
  };
  const sent = isRecord(request.postData) ? textOf(request.postData.text) : '';
  const content = isRecord(response.content) ? response.content : {};
  const streamed = String(content.mimeType).startsWith('text/event-stream');
  const answers = streamed ? eventsOf(textOf(content.text)) : [textOf(content.text)];
  return [
    ...(sent === '' ? [] : [conversation.hear('to-server', sent, { at: startedAt, exchange })]),
    ...answers
      .filter((answer) => answer.trim() !== '')
      .map((answer) =>
        conversation.hear('to-client', answer, { at: startedAt + durationMs, exchange, streamed }),
      ),
  ].filter((message) => message !== undefined);
}

function harEntries(text: string): readonly unknown[] | undefined {
  const value = parsed(text);
  const log = isRecord(value) ? value.log : undefined;
  return isRecord(log) && Array.isArray(log.entries) ? log.entries : undefined;
}

function eventsOf(text: string): string[] {
  const events: string[] = [];
  const reader = new SseReader({
    maxEventLength: MAX_EVENT_LENGTH,
    onEvent: ({ data }) => events.push(data),
    onRetry: () => {},
    onOversize: () => {},
  });
  reader.pushText(`${text}\n\n`);
  return events;
}

function flat(headers: unknown): string[] {
  if (!Array.isArray(headers)) return [];
  return headers.flatMap((header: unknown) =>
    isRecord(header) ? [textOf(header.name), textOf(header.value)] : [],
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
