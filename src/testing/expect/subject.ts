/** What an expectation looks at: a result, and what happened on the way to it. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { NameScope } from './evaluate.js';
import { memberOf } from './evaluate.js';

export interface Observed {
  /** The result as the server sent it; undefined when the server answered with an error. */
  readonly result: unknown;
  /** The JSON-RPC error, where the server answered with one. */
  readonly error?: JsonObject | undefined;
  /** How many things matched, for globs of resources. */
  readonly count?: number | undefined;
  readonly progress?: readonly JsonObject[] | undefined;
  readonly logs?: readonly JsonObject[] | undefined;
  /** The questions of the server. */
  readonly asked?: readonly JsonObject[] | undefined;
  /** Milliseconds. */
  readonly duration?: number | undefined;
}

/** The text of all text blocks: of a tool's result, of the contents of a resource, of the messages of a prompt. */
export function textOfResult(result: unknown): string {
  return blocksOf(result)
    .map((block) => {
      const content = isRecord(block.content) ? block.content : block;
      const holder = isRecord(content.resource) ? content.resource : content;
      return typeof holder.text === 'string' ? holder.text : undefined;
    })
    .filter((text) => text !== undefined)
    .join('\n');
}

/** The list that a result consists of. */
export function blocksOf(result: unknown): readonly JsonObject[] {
  if (!isRecord(result)) return [];
  for (const field of ['content', 'contents', 'messages']) {
    const list = result[field];
    if (Array.isArray(list)) return list.filter(isRecord);
  }
  return [];
}

/** The value that a tool returned: its structured content, else its text as JSON, else its text. */
export function plainValue(result: unknown): unknown {
  if (isRecord(result) && result.structuredContent !== undefined) return result.structuredContent;
  const text = textOfResult(result);
  if (text === '') return result;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Names in expressions. A field of the result comes first, then a field of the value that the tool returned, so that
 * `content[0].text` and `rows.length` both mean what they say; then what happened on the way.
 */
export function scopeOf(subject: Observed): NameScope {
  const { result } = subject;
  return (name) => {
    if (name === '$') return { value: result };
    const own = memberOf(result, name);
    if (own !== undefined) return { value: own };
    const value = plainValue(result);
    const inner = typeof value === 'string' ? undefined : memberOf(value, name);
    if (inner !== undefined) return { value: inner };
    switch (name) {
      case 'result':
      case 'value':
        return { value };
      case 'text':
        return { value: textOfResult(result) };
      case 'length':
        return { value: lengthOf(result) };
      case 'count':
        return { value: subject.count ?? lengthOf(result) };
      case 'error':
        return { value: subject.error };
      case 'progress':
        return { value: subject.progress ?? [] };
      case 'logs':
        return { value: subject.logs ?? [] };
      case 'asked':
        return { value: subject.asked ?? [] };
      case 'duration':
        return { value: subject.duration };
      default:
        return undefined;
    }
  };
}

function lengthOf(result: unknown): number {
  if (typeof result === 'string' || Array.isArray(result)) return result.length;
  return blocksOf(result).length;
}
