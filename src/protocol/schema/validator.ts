/** Validators of JSON Schemas. What makes them is loaded with the first. */

import type { JsonSchema } from '../model/base.js';
import type { JsonValidator } from './dialect.js';

/** Rejects with a SchemaError where the schema is not usable. */
export async function compileValidator(schema: JsonSchema): Promise<JsonValidator> {
  const { compileJsonSchema } = await import('./json-schema.js');
  return compileJsonSchema(schema);
}
