/** Lists of tools, resources, templates and prompts, for people to read. */

import { isRecord } from '../../jsonrpc/message.js';
import { singleLine } from '../../protocol/display.js';
import type { Prompt, Resource, ResourceTemplate, Tool, ToolAnnotations } from '../../protocol/index.js';
import { choicesOf, itemSchema, propertySchema, typesOf } from '../arguments/schema-types.js';
import type { Terminal } from './terminal.js';
import { displayWidth, formatBytes, padTo, wrap } from './text.js';

export interface ListedLine {
  readonly name: string;
  readonly summary: string;
  /** One line more: arguments, types. */
  readonly detail: string;
}

const MAX_NAME_WIDTH = 32;
const SUMMARY_LINES = 2;
const MAX_CHOICES_WIDTH = 40;

export function toolEntry(tool: Tool): ListedLine {
  const summary = tool.description ?? tool.title ?? '';
  return {
    name: tool.name,
    summary,
    detail: [signature(tool.inputSchema), flags(tool.annotations)].filter(Boolean).join('  '),
  };
}

export function resourceEntry(resource: Resource): ListedLine {
  const size = resource.size === undefined ? undefined : formatBytes(resource.size);
  return {
    name: resource.uri,
    summary: about(resource),
    detail: [resource.mimeType, size].filter(Boolean).join(', '),
  };
}

export function templateEntry(template: ResourceTemplate): ListedLine {
  return { name: template.uriTemplate, summary: about(template), detail: template.mimeType ?? '' };
}

export function promptEntry(prompt: Prompt): ListedLine {
  const parts = (prompt.arguments ?? []).map((argument) =>
    optional(`${argument.name}=TEXT`, argument.required === true),
  );
  return { name: prompt.name, summary: prompt.description ?? prompt.title ?? '', detail: parts.join(' ') };
}

/** Long descriptions are shortened where a person looks, unless all of them is wanted. */
export function renderSection(
  title: string,
  entries: readonly ListedLine[],
  terminal: Terminal,
  long = false,
): string {
  const head = terminal.style('bold', `${title} (${entries.length})`);
  const cells = entries.map(({ name, summary, detail }) => ({
    name: singleLine(name),
    summary: singleLine(summary),
    detail: singleLine(detail),
  }));
  const limit = Math.min(MAX_NAME_WIDTH, Math.floor(terminal.columns / 3));
  // Names that do not fit have a line for themselves, and no say in the width of the column.
  const widths = cells.map(({ name }) => displayWidth(name)).filter((width) => width <= limit);
  const width = widths.reduce((most, one) => Math.max(most, one), 0);
  return [head, ...cells.flatMap((cell) => renderEntry(cell, width, terminal, long))].join('\n');
}

function renderEntry(
  { name, summary, detail }: ListedLine,
  width: number,
  terminal: Terminal,
  long: boolean,
): string[] {
  const room = terminal.columns - width - 4;
  const lines = [
    ...(summary === '' ? [] : long ? wrap(summary, room) : shortened(wrap(summary, room), SUMMARY_LINES)),
    ...(detail === '' ? [] : wrap(detail, room).map((line) => terminal.style('dim', line))),
  ];
  const margin = ' '.repeat(width + 4);
  const label = terminal.style('cyan', padTo(name, width));
  if (displayWidth(name) > width) return [`  ${label}`, ...lines.map((line) => margin + line)];
  const [first = '', ...rest] = lines;
  return [`  ${label}  ${first}`.trimEnd(), ...rest.map((line) => margin + line)];
}

/** The first lines, and a sign that there are more. In a pipe a description is one line, however long. */
export function shortened(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), `${lines[most - 1]} ...`];
}

/** Arguments as they are written for `plumb call`: `city=TEXT [days=INTEGER]`. */
export function signature(schema: unknown): string {
  const properties = isRecord(schema) && isRecord(schema.properties) ? Object.keys(schema.properties) : [];
  const required = new Set<unknown>(
    isRecord(schema) && Array.isArray(schema.required) ? schema.required : [],
  );
  return properties
    .map((name) => optional(`${name}=${placeholder(propertySchema(schema, name))}`, required.has(name)))
    .join(' ');
}

function optional(text: string, required: boolean): string {
  return required ? text : `[${text}]`;
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  string: 'TEXT',
  integer: 'INTEGER',
  number: 'NUMBER',
  boolean: 'true|false',
  object: 'JSON',
  null: 'null',
};

function placeholder(schema: unknown): string {
  const types = typesOf(schema);
  if (types.has('array')) return `${placeholder(itemSchema(schema))}...`;
  const choices = choicesOf(schema).map(choice).join('|');
  if (choices !== '' && choices.length <= MAX_CHOICES_WIDTH) return choices;
  return [...types].map((type) => PLACEHOLDERS[type] ?? type.toUpperCase()).join('|') || 'VALUE';
}

/** As it has to be written in a shell. */
function choice(value: unknown): string {
  const text = String(value);
  return /^[\w.@%+:,/-]*$/.test(text) ? text : `'${text}'`;
}

function flags(annotations: ToolAnnotations | undefined): string {
  if (annotations?.readOnlyHint === true) return '(read-only)';
  return annotations?.destructiveHint === true ? '(destructive)' : '';
}

function about(item: { name: string; title?: string; description?: string }): string {
  const name = item.title ?? item.name;
  return item.description === undefined ? name : `${name}: ${item.description}`;
}
