/** The beginning of what a message says, on one line, with its secrets masked; for lists. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { maskText } from '../../protocol/secrets.js';
import type { StoredMessage } from './stored.js';

const MAX_PREVIEW = 180;
/** Longer texts are not read for a line in a list. */
const MAX_READ = 64 * 1024;
/** What is masked before it is cut: a secret must not stand half behind the cut. */
const MARGIN = 4_096;

const previews = new WeakMap<StoredMessage, string>();

export function previewOf(message: StoredMessage): string {
  const known = previews.get(message);
  if (known !== undefined) return known;
  const preview = cut(write(message));
  previews.set(message, preview);
  return preview;
}

/** The same of a result that is no message. */
export function resultPreview(result: JsonObject): string {
  return cut(ofResult(result));
}

function write(message: StoredMessage): string {
  const { kind, text } = message;
  if (kind === 'event' || kind === 'http' || kind === 'malformed' || kind === 'batch') return plain(text);
  if (text.length > MAX_READ) return plain(text);
  const value = parsed(text);
  if (!isRecord(value)) return plain(text);
  switch (kind) {
    case 'request':
      return ofRequest(message.method ?? '', recordIn(value, 'params'));
    case 'notification':
      return ofNotification(message.method ?? '', recordIn(value, 'params'));
    case 'result':
      return ofResult(recordIn(value, 'result'));
    case 'error':
      return plain(String(recordIn(value, 'error').message ?? ''));
  }
}

function ofRequest(method: string, params: JsonObject): string {
  const { _meta, ...rest } = params;
  switch (method) {
    case 'tools/call':
    case 'prompts/get':
      return fields(recordIn(params, 'arguments'));
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return '';
    case 'initialize': {
      const { name, version } = recordIn(params, 'clientInfo');
      return plain(`${String(name ?? '')} ${String(version ?? '')}, ${String(params.protocolVersion ?? '')}`);
    }
    case 'elicitation/create':
      return plain(String(params.message ?? ''));
    case 'sampling/createMessage': {
      const messages = Array.isArray(params.messages) ? params.messages : [];
      const last: unknown = messages.at(-1);
      return contentText(isRecord(last) ? last.content : undefined) || fields(rest);
    }
    case 'completion/complete':
      return fields(recordIn(params, 'argument'));
    default:
      return fields(rest);
  }
}

function ofNotification(method: string, params: JsonObject): string {
  const { _meta, ...rest } = params;
  if (method === 'notifications/progress') {
    const { progress, total, message } = params;
    const share = total === undefined ? String(progress) : `${String(progress)}/${String(total)}`;
    return plain(`${share} ${typeof message === 'string' ? message : ''}`);
  }
  if (method === 'notifications/message') {
    const { level, logger, data } = params;
    const text = typeof data === 'string' ? plain(data) : json(data);
    return `${String(level)}${typeof logger === 'string' ? ` ${logger}` : ''}: ${text}`;
  }
  if (method === 'notifications/cancelled') {
    return plain(`request ${JSON.stringify(params.requestId)} ${String(params.reason ?? '')}`);
  }
  return fields(rest);
}

/** The fields of lists, and what one of their items is called. */
const LISTS: Readonly<Record<string, string>> = {
  tools: 'tool',
  resources: 'resource',
  resourceTemplates: 'template',
  prompts: 'prompt',
  roots: 'root',
  tasks: 'task',
};

function ofResult(result: JsonObject): string {
  const { content, contents, messages, structuredContent, serverInfo, completion, action } = result;
  if (result.resultType === 'input_required') {
    const asked = Object.values(recordIn(result, 'inputRequests'))
      .map((request) => (isRecord(request) ? String(request.method ?? '') : ''))
      .filter((method) => method !== '');
    return `input required: ${asked.join(', ')}`;
  }
  for (const [field, item] of Object.entries(LISTS)) {
    const items = result[field];
    if (Array.isArray(items)) return `${items.length} ${item}${items.length === 1 ? '' : 's'}`;
  }
  if (typeof action === 'string') return `${action} ${fields(recordIn(result, 'content'))}`.trim();
  const text = contentText(content) || contentText(contents);
  if (text !== '') return text;
  if (structuredContent !== undefined) return json(structuredContent);
  if (isRecord(serverInfo)) return plain(`${String(serverInfo.name)} ${String(serverInfo.version ?? '')}`);
  if (isRecord(completion) && Array.isArray(completion.values)) return json(completion.values);
  if (Array.isArray(messages)) {
    const [first]: unknown[] = messages;
    return contentText(isRecord(first) ? first.content : undefined);
  }
  const { _meta, resultType, ...rest } = result;
  return fields(rest);
}

function contentText(content: unknown): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  const texts = blocks.flatMap((block) => {
    if (!isRecord(block)) return [];
    if (typeof block.text === 'string') return [block.text];
    if (isRecord(block.resource) && typeof block.resource.text === 'string') return [block.resource.text];
    const { type, mimeType, uri } = block;
    return [`[${[type, mimeType, uri].filter((part) => typeof part === 'string').join(' ')}]`];
  });
  return plain(texts.join(' '));
}

/** `name: value, …`, as a person would write it. */
function fields(object: JsonObject): string {
  const masked = parsed(maskText(JSON.stringify(object)).text);
  const entries = Object.entries(isRecord(masked) ? masked : {});
  return entries.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ');
}

function json(value: unknown): string {
  return maskText((JSON.stringify(value) ?? '').slice(0, MARGIN)).text;
}

function plain(text: string): string {
  return maskText(text.slice(0, MARGIN)).text;
}

/** One line: control characters, which might be there to colour a terminal, are left out. */
function cut(text: string): string {
  const line = text
    .slice(0, MARGIN)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replaceAll(/\u001b\[[\d;?]*[a-zA-Z]/g, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replaceAll(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim();
  return line.length > MAX_PREVIEW ? `${line.slice(0, MAX_PREVIEW)}…` : line;
}

function recordIn(value: JsonObject, name: string): JsonObject {
  const found = value[name];
  return isRecord(found) ? found : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
