/** The TypeScript type of the values that a JSON Schema accepts, as far as types can tell. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { localTarget } from '../../protocol/schema/references.js';
import { docComment, literal, type Names } from './identifiers.js';

export interface TypeText {
  /** The type of the schema itself. */
  readonly type: string;
  /** Types that it refers to, as declarations. */
  readonly declarations: string;
}

const MAX_DEPTH = 40;

/** `root` is the name that the type gets where it is declared, for schemas that refer to themselves. */
export function typeOfSchema(schema: unknown, root: string, names: Names): TypeText {
  const writer = new TypeWriter(schema, root, names);
  const type = writer.type(schema, '#', true, 0);
  return { type, declarations: writer.declarations() };
}

class TypeWriter {
  readonly #root: unknown;
  readonly #names: Names;
  /** Names of definitions by their references. */
  readonly #known = new Map<string, string>();
  readonly #pending: string[] = [];

  constructor(root: unknown, name: string, names: Names) {
    this.#root = root;
    this.#names = names;
    this.#known.set('#', name);
  }

  declarations(): string {
    let text = '';
    for (let reference = this.#pending.shift(); reference !== undefined; reference = this.#pending.shift()) {
      const target = localTarget(this.#root, reference);
      const description = isRecord(target) ? describe(target) : undefined;
      const type = this.type(target, reference, true, 0);
      text += `${docComment(description)}type ${this.#known.get(reference)} = ${type};\n\n`;
    }
    return text;
  }

  /** `within`: the definition that is being written; `bare`: nothing stands between its name and this type. */
  type(schema: unknown, within: string, bare: boolean, depth: number): string {
    if (schema === false) return 'never';
    if (!isRecord(schema) || depth > MAX_DEPTH) return 'unknown';
    const parts: string[] = [];
    if (typeof schema.$ref === 'string') parts.push(this.#reference(schema.$ref, within, bare));
    if (schema.const !== undefined) parts.push(valueType(schema.const));
    else if (Array.isArray(schema.enum)) parts.push(union(schema.enum.map(valueType)));
    else parts.push(...this.#typed(schema, within, depth));
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const branches: unknown = schema[keyword];
      if (Array.isArray(branches) && branches.length > 0)
        parts.push(union(branches.map((branch: unknown) => this.type(branch, within, bare, depth + 1))));
    }
    if (Array.isArray(schema.allOf))
      parts.push(...schema.allOf.map((part: unknown) => this.type(part, within, bare, depth + 1)));
    const whole = intersection(parts);
    return schema.nullable === true && whole !== 'unknown' ? union([whole, 'null']) : whole;
  }

  #reference(reference: string, within: string, bare: boolean): string {
    if (localTarget(this.#root, reference) === undefined) return 'unknown';
    // An alias that stands for itself is none.
    if (bare && this.#reaches(reference, within, new Set())) return 'unknown';
    const known = this.#known.get(reference);
    if (known !== undefined) return known;
    const name = this.#names.type(`${this.#known.get('#')} ${reference.split('/').at(-1) ?? 'part'}`);
    this.#known.set(reference, name);
    this.#pending.push(reference);
    return name;
  }

  /** Whether a definition is another one without anything in between. */
  #reaches(from: string, to: string, seen: Set<string>): boolean {
    if (from === to) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return bareReferences(localTarget(this.#root, from)).some((next) => this.#reaches(next, to, seen));
  }

  #typed(schema: JsonObject, within: string, depth: number): string[] {
    const types =
      typeof schema.type === 'string' ? [schema.type] : Array.isArray(schema.type) ? schema.type : [];
    if (types.length === 1 && types[0] === 'object' && saysNothing(schema)) return [];
    if (types.length > 0)
      return [union(types.map((type: unknown) => this.#named(String(type), schema, within, depth)))];
    if (isRecord(schema.properties) || Array.isArray(schema.required))
      return [this.#object(schema, within, depth)];
    return schema.items === undefined && schema.prefixItems === undefined
      ? []
      : [this.#array(schema, within, depth)];
  }

  #named(type: string, schema: JsonObject, within: string, depth: number): string {
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
      case 'number':
        return type;
      case 'integer':
        return 'number';
      case 'array':
        return this.#array(schema, within, depth);
      case 'object':
        return this.#object(schema, within, depth);
      default:
        return 'unknown';
    }
  }

  #array({ items, prefixItems, minItems }: JsonObject, within: string, depth: number): string {
    const item = items === undefined ? 'unknown' : this.type(items, within, false, depth + 1);
    if (!Array.isArray(prefixItems)) return `Array<${item}>`;
    const least = typeof minItems === 'number' ? minItems : 0;
    const first = prefixItems.map((part: unknown, index) => {
      const text = this.type(part, within, false, depth + 1);
      return index < least ? text : `(${text})?`;
    });
    return `[${[...first, ...(items === false ? [] : [`...Array<${item}>`])].join(', ')}]`;
  }

  #object(schema: JsonObject, within: string, depth: number): string {
    const properties = isRecord(schema.properties) ? schema.properties : {};
    const required = new Set(Array.isArray(schema.required) ? schema.required.map(String) : []);
    const { additionalProperties: others } = schema;
    const members = [...new Set([...Object.keys(properties), ...required])].map((name) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : {};
      const text = this.type(property, within, false, depth + 1);
      const doc = isRecord(property) ? docComment(describe(property), '  ') : '';
      return `${doc}  ${literal(name)}${required.has(name) ? '' : '?'}: ${text};\n`;
    });
    if (members.length === 0) {
      if (others === false) return '{ [key: string]: never }';
      return `{ [key: string]: ${others === undefined ? 'unknown' : this.type(others, within, false, depth + 1)} }`;
    }
    if (others === true || isRecord(others)) members.push('  [key: string]: unknown;\n');
    return `{\n${members.join('')}}`;
  }
}

/** An object whose members are all in its branches: as a type of its own it would admit any others. */
function saysNothing(schema: JsonObject): boolean {
  const has = (keyword: string): boolean => schema[keyword] !== undefined;
  return (
    ['anyOf', 'oneOf', 'allOf', '$ref'].some(has) &&
    !['properties', 'required', 'additionalProperties'].some(has)
  );
}

/** What types cannot tell, in words. */
export function describe(schema: JsonObject): string | undefined {
  const limits = LIMITS.filter((keyword) => isLimit(schema[keyword])).map(
    (keyword) => `${keyword}: ${JSON.stringify(schema[keyword])}`,
  );
  const { description, title } = schema;
  const words = typeof description === 'string' ? description : typeof title === 'string' ? title : '';
  const lines = [words, limits.join(', ')].filter((line) => line !== '');
  return lines.length === 0 ? undefined : lines.join('\n');
}

/** The limits of the number type itself, which libraries write at every integer, are none. */
function isLimit(value: unknown): boolean {
  return value !== undefined && !(typeof value === 'number' && Math.abs(value) >= Number.MAX_SAFE_INTEGER);
}

const LIMITS = [
  'format',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'default',
];

function valueType(value: unknown): string {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return literal(value);
  if (Array.isArray(value)) return `[${value.map(valueType).join(', ')}]`;
  if (!isRecord(value)) return 'unknown';
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${literal(key)}: ${valueType(item)}`)
    .join('; ')} }`;
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  if (distinct.length === 0) return 'never';
  if (distinct.includes('unknown')) return 'unknown';
  const [only = 'never'] = distinct;
  return distinct.length === 1 ? only : `(${distinct.join(' | ')})`;
}

function intersection(types: readonly string[]): string {
  const distinct = [...new Set(types)].filter((type) => type !== 'unknown');
  const [only = 'unknown'] = distinct;
  return distinct.length < 2 ? only : `(${distinct.join(' & ')})`;
}

function bareReferences(schema: unknown): string[] {
  if (!isRecord(schema)) return [];
  const own = typeof schema.$ref === 'string' ? [schema.$ref] : [];
  const nested = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => {
    const branches: unknown = schema[keyword];
    return Array.isArray(branches) ? branches.flatMap(bareReferences) : [];
  });
  return [...own, ...nested];
}
