/**
 * Validators for the schemas that most tools have: objects of strings, numbers, booleans, and lists of them.
 * ajv takes a fifth of a second to load and milliseconds for each schema, which is most of what a server does
 * that is started for a few calls. A schema with a keyword that is not here, or with an unusual value of one,
 * is left to ajv. An issue is reported in the words of ajv, though not always the same one first.
 */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { JsonSchema } from '../model/base.js';
import type { Issue, JsonValidator } from './dialect.js';
import type { Pattern } from './patterns.js';

export type CompilePattern = (source: string) => Pattern;
type Check = (value: unknown) => Issue | undefined;
type Subschema = PlainSchema | boolean;

interface PlainSchema {
  readonly type?: TypeName | readonly TypeName[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly maximum?: number;
  readonly minimum?: number;
  readonly exclusiveMaximum?: number;
  readonly exclusiveMinimum?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly items?: Subschema;
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Subschema>>;
  readonly additionalProperties?: Subschema;
}

const TYPES = {
  string: (value: unknown): boolean => typeof value === 'string',
  number: Number.isFinite,
  integer: Number.isInteger,
  boolean: (value: unknown): boolean => typeof value === 'boolean',
  null: (value: unknown): boolean => value === null,
  array: Array.isArray,
  object: isRecord,
} as const;

type TypeName = keyof typeof TYPES;

const isType = (value: unknown): boolean => typeof value === 'string' && Object.hasOwn(TYPES, value);
const isText = TYPES.string;
const isFlag = TYPES.boolean;
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isScalar = (value: unknown): boolean =>
  value === null || isText(value) || isFlag(value) || isNumber(value);
const isNumber = TYPES.number;
const isAnything = (): boolean => true;
const areUnique = (values: readonly unknown[]): boolean => new Set(values).size === values.length;

/** The keywords, and which of their values are plain. */
const KEYWORDS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['title', isText],
  ['description', isText],
  ['$comment', isText],
  // Formats are annotations, as they are for ajv here.
  ['format', isText],
  ['default', isAnything],
  ['examples', Array.isArray],
  ['deprecated', isFlag],
  ['readOnly', isFlag],
  ['writeOnly', isFlag],
  ['type', (value) => isType(value) || (isListOf(value, isType) && value.length > 0 && areUnique(value))],
  ['const', isScalar],
  ['enum', (value) => isListOf(value, isScalar) && value.length > 0 && areUnique(value)],
  ['maximum', isNumber],
  ['minimum', isNumber],
  ['exclusiveMaximum', isNumber],
  ['exclusiveMinimum', isNumber],
  ['maxLength', isCount],
  ['minLength', isCount],
  ['pattern', isPattern],
  ['maxItems', isCount],
  ['minItems', isCount],
  ['items', isSubschema],
  ['maxProperties', isCount],
  ['minProperties', isCount],
  ['required', (value) => isListOf(value, isText) && areUnique(value)],
  ['properties', (value) => isRecord(value) && Object.values(value).every(isSubschema)],
  ['additionalProperties', isSubschema],
]);

function isListOf(value: unknown, isOne: (one: unknown) => boolean): value is readonly unknown[] {
  return Array.isArray(value) && value.every(isOne);
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') !== undefined;
  } catch {
    return false;
  }
}

function isSubschema(schema: unknown): schema is Subschema {
  if (typeof schema === 'boolean') return true;
  // What is undefined is not there; JSON would not have it either.
  return (
    isRecord(schema) &&
    Object.entries(schema).every(([key, value]) => value === undefined || isUsual(key, value))
  );
}

function isUsual(keyword: string, value: unknown): boolean {
  return KEYWORDS.get(keyword)?.(value) ?? keyword.startsWith('x-');
}

export function isPlain(schema: JsonSchema): boolean {
  const { $schema: _, ...rest } = schema;
  try {
    return isSubschema(rest);
  } catch {
    // Nested more deeply than the stack reaches.
    return false;
  }
}

/** For schemas without any. */
function noPatterns(source: string): never {
  throw new Error(`The pattern ${JSON.stringify(source)} was not prepared`);
}

/** For a schema that is plain. */
export function compilePlain(schema: JsonSchema, patterns: CompilePattern = noPatterns): JsonValidator {
  const check = compile(schema as PlainSchema, patterns);
  return (value) => {
    const issue = check(value);
    return issue === undefined ? undefined : [issue];
  };
}

function compile(schema: Subschema, patterns: CompilePattern): Check {
  if (schema === true) return () => undefined;
  if (schema === false) return () => ({ path: '', message: 'boolean schema is false' });
  const checks = [
    checkType(schema),
    checkScalar(schema),
    checkNumber(schema),
    checkString(schema, patterns),
    checkArray(schema, patterns),
    checkObject(schema, patterns),
  ];
  return inTurn(checks.filter((check) => check !== undefined)) ?? (() => undefined);
}

/** One after the other, until one finds something. */
function inTurn(checks: readonly Check[]): Check | undefined {
  const [first, ...others] = checks;
  if (first === undefined) return undefined;
  return others.reduce((before, next) => (value) => before(value) ?? next(value), first);
}

function checkType({ type }: PlainSchema): Check | undefined {
  if (type === undefined) return undefined;
  const issue: Issue = { path: '', message: `must be ${type}` };
  if (typeof type === 'string') {
    const isOne = TYPES[type];
    return (value) => (isOne(value) ? undefined : issue);
  }
  return (value) => (type.some((one) => TYPES[one](value)) ? undefined : issue);
}

