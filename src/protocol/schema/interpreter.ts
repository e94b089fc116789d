/** Validation without code generation, for runtimes that forbid it. Slower, same answers. */

import { dereference, type OutputUnit, type SchemaDraft, validate } from '@cfworker/json-schema';
import { isRecord } from '../../jsonrpc/message.js';
import type { JsonSchema } from '../model/base.js';
import type { Issue, JsonValidator } from './dialect.js';
import { hasNativePatterns } from './patterns.js';

export function createInterpreter(draft: SchemaDraft): (schema: JsonSchema) => JsonValidator {
  return (source) => {
    // The interpreter has no way to match patterns but its own.
    if (!hasNativePatterns(source))
      throw new Error(
        'a pattern in it may take more than linear time, and this runtime has no engine for it',
      );
    const schema = withoutFormats(source) as JsonSchema;
    const lookup = dereference(schema);
    assertResolved(lookup);
    return (value) => {
      const result = validate(value, schema, draft, lookup, false);
      return result.valid
        ? undefined
        : result.errors.filter((error) => !WRAPPERS.has(error.keyword)).map(describe);
    };
  };
}

/** Keywords that report no more than that something inside them failed, which reports itself. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'items',
  'prefixItems',
  '$ref',
]);

function describe({ instanceLocation, error }: OutputUnit): Issue {
  const path = instanceLocation
    .replace(/^#\/?/, '')
    .replaceAll('/', '.')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
  return { path, message: error };
}

/** Keywords that hold values and no schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/**
 * A copy for the interpreter, which writes notes into the schema it is given, and would assert formats where they
 * are annotations.
 */
function withoutFormats(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutFormats);
  if (!isRecord(schema)) return schema;
  const entries = Object.entries(schema).filter(
    ([key, value]) => key !== 'format' || typeof value !== 'string',
  );
  return Object.fromEntries(
    entries.map(([key, value]) => [key, VALUES.has(key) ? value : withoutFormats(value)]),
  );
}

/** A reference that leads nowhere makes the schema unusable now, not when a value happens to come past it. */
function assertResolved(lookup: Readonly<Record<string, unknown>>): void {
  for (const schema of Object.values(lookup)) {
    if (!isRecord(schema) || typeof schema.$ref !== 'string') continue;
    const target = schema.__absolute_ref__ ?? schema.$ref;
    if (lookup[String(target)] === undefined) throw new Error(`can't resolve reference ${schema.$ref}`);
  }
}
