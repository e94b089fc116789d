/** Forms: reading the server's question, filling in defaults, and checking our own answer before it leaves. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type {
  ElicitParams,
  ElicitResult,
  ElicitSchema,
  ElicitValue,
} from '../../protocol/model/elicitation.js';

type Content = { [field: string]: ElicitValue };

export function isElicitParams(params: JsonObject): params is ElicitParams {
  if (typeof params.message !== 'string') return false;
  if (params.mode === 'url') return typeof params.url === 'string';
  if (params.mode !== undefined && params.mode !== 'form') return false;
  return isRecord(params.requestedSchema) && isRecord(params.requestedSchema.properties);
}

/** An accepted form with the default of each field that has one. */
export function acceptDefaults(schema: ElicitSchema): ElicitResult {
  return { action: 'accept', content: withDefaults(schema, {}) };
}

/** The user's answer to an elicitation: `accept({ unit: 'C' })`. */
export function accept(content: Content = {}): ElicitResult {
  return { action: 'accept', content };
}

/** The user said no. */
export function decline(): ElicitResult {
  return { action: 'decline' };
}

/** The user closed the dialog without a choice. */
export function dismiss(): ElicitResult {
  return { action: 'cancel' };
}

/** The answer as it may leave: content with an accepted form and nowhere else, defaults filled in, values that fit. */
export function completeAnswer(params: ElicitParams, answer: ElicitResult): ElicitResult {
  if (answer.action !== 'accept' && answer.action !== 'decline' && answer.action !== 'cancel') {
    throw new TypeError('An elicitation handler returns accept(content), decline() or dismiss()');
  }
  if (answer.action !== 'accept' || params.mode === 'url') return { action: answer.action };
  const content = withDefaults(params.requestedSchema, answer.content ?? {});
  const problem = findProblem(params.requestedSchema, content);
  if (problem !== undefined)
    throw new TypeError(`The accepted form does not fit what the server asked: ${problem}`);
  return { action: 'accept', content };
}

function withDefaults(schema: ElicitSchema, content: Content): Content {
  const filled: Content = { ...content };
  for (const [name, field] of Object.entries(schema.properties)) {
    if (Object.hasOwn(filled, name) || field.default === undefined) continue;
    filled[name] = field.default;
  }
  return filled;
}

/** Types, choices and presence; lengths, ranges and formats are left to the server, who has the last word anyway. */
function findProblem(schema: ElicitSchema, content: Content): string | undefined {
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(content, name)) return `"${name}" is required`;
  }
  for (const [name, value] of Object.entries(content)) {
    const field: unknown = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (!isRecord(field)) continue;
    if (!fitsType(field.type, value)) return `"${name}" must be ${String(field.type)}, not ${typeof value}`;
    const choices = choicesOf(field);
    const chosen: readonly unknown[] = Array.isArray(value) ? value : [value];
    const stray = choices && chosen.find((item) => !choices.includes(item));
    if (stray !== undefined)
      return `"${name}" must be one of ${JSON.stringify(choices)}, not ${JSON.stringify(stray)}`;
  }
  return undefined;
}

function fitsType(type: unknown, value: ElicitValue): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'number':
      return typeof value === type;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    default:
      return true;
  }
}

function choicesOf(field: JsonObject): readonly unknown[] | undefined {
  if (Array.isArray(field.enum)) return field.enum;
  if (Array.isArray(field.oneOf)) return field.oneOf.filter(isRecord).map((option) => option.const);
  if (!isRecord(field.items)) return undefined;
  if (Array.isArray(field.items.enum)) return field.items.enum;
  return Array.isArray(field.items.anyOf)
    ? field.items.anyOf.filter(isRecord).map((option) => option.const)
    : undefined;
}
