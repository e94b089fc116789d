/** Traffic written down, and served back later without the server that made it. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { safeJson } from '../protocol/display.js';
import { ProtocolError, receivedError } from '../protocol/errors.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import type { Call } from './compose.js';
import type { Layer } from './layer.js';

export interface RecordOptions {
  /** Takes a line without its newline. */
  readonly write: (line: string) => void;
}

const OPTIONS: OptionNames<RecordOptions> = { write: true };

/** Each request of clients with what it was answered, as a JSON line. */
export function record(options: RecordOptions): Layer {
  assertOptionNames('record', options, OPTIONS);
  const { write } = options;
  return {
    request: async (call, next) => {
      const params = withoutMeta(call.params);
      try {
        const result = await next();
        write(safeJson({ method: call.method, params, result }));
        return result;
      } catch (error) {
        if (error instanceof ProtocolError)
          write(safeJson({ method: call.method, params, error: error.toErrorObject() }));
        throw error;
      }
    },
  };
}

/** Answers from a recording; the same request twice gets its answers in turn, then the last one again. */
export function replay(lines: Iterable<string>): Layer {
  const answers = new Map<string, JsonObject[]>();
  for (const line of lines) {
    if (line.trim() === '') continue;
    const entry: unknown = JSON.parse(line);
    if (!isRecord(entry) || typeof entry.method !== 'string' || !isRecord(entry.params)) continue;
    const key = keyOf(entry.method, entry.params);
    answers.set(key, [...(answers.get(key) ?? []), entry]);
  }
  return {
    request: (call: Call, next) => {
      const recorded = answers.get(keyOf(call.method, withoutMeta(call.params)));
      const entry = recorded !== undefined && recorded.length > 1 ? recorded.shift() : recorded?.[0];
      if (entry === undefined) return next();
      const { result, error } = entry;
      if (isRecord(error) && typeof error.code === 'number')
        throw receivedError({ ...error, code: error.code, message: String(error.message) });
      return isRecord(result) ? result : next();
    },
  };
}

function withoutMeta({ _meta: _, ...params }: JsonObject): JsonObject {
  return params;
}

function keyOf(method: string, params: JsonObject): string {
  return `${method} ${JSON.stringify(sorted(params))}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
