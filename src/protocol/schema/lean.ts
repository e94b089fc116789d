/**
 * The description that a library makes of its schema, without what it writes by habit: the dialect, which is the
 * protocol's own (Basic, JSON Schema usage), and the limits of the number type at every integer. Models read, and users
 * pay for, each of them with every tool.
 */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { JsonSchema } from '../model/base.js';
import { LIST_KEYWORDS, MAP_KEYWORDS, SCHEMA_KEYWORDS } from './schema-keywords.js';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

export function leanDescription(description: JsonObject): JsonSchema {
  const { $schema, ...schema } = description;
  return lean($schema === undefined || $schema === DIALECT ? schema : description) as JsonSchema;
}

function lean(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const isInteger = schema.type === 'integer';
  const kept = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (isInteger && keyword === 'minimum' && value === Number.MIN_SAFE_INTEGER) return [];
    if (isInteger && keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER) return [];
    return [[keyword, leanValue(keyword, value)]];
  });
  return Object.fromEntries(kept);
}

function leanValue(keyword: string, value: unknown): unknown {
  if (SCHEMA_KEYWORDS.has(keyword)) return lean(value);
  if (LIST_KEYWORDS.has(keyword) && Array.isArray(value)) return value.map(lean);
  if (!MAP_KEYWORDS.has(keyword) || !isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, lean(part)]));
}
