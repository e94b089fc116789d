/** Takes secrets out of everything that leaves for the client: results, lists, errors, questions and notifications. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import type { Next } from './compose.js';
import { withoutCredentials } from './credentials.js';
import type { Layer } from './layer.js';

export interface RedactOptions {
  /** What to take out. Default: common forms of keys and tokens. They are tried on all texts of servers. */
  readonly patterns?: readonly RegExp[] | undefined;
  /** What stands in their place. Default: `[redacted]`. */
  readonly replacement?: string | undefined;
}

const OPTIONS: OptionNames<RedactOptions> = { patterns: true, replacement: true };

type Clean = (text: string) => string;

/** Handles that only their server reads, and what the protocol itself says: without them nothing would go on. */
const PROTOCOL_FIELDS: readonly string[] = [
  'requestState',
  'nextCursor',
  'supportedVersions',
  'capabilities',
  'resultType',
  'cacheScope',
];

/** Removes secrets from results before clients and models see them. */
export function redact(options: RedactOptions = {}): Layer {
  assertOptionNames('redact', options, OPTIONS);
  const { patterns, replacement = '[redacted]' } = options;
  const clean: Clean =
    patterns === undefined
      ? (text) => withoutCredentials(text, replacement)
      : replacing(patterns, replacement);
  return {
    request: (_call, next) => answer(next, clean),
    ask: (call, next) => next({ ...call, params: cleanObject(call.params, clean) }),
    notification: (call, next) =>
      call.direction === 'outbound' ? next({ ...call, params: cleanObject(call.params, clean) }) : next(),
  };
}

function replacing(patterns: readonly RegExp[], replacement: string): Clean {
  const everywhere = patterns.map((pattern) =>
    pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`),
  );
  return (text) => everywhere.reduce((cleaned, pattern) => cleaned.replace(pattern, replacement), text);
}

async function answer(next: Next, clean: Clean): Promise<JsonObject> {
  try {
    const result = await next();
    const cleaned = cleanObject(result, clean);
    if (cleaned === result) return result;
    for (const field of PROTOCOL_FIELDS) if (field in result) cleaned[field] = result[field];
    return cleaned;
  } catch (error) {
    throw error instanceof Error ? cleanError(error, clean) : error;
  }
}

/** The same error in other words: its class and its code stay. */
function cleanError(error: Error, clean: Clean): Error {
  const copy: Error = Object.create(Object.getPrototypeOf(error), Object.getOwnPropertyDescriptors(error));
  for (const key of ['message', 'stack', 'data', 'content'] as const) {
    const value: unknown = Reflect.get(error, key);
    if (value !== undefined) Object.defineProperty(copy, key, { value: cleanValue(value, clean) });
  }
  return copy;
}

function cleanObject(object: JsonObject, clean: Clean): JsonObject {
  const entries = Object.entries(object);
  const cleaned = entries.map(([key, value]) => [clean(key), cleanValue(value, clean)] as const);
  const isSame = cleaned.every(([key, value], index) => {
    const [before, was] = entries[index] ?? [];
    return key === before && value === was;
  });
  return isSame ? object : Object.fromEntries(cleaned);
}

/** The value itself where there was nothing to take out: most results stay as they are. */
function cleanValue(value: unknown, clean: Clean): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) {
    const cleaned = value.map((item) => cleanValue(item, clean));
    return cleaned.some((item, index) => item !== value[index]) ? cleaned : value;
  }
  return isRecord(value) ? cleanObject(value, clean) : value;
}
