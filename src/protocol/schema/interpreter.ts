/** Validation without code generation, for runtimes that forbid it. Slower, same answers. */

import { type SchemaDraft, Validator } from '@cfworker/json-schema';
import type { JsonSchema } from '../model/base.js';
import type { JsonValidator } from './json-schema.js';

export function createInterpreter(draft: SchemaDraft): (schema: JsonSchema) => JsonValidator {
  return (schema) => {
    const validator = new Validator(schema, draft, false);
    return (value) => {
      const result = validator.validate(value);
      if (result.valid) return undefined;
      return result.errors.map((error) => ({
        path: error.instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.'),
        message: error.error,
      }));
    };
  };
}
