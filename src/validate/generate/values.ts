/** Values for a JSON Schema: one that fits, those at its edges, and those that break one rule each. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { localTarget } from '../../protocol/schema/references.js';
import { boundsOf } from './bounds.js';

const MAX_DEPTH = 8;

/** A value that fits, as small as the schema allows; follows defaults, constants and examples first. */
export function validValue(schema: unknown, root: unknown = schema, depth = 0): unknown {
  if (!isRecord(schema) || depth > MAX_DEPTH) return 'text';
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  if ('default' in schema) return schema.default;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  if (typeof schema.$ref === 'string') return validValue(localTarget(root, schema.$ref), root, depth + 1);
  for (const keyword of ['oneOf', 'anyOf'] as const) {
    const variants = schema[keyword];
    if (Array.isArray(variants) && variants.length > 0) {
      const chosen = variants.find((variant) => isRecord(variant) && variant.type !== 'null') ?? variants[0];
      return merge(schema, chosen, root, depth);
    }
  }
  if (Array.isArray(schema.allOf)) {
    return schema.allOf.reduce<unknown>((_, part) => merge(schema, part, root, depth), undefined);
  }
  return typedValue(schema, typeOf(schema), root, depth);
}

/** A variant of an object adds to what the object already asks for. */
function merge(schema: JsonObject, variant: unknown, root: unknown, depth: number): unknown {
  const value = validValue(variant, root, depth + 1);
  if (!isRecord(value) || typeOf(schema) !== 'object') return value;
  const base = typedValue(schema, 'object', root, depth);
  return isRecord(base) ? { ...base, ...value } : value;
}

function typeOf(schema: JsonObject): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return String(type.find((name) => name !== 'null') ?? 'null');
  if (isRecord(schema.properties)) return 'object';
  return 'items' in schema ? 'array' : 'string';
}

function typedValue(schema: JsonObject, type: string, root: unknown, depth: number): unknown {
  switch (type) {
    case 'object':
      return objectValue(schema, root, depth);
    case 'array': {
      const count = numberOf(schema.minItems) ?? 0;
      return Array.from({ length: count }, () => validValue(schema.items, root, depth + 1));
    }
    case 'integer':
    case 'number':
      return numberValue(schema, type);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return stringValue(schema);
  }
}

/** Only what is required: what a tool does not need is better left alone. */
function objectValue(schema: JsonObject, root: unknown, depth: number): JsonObject {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.fromEntries(
    required
      .filter((name): name is string => typeof name === 'string')
      .map((name) => [name, validValue(properties[name], root, depth + 1)]),
  );
}

function numberValue(schema: JsonObject, type: string): number {
  const bounds = boundsOf(schema);
  const minimum = bounds.minimum ?? numberOf(schema.exclusiveMinimum);
  const maximum = bounds.maximum ?? numberOf(schema.exclusiveMaximum);
  const step = numberOf(schema.multipleOf) ?? 1;
  const low = minimum ?? (maximum !== undefined && maximum < 1 ? maximum - step : 0);
  const value = Math.ceil((low + ('exclusiveMinimum' in schema ? step : 0)) / step) * step;
  return type === 'integer' ? Math.ceil(value) : value;
}

const FORMATS: Readonly<Record<string, string>> = {
  email: 'someone@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  date: '2030-01-31',
  'date-time': '2030-01-31T12:00:00Z',
  time: '12:00:00Z',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '192.0.2.1',
  hostname: 'example.com',
};

function stringValue(schema: JsonObject): string {
  const format = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined;
  const text = format ?? 'text';
  const shortest = numberOf(schema.minLength) ?? 0;
  const longest = numberOf(schema.maxLength) ?? Number.POSITIVE_INFINITY;
  return text.padEnd(shortest, 'x').slice(0, Math.max(longest, shortest));
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
