/** Test cases for a tool, from its input schema. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { Tool } from '../../protocol/model/tools.js';
import type { JsonValidator } from '../../protocol/schema/dialect.js';
import { compileValidator } from '../../protocol/schema/validator.js';
import { validArguments } from '../../validate/generate/arguments.js';
import { boundsOf } from '../../validate/generate/bounds.js';
import { sampleObject } from './sample-value.js';

export interface GeneratedCase {
  /** `tool`, or `tool:what` for further cases. */
  readonly name: string;
  readonly args: JsonObject;
  readonly kind: 'valid' | 'edge' | 'negative';
  /** Why it must fail, or what is special. */
  readonly description?: string;
}

export interface CaseKinds {
  readonly edges: boolean;
  readonly negatives: boolean;
}

const MAX_EDGE_LENGTH = 10_000;
const MAX_ENUM = 8;

export async function toolCases(tool: Tool, kinds: CaseKinds): Promise<GeneratedCase[]> {
  const schema: JsonObject = isRecord(tool.inputSchema) ? tool.inputSchema : {};
  const validator = await compileValidator(schema).catch(() => undefined);
  const args = validSample(schema, validator);
  const edges = kinds.edges ? edgeCases(tool.name, schema, args) : [];
  const negatives = kinds.negatives ? negativeCases(tool.name, schema, args) : [];
  const fits = (given: JsonObject): boolean => validator === undefined || validator(given) === undefined;
  return [
    { name: tool.name, args, kind: 'valid' },
    ...edges.filter((each) => fits(each.args)),
    // A value that the schema allows after all would be no mistake.
    ...negatives.filter((each) => validator !== undefined && !fits(each.args)),
  ];
}

function validSample(schema: JsonObject, validator: JsonValidator | undefined): JsonObject {
  const byName = sampleObject(schema, schema);
  if (validator === undefined || validator(byName) === undefined) return byName;
  return validArguments(schema);
}

function propertiesOf(schema: JsonObject): [string, JsonObject][] {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  return Object.entries(properties).flatMap(([name, property]) =>
    isRecord(property) ? [[name, property]] : [],
  );
}

function edgeCases(tool: string, schema: JsonObject, base: JsonObject): GeneratedCase[] {
  return propertiesOf(schema).flatMap(([name, property]) => {
    const edge = (what: string, value: unknown): GeneratedCase => ({
      name: `${tool}:${what}-${name}`,
      args: { ...base, [name]: value },
      kind: 'edge',
    });
    const { type, minLength, maxLength, enum: choices } = property;
    const { minimum, maximum } = boundsOf(property);
    const cases: GeneratedCase[] = [];
    if (
      type === 'string' &&
      choices === undefined &&
      property.format === undefined &&
      property.pattern === undefined
    ) {
      if (minLength === undefined) cases.push(edge('empty', ''));
      else if (typeof minLength === 'number' && minLength <= MAX_EDGE_LENGTH)
        cases.push(edge('min', 'x'.repeat(minLength)));
      if (typeof maxLength === 'number' && maxLength <= MAX_EDGE_LENGTH)
        cases.push(edge('maxlen', 'x'.repeat(maxLength)));
    }
    if (type === 'array' && property.minItems === undefined) cases.push(edge('empty', []));
    if (minimum !== undefined) cases.push(edge('min', minimum));
    if (maximum !== undefined) cases.push(edge('max', maximum));
    if (Array.isArray(choices))
      for (const [index, choice] of choices.slice(0, MAX_ENUM).entries())
        if (base[name] !== choice) cases.push(edge(`choice${index + 1}`, choice));
    return cases;
  });
}

const OTHER_TYPE: Readonly<Record<string, unknown>> = {
  string: { not: 'a string' },
  number: 'not a number',
  integer: 'not a number',
  boolean: 'not a boolean',
  array: 'not an array',
  object: 'not an object',
};

function negativeCases(tool: string, schema: JsonObject, base: JsonObject): GeneratedCase[] {
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const missing = required
    .filter((name) => typeof name === 'string')
    .map((name): GeneratedCase => {
      const { [name]: _, ...args } = base;
      const description = `the schema requires "${name}"`;
      return { name: `${tool}:missing-${name}`, args, kind: 'negative', description };
    });
  const wrong = propertiesOf(schema).flatMap(([name, property]) => {
    const negative = (what: string, value: unknown, description: string): GeneratedCase => ({
      name: `${tool}:${what}-${name}`,
      args: { ...base, [name]: value },
      kind: 'negative',
      description: `the schema does not allow it: ${description}`,
    });
    const { type, maxLength, enum: choices } = property;
    const { minimum, maximum } = boundsOf(property);
    const cases: GeneratedCase[] = [];
    if (typeof type === 'string' && type in OTHER_TYPE)
      cases.push(negative('invalid-type', OTHER_TYPE[type], `"${name}" must be of type ${type}`));
    if (maximum !== undefined)
      cases.push(negative('exceed-max', maximum + 1, `"${name}" is at most ${maximum}`));
    if (minimum !== undefined)
      cases.push(negative('below-min', minimum - 1, `"${name}" is at least ${minimum}`));
    if (typeof maxLength === 'number' && maxLength < MAX_EDGE_LENGTH)
      cases.push(
        negative('exceed-maxlen', 'x'.repeat(maxLength + 1), `"${name}" has at most ${maxLength} characters`),
      );
    if (Array.isArray(choices))
      cases.push(negative('not-a-choice', 'plumb-no-such-choice', `"${name}" must be one of its choices`));
    return cases;
  });
  return [...missing, ...wrong];
}

/** Words of tools that change something. */
const CHANGING =
  /(^|[^a-z])(add|append|archive|assign|cancel|clear|close|commit|copy|create|delete|deploy|disable|drop|edit|enable|erase|exec|execute|insert|install|kill|merge|modify|move|patch|post|publish|purge|push|put|refund|remove|rename|replace|reset|restart|revoke|run|save|send|set|shutdown|stop|submit|transfer|truncate|uninstall|update|upload|wipe|write)([^a-z]|$)/;

/** Why the tool is not called without a look at its arguments; undefined when it can be. */
export function destructiveReason({ name, annotations }: Tool): string | undefined {
  if (annotations?.readOnlyHint === true) return undefined;
  if (annotations?.destructiveHint === true) return 'the server marks it as destructive';
  if (annotations?.destructiveHint === false) return undefined;
  const words = name.replaceAll(/([a-z])([A-Z])/g, '$1-$2').toLowerCase();
  return CHANGING.test(words) ? 'its name says that it changes something' : undefined;
}
