/** Which fields the form library uses: its own, and JSON for what may be anything. */

import StandardField from '@rjsf/core/lib/components/fields/SchemaField.js';
import type { FieldProps, RegistryFieldsType } from '@rjsf/utils';
import { JsonField } from './json-field.js';

/** Deeper than this a form is no help any more. */
const MAX_DEPTH = 12;
const KEYWORDS = [
  'type',
  'enum',
  'const',
  'oneOf',
  'anyOf',
  'allOf',
  'properties',
  'items',
  '$ref',
  'if',
  'patternProperties',
];

function SchemaField(props: FieldProps) {
  const { fieldPathId, schema } = props;
  const inner = fieldPathId.path.length > 0;
  if (inner && (holdsAnything(schema) || fieldPathId.path.length > MAX_DEPTH))
    return <JsonField {...props} />;
  return <StandardField {...props} />;
}

/** No type at all, several structured ones, or an object of which nothing is known. */
function holdsAnything(schema: unknown): boolean {
  if (typeof schema === 'boolean') return schema;
  if (typeof schema !== 'object' || schema === null) return false;
  const given = schema as Readonly<Record<string, unknown>>;
  if (Array.isArray(given.type)) {
    const types = given.type.filter((type) => type !== 'null');
    return types.length > 1 && types.some((type) => type === 'object' || type === 'array');
  }
  if (given.type === 'object') {
    const known = given.properties ?? given.patternProperties ?? given.oneOf ?? given.anyOf ?? given.allOf;
    const rest = given.additionalProperties;
    return known === undefined && (rest === undefined || rest === true || isEmpty(rest));
  }
  return KEYWORDS.every((keyword) => !(keyword in given));
}

function isEmpty(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0;
}

export const fields: RegistryFieldsType = { SchemaField };
