/** Checks forms without generating code, which the page's policy forbids. */

import { type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import { type RJSFSchema, type RJSFValidationError, toErrorSchema, type ValidatorType } from '@rjsf/utils';
import { isObject } from '../components/json-value.js';
import { type ChosenOptions, complaintsOf, type FormChoice } from './validation-messages.js';

const DRAFTS: readonly (readonly [string, SchemaDraft])[] = [
  ['draft-04', '4'],
  ['draft-06', '7'],
  ['draft-07', '7'],
  ['2019-09', '2019-09'],
];

function draftOf(schema: unknown): SchemaDraft {
  const named = isObject(schema) && typeof schema.$schema === 'string' ? schema.$schema : '';
  return DRAFTS.find(([part]) => named.includes(part))?.[1] ?? '2020-12';
}

/** An error of the form library, with the way to the value that it is about. */
export interface FormError extends RJSFValidationError {
  readonly stack: string;
  readonly path: readonly string[];
}

export type SchemaVerdict =
  | { readonly ok: true; readonly errors: readonly FormError[] }
  /** The schema itself cannot be used. */
  | { readonly ok: false; readonly message: string };

/** Checks a value against a schema as the server sent it. */
export function checkAgainst(schema: unknown, value: unknown, choice?: FormChoice): SchemaVerdict {
  try {
    const { errors } = new Validator(schema as Schema, draftOf(schema), false).validate(value);
    return { ok: true, errors: complaintsOf(errors, schema, value, choice).map(toFormError) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

function toFormError({ path, keyword, message }: ReturnType<typeof complaintsOf>[number]): FormError {
  const property = path
    .map((step) => (/^\w+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`))
    .join('');
  return {
    name: keyword,
    property: property || '.',
    message,
    path,
    stack: `${path.join('.')} ${message}`.trim(),
  };
}

/** The form shows an adapted schema, and holds more than its user meant; what counts is the original, and what was meant. */
export function createFormValidator(
  original: unknown,
  meant: (value: unknown) => unknown = (value) => value,
  form?: { readonly chosen: ChosenOptions; readonly idPrefix: string },
): ValidatorType<unknown, RJSFSchema> {
  const choice: FormChoice = (path) => {
    const id = [form?.idPrefix ?? '', ...path].join('_');
    return form?.chosen.get(id);
  };
  return {
    validateFormData(formData) {
      const verdict = checkAgainst(original, meant(formData ?? {}), choice);
      const errors = verdict.ok ? [...verdict.errors] : [];
      return { errors, errorSchema: toErrorSchema(errors) };
    },
    isValid(schema, formData, rootSchema) {
      const { $defs, definitions } = rootSchema;
      const whole = { ...($defs ? { $defs } : {}), ...(definitions ? { definitions } : {}), ...schema };
      const verdict = checkAgainst(whole, formData);
      return verdict.ok && verdict.errors.length === 0;
    },
    rawValidation<Result>(schema: RJSFSchema, formData?: unknown) {
      const verdict = checkAgainst(schema, formData);
      if (!verdict.ok) return { validationError: new Error(verdict.message) };
      return { errors: verdict.errors as Result[] };
    },
  };
}
