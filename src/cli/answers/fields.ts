/** One field of a form: how it is shown, and how a typed line becomes its value. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { singleLine } from '../../protocol/display.js';
import type { ElicitSchema } from '../../protocol/index.js';
import type { ElicitValue } from '../../protocol/model/elicitation.js';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly required: boolean;
  /** As the server sent it, which may be anything. */
  readonly schema: JsonObject;
  /** Empty when any value goes. */
  readonly choices: readonly Choice[];
  readonly multiple: boolean;
  readonly fallback: ElicitValue | undefined;
}

export type Parsed = { readonly value: ElicitValue } | { readonly problem: string };

export function fieldsOf(form: ElicitSchema): Field[] {
  const required = Array.isArray(form.required) ? form.required : [];
  return Object.entries(form.properties).map(([name, property]) => {
    const schema: unknown = property;
    return fieldOf(name, isRecord(schema) ? schema : {}, required.includes(name));
  });
}

function fieldOf(name: string, schema: JsonObject, required: boolean): Field {
  return {
    name,
    label: singleLine(typeof schema.title === 'string' ? schema.title : name),
    required,
    schema,
    choices: choicesOf(schema),
    multiple: schema.type === 'array',
    fallback: isElicitValue(schema.default) ? schema.default : undefined,
  };
}

function choicesOf(schema: JsonObject): Choice[] {
  const source = schema.type === 'array' && isRecord(schema.items) ? schema.items : schema;
  const titled = Array.isArray(source.oneOf) ? source.oneOf : source.anyOf;
  if (Array.isArray(titled)) {
    return titled.filter(isRecord).map((option) => choice(option.const, option.title));
  }
  const names = Array.isArray(source.enumNames) ? source.enumNames : [];
  return Array.isArray(source.enum) ? source.enum.map((value, index) => choice(value, names[index])) : [];
}

function choice(value: unknown, title: unknown): Choice {
  const text = String(value);
  return { value: text, label: singleLine(typeof title === 'string' ? title : text) };
}

export function isElicitValue(value: unknown): value is ElicitValue {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** A typed line as a value, or what is wrong with it. */
export function parseInput(field: Field, line: string): Parsed {
  if (field.multiple) return parseSeveral(field, line);
  if (field.choices.length > 0) return parseChoice(field, line);
  switch (field.schema.type) {
    case 'boolean':
      return parseBoolean(line);
    case 'integer':
    case 'number':
      return parseNumber(field.schema, line);
    default:
      return parseText(field.schema, line);
  }
}

function parseSeveral(field: Field, line: string): Parsed {
  const words = line.split(',').map((word) => word.trim());
  const values: string[] = [];
  for (const word of words.filter((candidate) => candidate !== '')) {
    const parsed = parseChoice(field, word);
    if ('problem' in parsed) return parsed;
    values.push(String(parsed.value));
  }
  const { minItems, maxItems } = field.schema;
  if (typeof minItems === 'number' && values.length < minItems)
    return { problem: `choose at least ${minItems}` };
  if (typeof maxItems === 'number' && values.length > maxItems)
    return { problem: `choose at most ${maxItems}` };
  return { value: values };
}

function parseChoice({ choices }: Field, word: string): Parsed {
  const named = choices.find(
    ({ value, label }) => value === word || label.toLowerCase() === word.toLowerCase(),
  );
  const found = named ?? (/^\d+$/.test(word) ? choices[Number(word) - 1] : undefined);
  return found === undefined
    ? { problem: `choose a number from 1 to ${choices.length}` }
    : { value: found.value };
}

function parseBoolean(line: string): Parsed {
  const word = line.toLowerCase();
  if (['y', 'yes', 'true', '1'].includes(word)) return { value: true };
  if (['n', 'no', 'false', '0'].includes(word)) return { value: false };
  return { problem: 'answer yes or no' };
}

function parseNumber({ type, minimum, maximum }: JsonObject, line: string): Parsed {
  const value = line === '' ? Number.NaN : Number(line);
  if (!Number.isFinite(value)) return { problem: 'give a number' };
  if (type === 'integer' && !Number.isInteger(value)) return { problem: 'give a whole number' };
  if (typeof minimum === 'number' && value < minimum) return { problem: `give at least ${minimum}` };
  if (typeof maximum === 'number' && value > maximum) return { problem: `give at most ${maximum}` };
  return { value };
}

const FORMATS: ReadonlyMap<unknown, { readonly fits: (text: string) => boolean; readonly hint: string }> =
  new Map([
    ['email', { fits: (text: string) => /^[^\s@]+@[^\s@]+$/.test(text), hint: 'an e-mail address' }],
    ['uri', { fits: (text: string) => URL.canParse(text), hint: 'a full URI' }],
    [
      'date',
      { fits: (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && isDate(text), hint: 'a date: YYYY-MM-DD' },
    ],
    [
      'date-time',
      {
        fits: (text: string) => /^\d{4}-\d\d-\d\d[Tt ]/.test(text) && isDate(text),
        hint: 'a time: YYYY-MM-DDThh:mm:ssZ',
      },
    ],
  ]);

function isDate(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

function parseText({ minLength, maxLength, format }: JsonObject, line: string): Parsed {
  const length = Array.from(line).length;
  if (typeof minLength === 'number' && length < minLength)
    return { problem: `give at least ${minLength} characters` };
  if (typeof maxLength === 'number' && length > maxLength)
    return { problem: `give at most ${maxLength} characters` };
  const rule = FORMATS.get(format);
  return rule === undefined || rule.fits(line) ? { value: line } : { problem: `give ${rule.hint}` };
}

/** What goes, in a few words: `integer, 1 to 9`. */
export function hintOf({ schema, choices, multiple }: Field): string {
  if (multiple) return 'several: 1,2';
  if (choices.length > 0) return 'one of these';
  switch (schema.type) {
    case 'boolean':
      return 'yes or no';
    case 'integer':
    case 'number':
      return [schema.type === 'integer' ? 'whole number' : 'number', bounds(schema)]
        .filter(Boolean)
        .join(', ');
    default:
      return FORMATS.get(schema.format)?.hint ?? '';
  }
}

function bounds({ minimum, maximum }: JsonObject): string {
  if (typeof minimum === 'number' && typeof maximum === 'number') return `${minimum} to ${maximum}`;
  if (typeof minimum === 'number') return `at least ${minimum}`;
  return typeof maximum === 'number' ? `at most ${maximum}` : '';
}

/** The value as the user knows it. */
export function describeValue({ choices }: Field, value: ElicitValue): string {
  const values: readonly (string | number | boolean)[] = Array.isArray(value) ? value : [value];
  const words = values.map((item) => {
    if (typeof item === 'boolean') return item ? 'yes' : 'no';
    return choices.find((option) => option.value === item)?.label ?? singleLine(String(item));
  });
  return words.join(', ') || 'none';
}
