/** Takes secrets out of results before they leave, wherever in them they stand. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import type { Layer } from './layer.js';

export interface RedactOptions {
  /** What to take out; common forms of keys and tokens unless given. */
  readonly patterns?: readonly RegExp[];
  readonly replacement?: string;
}

/** Forms that are nothing but credentials. */
const CREDENTIALS: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{20,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g,
];

export function redact(options: RedactOptions = {}): Layer {
  const { patterns = CREDENTIALS, replacement = '[redacted]' } = options;
  const everywhere = patterns.map((pattern) =>
    pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`),
  );
  const clean = (text: string): string =>
    everywhere.reduce((cleaned, pattern) => cleaned.replace(pattern, replacement), text);
  return {
    call: async (_call, next) => cleanObject(await next(), clean),
    notification: (call, next) =>
      call.direction === 'outbound' ? next({ ...call, params: cleanObject(call.params, clean) }) : next(),
  };
}

function cleanObject(object: JsonObject, clean: (text: string) => string): JsonObject {
  let copy: JsonObject | undefined;
  for (const [key, value] of Object.entries(object)) {
    const cleaned = cleanValue(value, clean);
    if (cleaned === value) continue;
    copy ??= { ...object };
    copy[key] = cleaned;
  }
  return copy ?? object;
}

/** The value itself where there was nothing to take out: most results stay as they are. */
function cleanValue(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) {
    const cleaned = value.map((item) => cleanValue(item, clean));
    return cleaned.some((item, index) => item !== value[index]) ? cleaned : value;
  }
  return isRecord(value) ? cleanObject(value, clean) : value;
}
