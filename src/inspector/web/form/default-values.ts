/** The values that a schema suggests to begin with. */

import { getDefaultFormState, type RJSFSchema } from '@rjsf/utils';
import { isObject } from '../components/json-value.js';
import { adaptSchema } from './adapt-schema.js';
import { createFormValidator } from './form-validator.js';
import type { FormValue } from './schema-form.js';

export function defaultValues(schema: unknown): FormValue {
  try {
    const adapted = adaptSchema(schema) as RJSFSchema;
    const state: unknown = getDefaultFormState(createFormValidator(schema), adapted, {}, adapted);
    return isObject(state) ? (prune(state) as FormValue) : {};
  } catch {
    // A schema that cannot be used has no defaults either; the form says what is wrong with it.
    return {};
  }
}

/** Empty objects and lists come from the shape of the schema, not from a default. */
function prune(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .map(([name, each]) => [name, prune(each)] as const)
    .filter(([, each]) => !isEmpty(each));
  return Object.fromEntries(entries);
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || (isObject(value) && Object.keys(value).length === 0);
}
