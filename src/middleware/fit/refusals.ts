/** Why a provider refuses a tool. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { PROVIDER_RULES, type Provider, type ProviderRules } from './provider-rules.js';

export interface ProviderRefusal {
  readonly rule: string;
  readonly message: string;
  readonly source: string;
  /** Only some models refuse it. */
  readonly partial?: boolean;
}

const MAX_DEPTH = 64;

export function refusals(provider: Provider, tool: JsonObject): ProviderRefusal[] {
  const rules = PROVIDER_RULES[provider];
  const found: ProviderRefusal[] = [];
  const name = String(tool.name);
  const { pattern, max, source } = rules.name;
  if (!pattern.test(name))
    found.push({ rule: 'tool-name', message: `the name does not match ${pattern}`, source });
  else if (name.length > max)
    found.push({
      rule: 'tool-name',
      message: `the name has ${name.length} characters, and ${max} are allowed`,
      source,
    });
  const { description } = tool;
  if (rules.description !== undefined && typeof description === 'string') {
    const limit = rules.description;
    if (description.length > limit.max) {
      const message = `the description has ${description.length} characters, and some models allow ${limit.max}`;
      found.push({ rule: 'description-length', message, source: limit.source, partial: true });
    }
  }
  const { inputSchema } = tool;
  if (!isRecord(inputSchema)) return found;
  if (inputSchema.type !== 'object')
    found.push({ rule: 'root-type', message: 'the root must have type "object"', source: rules.root.source });
  for (const keyword of rules.root.refused) {
    if (inputSchema[keyword] === undefined) continue;
    found.push({
      rule: 'root-keyword',
      message: `${keyword} is refused at the root`,
      source: rules.root.source,
    });
  }
  inspect(inputSchema, rules, '', 0, found);
  return found;
}

function inspect(
  schema: JsonObject,
  rules: ProviderRules,
  path: string,
  depth: number,
  found: ProviderRefusal[],
): void {
  if (depth > MAX_DEPTH) return;
  const at = path === '' ? 'the root' : path.slice(1);
  const types = typesOf(schema);
  if (rules.items !== undefined && types.includes('array') && !isRecord(schema.items))
    found.push({
      rule: 'array-items',
      message: `${at} is an array without items`,
      source: rules.items.source,
    });
  if (rules.keywords !== undefined) {
    const { known, source } = rules.keywords;
    for (const keyword of Object.keys(schema)) {
      const isRefusedAtRoot = depth === 0 && rules.root.refused.includes(keyword);
      if (known.has(keyword) || isRefusedAtRoot) continue;
      found.push({
        rule: 'unknown-keyword',
        message: `${at} has ${keyword}, which is not supported`,
        source,
      });
    }
    if (Array.isArray(schema.type))
      found.push({
        rule: 'type-list',
        message: `${at} has a list of types; write nullable or anyOf`,
        source,
      });
  }
  if (rules.formats !== undefined && typeof schema.format === 'string') {
    const { known, source } = rules.formats;
    if (!types.some((type) => known[type]?.includes(String(schema.format))))
      found.push({
        rule: 'format',
        message: `${at} has the format ${schema.format}, which is not supported`,
        source,
      });
  }
  if (
    rules.textEnums !== undefined &&
    Array.isArray(schema.enum) &&
    schema.enum.some((value) => typeof value !== 'string')
  )
    found.push({
      rule: 'enum-text',
      message: `${at} lists values that are not strings`,
      source: rules.textEnums.source,
    });
  const properties = isRecord(schema.properties) ? schema.properties : {};
  if (
    rules.filledObjects !== undefined &&
    depth > 0 &&
    types.includes('object') &&
    Object.keys(properties).length === 0
  )
    found.push({
      rule: 'empty-object',
      message: `${at} is an object without properties`,
      source: rules.filledObjects.source,
    });
  for (const [name, property] of Object.entries(properties)) {
    if (rules.property !== undefined && !rules.property.pattern.test(name)) {
      const message = `the argument ${JSON.stringify(name)} does not match ${rules.property.pattern}`;
      found.push({ rule: 'argument-name', message, source: rules.property.source });
    }
    if (isRecord(property)) inspect(property, rules, `${path}.${name}`, depth + 1, found);
  }
  if (isRecord(schema.items)) inspect(schema.items, rules, `${path}[]`, depth + 1, found);
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const branches: readonly unknown[] = Array.isArray(schema[keyword]) ? schema[keyword] : [];
    for (const branch of branches)
      if (isRecord(branch)) inspect(branch, rules, `${path}.<${keyword}>`, depth + 1, found);
  }
}

export function typesOf({ type }: JsonObject): readonly string[] {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.map(String) : [];
}