function checkNumber(schema: PlainSchema): Check | undefined {
  const { maximum, minimum, exclusiveMaximum, exclusiveMinimum } = schema;
  return inOrder<number>(isNumber, [
    maximum !== undefined && [(value) => value <= maximum, `must be <= ${maximum}`],
    minimum !== undefined && [(value) => value >= minimum, `must be >= ${minimum}`],
    exclusiveMaximum !== undefined && [(value) => value < exclusiveMaximum, `must be < ${exclusiveMaximum}`],
    exclusiveMinimum !== undefined && [(value) => value > exclusiveMinimum, `must be > ${exclusiveMinimum}`],
  ]);
}

function checkString(
  { maxLength, minLength, pattern }: PlainSchema,
  patterns: CompilePattern,
): Check | undefined {
  const expression = pattern === undefined ? undefined : patterns(pattern);
  return inOrder<string>(isText, [
    maxLength !== undefined && [
      (value) => value.length <= maxLength || countCharacters(value) <= maxLength,
      `must NOT have more than ${maxLength} characters`,
    ],
    minLength !== undefined && [
      (value) => countCharacters(value) >= minLength,
      `must NOT have fewer than ${minLength} characters`,
    ],
    expression !== undefined && [(value) => expression.test(value), `must match pattern "${pattern}"`],
  ]);
}

function checkScalar(schema: PlainSchema): Check | undefined {
  const allowed = schema.enum === undefined ? undefined : new Set(schema.enum);
  return inOrder<unknown>(isAnything, [
    schema.const !== undefined && [
      (value) => value === schema.const,
      `must be ${JSON.stringify(schema.const)}`,
    ],
    allowed !== undefined && [(value) => allowed.has(value), `must be one of ${JSON.stringify(schema.enum)}`],
  ]);
}

function checkArray(schema: PlainSchema, patterns: CompilePattern): Check | undefined {
  const { maxItems, minItems, items = true } = schema;
  const limits = inOrder<readonly unknown[]>(Array.isArray, [
    maxItems !== undefined && [
      (value) => value.length <= maxItems,
      `must NOT have more than ${maxItems} items`,
    ],
    minItems !== undefined && [
      (value) => value.length >= minItems,
      `must NOT have fewer than ${minItems} items`,
    ],
  ]);
  if (items === true) return limits;
  const item = compile(items, patterns);
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const issue = limits?.(value);
    if (issue !== undefined) return issue;
    for (let index = 0; index < value.length; index += 1) {
      const inside = item(value[index]);
      if (inside !== undefined) return within(String(index), inside);
    }
    return undefined;
  };
}

function checkObject(schema: PlainSchema, patterns: CompilePattern): Check | undefined {
  const { maxProperties, minProperties } = schema;
  const limits = inOrder<JsonObject>(isRecord, [
    maxProperties !== undefined && [
      (value) => Object.keys(value).length <= maxProperties,
      `must NOT have more than ${maxProperties} properties`,
    ],
    minProperties !== undefined && [
      (value) => Object.keys(value).length >= minProperties,
      `must NOT have fewer than ${minProperties} properties`,
    ],
  ]);
  const named = checkNamed(schema, patterns);
  const others = checkOthers(schema, patterns);
  if (named === undefined && others === undefined) return limits;
  return (value) => (isRecord(value) ? (limits?.(value) ?? named?.(value) ?? others?.(value)) : undefined);
}

type ObjectCheck = (value: JsonObject) => Issue | undefined;

/** The properties that are required, or have a schema of their own. */
function checkNamed(
  { required = [], properties = {} }: PlainSchema,
  patterns: CompilePattern,
): ObjectCheck | undefined {
  const needed = new Set(required);
  const rules = [...new Set([...Object.keys(properties), ...required])].map((name) => ({
    name,
    isRequired: needed.has(name),
    check: Object.hasOwn(properties, name) ? compile(properties[name] ?? true, patterns) : undefined,
  }));
  if (rules.length === 0) return undefined;
  return (value) => {
    for (const { name, isRequired, check } of rules) {
      const item = value[name];
      // `toString` is not there because every object inherits one.
      if (item === undefined || !Object.hasOwn(value, name)) {
        if (isRequired) return { path: name, message: 'is required' };
        continue;
      }
      const issue = check?.(item);
      if (issue !== undefined) return within(name, issue);
    }
    return undefined;
  };
}

function checkOthers(
  { properties = {}, additionalProperties = true }: PlainSchema,
  patterns: CompilePattern,
): ObjectCheck | undefined {
  if (additionalProperties === true) return undefined;
  const names = new Set(Object.keys(properties));
  const check = compile(additionalProperties, patterns);
  return (value) => {
    for (const name in value) {
      if (names.has(name) || !Object.hasOwn(value, name)) continue;
      if (additionalProperties === false) return { path: name, message: 'is not a known property' };
      const issue = check(value[name]);
      if (issue !== undefined) return within(name, issue);
    }
    return undefined;
  };
}

function within(name: string, { path, message }: Issue): Issue {
  return { path: path === '' ? name : `${name}.${path}`, message };
}

/** Code points, as JSON Schema counts: half of a surrogate pair is no character. */
function countCharacters(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index += 1) {
    if (isSurrogate(text, index, 0xd800) && isSurrogate(text, index + 1, 0xdc00)) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}

function isSurrogate(text: string, index: number, first: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === first;
}

type Rule<T> = readonly [holds: (value: T) => boolean, message: string];

/** Reports the first rule that does not hold for a value to which it applies. */
function inOrder<T>(
  concerns: (value: unknown) => boolean,
  rules: readonly (Rule<T> | false)[],
): Check | undefined {
  const checks = rules
    .filter((rule) => rule !== false)
    .map(([holds, message]): Check => {
      const issue: Issue = { path: '', message };
      return (value) => (!concerns(value) || holds(value as T) ? undefined : issue);
    });
  return inTurn(checks);
}
