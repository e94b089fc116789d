/**
 * What the user meant, out of what the form holds. The library fills in the first of several alternatives and the
 * places of tuples by itself; what is optional and still as it came was not meant.
 */

import { deepEquals, getDefaultFormState, type RJSFSchema, type ValidatorType } from '@rjsf/utils';
import { isObject } from '../components/json-value.js';

export type FormValue = Readonly<Record<string, unknown>>;
export type Tidy = (value: unknown) => FormValue;

export function createTidy(validator: ValidatorType<unknown, RJSFSchema>, adapted: RJSFSchema): Tidy {
  const initial: unknown = getDefaultFormState(validator, adapted, {}, adapted);
  return (value) => (isObject(value) ? tidyObject(value, initial, adapted, adapted) : {});
}

function tidyObject(value: FormValue, initial: unknown, schema: unknown, root: unknown): FormValue {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const required: readonly unknown[] =
    isObject(schema) && Array.isArray(schema.required) ? schema.required : [];
  const entries = Object.entries(value).flatMap(([name, each]) => {
    if (each === undefined) return [];
    const property = properties[name];
    const came = isObject(initial) ? initial[name] : undefined;
    const optional = property !== undefined && !required.includes(name);
    if (optional && !suggests(property, root) && (isBlank(each) || deepEquals(each, came))) return [];
    const inner = isObject(each) && isObject(property) && isObject(property.properties);
    return [[name, inner ? tidyObject(each, came, property, root) : withoutGaps(each)]];
  });
  return Object.fromEntries(entries) as FormValue;
}

/** Whether the schema itself has a value to begin with. */
function suggests(schema: unknown, root: unknown): boolean {
  const text = JSON.stringify(schema) ?? '';
  if (text.includes('"default":')) return true;
  const [, name] = /"\$ref":"#\/(?:\$defs|definitions)\/([^"/]+)"/.exec(text) ?? [];
  if (name === undefined || !isObject(root)) return false;
  const defined = [root.$defs, root.definitions].find(isObject)?.[name];
  return (JSON.stringify(defined) ?? '').includes('"default":');
}

function isBlank(value: unknown): boolean {
  if (Array.isArray(value))
    return value.length > 0 && value.every((item) => item === undefined || item === null);
  return isObject(value) && Object.values(value).every((each) => each === undefined);
}

function withoutGaps(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
