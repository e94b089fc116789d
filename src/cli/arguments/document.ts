/** JSON objects given as an option: literally, from a file (`@file`), or from stdin (`-`). */

import { readFileSync } from 'node:fs';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { UsageError } from '../failure/failure.js';

export function readsStdin(source: string | undefined): boolean {
  return source === '-' || source === '@-';
}

export function readDocument(option: string, source: string): JsonObject {
  const text = readsStdin(source)
    ? readText(option, 0)
    : source.startsWith('@')
      ? readText(option, source.slice(1))
      : source;
  return parseDocument(option, text);
}

export function parseDocument(option: string, text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message.replaceAll(/\s+/g, ' ') : String(cause);
    throw new UsageError(`${option} is not valid JSON: ${detail}`, { cause });
  }
  if (!isRecord(value)) throw new UsageError(`${option} must be a JSON object, such as '{"key": "value"}'`);
  return value;
}

function readText(option: string, source: string | number): string {
  try {
    return readFileSync(source, 'utf8');
  } catch (cause) {
    const name = source === 0 ? 'stdin' : String(source);
    throw new UsageError(`${option}: cannot read ${name}; check the path`, { cause });
  }
}
