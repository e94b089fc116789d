/** Other descriptions, defaults for arguments, and arguments that the model neither sees nor chooses. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import type { ItemRule } from './layer.js';

export interface Rewriting {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** Used where the caller gives none. */
  readonly defaults?: JsonObject | undefined;
  /** Taken out of the schema, and always set to this. */
  readonly fixed?: JsonObject | undefined;
}

/** `{ tools: rewrite({ search: { description: '...', fixed: { index: 'public' } } }) }` */
export function rewrite(tools: Readonly<Record<string, Rewriting>>): ItemRule {
  const rules = new Map(Object.entries(tools));
  const ruleFor = (name: unknown): Rewriting | undefined =>
    typeof name === 'string' ? rules.get(name) : undefined;
  return {
    show: (item) => {
      const rule = ruleFor(item.name);
      if (rule === undefined) return item;
      const shown: JsonObject = { ...item };
      if (rule.title !== undefined) shown.title = rule.title;
      if (rule.description !== undefined) shown.description = rule.description;
      if (isRecord(item.inputSchema)) shown.inputSchema = withoutSettled(item.inputSchema, rule);
      return shown;
    },
    open: (params) => {
      const rule = ruleFor(params.name);
      if (rule?.defaults === undefined && rule?.fixed === undefined) return params;
      const given = isRecord(params.arguments) ? params.arguments : {};
      return { ...params, arguments: { ...rule.defaults, ...given, ...rule.fixed } };
    },
  };
}

function withoutSettled(schema: JsonObject, { defaults = {}, fixed = {} }: Rewriting): JsonObject {
  const rewritten: JsonObject = { ...schema };
  const properties = isRecord(schema.properties) ? schema.properties : {};
  rewritten.properties = Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => !Object.hasOwn(fixed, name))
      .map(([name, property]) =>
        Object.hasOwn(defaults, name) && isRecord(property)
          ? [name, { ...property, default: defaults[name] }]
          : [name, property],
      ),
  );
  if (Array.isArray(schema.required)) {
    rewritten.required = schema.required.filter(
      (name) => !Object.hasOwn(fixed, String(name)) && !Object.hasOwn(defaults, String(name)),
    );
  }
  return rewritten;
}
