/** Values of a form from outside of it: what to begin with, and what is meant. */

import { getDefaultFormState, type RJSFSchema } from '@rjsf/utils';
import { adaptSchema } from './adapt-schema.js';
import { createFormValidator } from './form-validator.js';
import { resolveReferences } from './references.js';
import { createTidy, type FormValue } from './tidy-value.js';

/** The values that the schema suggests. */
export function defaultValues(schema: unknown): FormValue {
  return attempt(
    () => {
      const adapted = adaptedSchema(schema);
      const validator = createFormValidator(schema);
      return createTidy(validator, adapted)(getDefaultFormState(validator, adapted, {}, adapted));
    },
    () => ({}),
  );
}

/** What the user meant with the values in the form. */
export function meantValues(schema: unknown, value: FormValue): FormValue {
  return attempt(
    () => createTidy(createFormValidator(schema), adaptedSchema(schema))(value),
    () => value,
  );
}

function adaptedSchema(schema: unknown): RJSFSchema {
  return adaptSchema(resolveReferences(schema).schema) as RJSFSchema;
}

/** A schema that cannot be used has no form; the form says what is wrong with it. */
function attempt<T>(work: () => T, otherwise: () => T): T {
  try {
    return work();
  } catch {
    return otherwise();
  }
}
