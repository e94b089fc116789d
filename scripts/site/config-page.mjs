/** The reference of the chain's configuration file, from schema/chain.schema.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.mjs';

/**
 * @typedef {object} Schema
 * @property {string | string[]} [type]
 * @property {string} [description]
 * @property {unknown[]} [enum]
 * @property {unknown} [const]
 * @property {string} [$ref]
 * @property {Schema} [items]
 * @property {Schema[]} [anyOf]
 * @property {Record<string, Schema>} [properties]
 * @property {boolean | Schema} [additionalProperties]
 * @property {string[]} [required]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {Record<string, Schema>} [$defs]
 */

/** @returns {string} */
export function configPage() {
  /** @type {Schema} */
  const schema = JSON.parse(readFileSync(join(root, 'schema', 'chain.schema.json'), 'utf8'));
  const { server = {}, middleware = {} } = schema.$defs ?? {};
  const layers = Object.entries(middleware.properties ?? {});
  return [
    '# Configuration file of a chain',
    '',
    'Made from `schema/chain.schema.json`, which editors use too: begin a YAML file with',
    '`# yaml-language-server: $schema=node_modules/plumb-mcp/schema/chain.schema.json`. A file is YAML or JSON, and values may',
    'refer to [environment variables](../chain.md#configuration-file). `plumb chain FILE` serves it, and',
    '[the cookbook](./cookbook.md) has examples.',
    '',
    '## The file',
    '',
    ...table(schema, schema),
    '',
    '## A server',
    '',
    server.description ?? '',
    '[Servers](../chain.md#servers) explains each option.',
    '',
    ...table(server, schema),
    '',
    '## Middleware',
    '',
    middleware.description ?? '',
    '[Middleware](../chain.md#middleware) says what each one does.',
    '',
    ...layers.flatMap(([name, layer]) => layerLines(name, layer, schema)),
  ].join('\n');
}

/**
 * @param {Schema} object
 * @param {Schema} whole
 */
function table(object, whole) {
  const rows = Object.entries(object.properties ?? {}).filter(([name]) => name !== '$schema');
  return [
    '| key | value | |',
    '|---|---|---|',
    ...rows.map(([name, given]) => {
      const value = resolved(given, whole);
      const needed = object.required?.includes(name) ? 'required. ' : '';
      return `| \`${name}\` | ${cell(typeText(value, whole))} | ${needed}${cell(given.description ?? value.description ?? '')} |`;
    }),
  ];
}

/**
 * @param {string} name
 * @param {Schema} given
 * @param {Schema} whole
 */
function layerLines(name, given, whole) {
  const layer = resolved(given, whole);
  const about = given.description ?? layer.description;
  const options = Object.keys(layer.properties ?? {}).length > 0;
  const single = options || layer.type === 'object' ? [] : [`Value: ${typeText(layer, whole)}`, ''];
  return [
    `### ${name}`,
    '',
    ...(about === undefined ? [] : [about, '']),
    ...single,
    ...(options ? [...table(layer, whole), ''] : []),
    ...(layer.type === 'object' && !options && typeof layer.additionalProperties === 'object'
      ? ['By name of the tool:', '', ...table(resolved(layer.additionalProperties, whole), whole), '']
      : []),
    ...(layer.type === 'object' && !options && layer.additionalProperties === false
      ? ['No options.', '']
      : []),
  ];
}

/**
 * @param {Schema} schema
 * @param {Schema} whole
 * @returns {Schema}
 */
function resolved(schema, whole) {
  const name = schema.$ref?.replace('#/$defs/', '');
  return name === undefined ? schema : { ...whole.$defs?.[name], ...schema };
}

/**
 * @param {Schema} given
 * @param {Schema} whole
 * @returns {string}
 */
function typeText(given, whole) {
  const schema = resolved(given, whole);
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(' or ');
  if (schema.anyOf !== undefined) return schema.anyOf.map((member) => typeText(member, whole)).join(' or ');
  if (schema.type === 'array') return `list of ${plural(typeText(schema.items ?? {}, whole))}`;
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object')
    return `map of ${plural(typeText(schema.additionalProperties, whole))}`;
  const types = [schema.type ?? 'value'].flat();
  const range = [
    ...(schema.minimum === undefined ? [] : [`at least ${schema.minimum}`]),
    ...(schema.maximum === undefined ? [] : [`at most ${schema.maximum}`]),
  ].join(', ');
  return `${types.join(' or ')}${range === '' ? '' : `, ${range}`}`;
}

/** @param {string} words */
function plural(words) {
  return words.replaceAll(/\b(string|number|boolean|object|value|integer)\b/g, '$1s');
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
