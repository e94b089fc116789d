/** A typed client for one server: a file for each tool, one for prompts, one for resources, and an index. */

import type { Surface } from '../../chain/lock/surface.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { docComment, literal, Names } from './identifiers.js';
import { CLI_TEXT, CLIENT_TEXT, HEADER } from './runtime-text.js';
import { describe, typeOfSchema } from './schema-type.js';

export interface GenerateOptions {
  /** Also a program for the command line: how it reaches the server. */
  readonly cli?: { readonly target: string | { readonly command: string; readonly args: readonly string[] } };
  /** Files import each other as `.ts`, which Node needs where it runs TypeScript itself. Default: as `.js`. */
  readonly tsImports?: boolean;
}

/** The files by their paths. */
export function generateClient(surface: Surface, options: GenerateOptions = {}): Map<string, string> {
  const names = new Names();
  const files = new Map<string, string>([['client.ts', CLIENT_TEXT]]);
  const tools = (surface.lists.tools ?? []).map((tool) => generateTool(tool, names));
  for (const tool of tools) files.set(`tools/${tool.id}.ts`, tool.text);
  const prompts = (surface.lists.prompts ?? []).map((prompt) => generatePrompt(prompt, names));
  const imports = "import { type Caller, getPrompt, type PromptResult } from './client.js';\n\n";
  if (prompts.length > 0)
    files.set('prompts.ts', `${HEADER}${imports}${prompts.map(({ text }) => text).join('\n')}`);
  const resources = generateResources(surface, names);
  if (resources !== undefined) files.set('resources.ts', resources);
  files.set('index.ts', generateIndex(surface, tools, prompts, resources !== undefined));
  if (options.cli !== undefined) files.set('cli.ts', generateCli(surface.lists.tools ?? [], options.cli));
  if (options.tsImports === true) for (const [path, text] of files) files.set(path, withTsImports(text));
  return files;
}

/** Statements begin their lines, which nothing that came from the server does. */
function withTsImports(text: string): string {
  return text.replace(/^((?:import|export) .* from '\.{1,2}\/[^']*)\.js';$/gm, "$1.ts';");
}

interface Generated {
  readonly id: string;
  /** The type of the arguments. */
  readonly input: string;
  readonly isOptional: boolean;
  readonly text: string;
}

function generateTool(tool: JsonObject, names: Names): Generated {
  const name = String(tool.name);
  const id = names.value(name);
  const input = names.type(`${id} input`);
  const schema = isRecord(tool.inputSchema) ? tool.inputSchema : {};
  const given = typeOfSchema(withType(schema), input, names);
  const output = tool.outputSchema === undefined ? undefined : names.type(`${id} output`);
  const returned = output === undefined ? undefined : typeOfSchema(tool.outputSchema, output, names);
  const isOptional = acceptsNothing(schema);
  const parameter = isOptional ? `args: ${input} = {}` : `args: ${input}`;
  const description = typeof tool.description === 'string' ? tool.description : String(tool.title ?? '');
  const text = [
    HEADER,
    "import { type Caller, callTool, type ToolResult } from '../client.js';\n\n",
    given.declarations,
    `export type ${input} = ${given.type};\n\n`,
    returned === undefined ? '' : `${returned.declarations}export type ${output} = ${returned.type};\n\n`,
    docComment(description),
    `export function ${id}(client: Caller, ${parameter}): Promise<ToolResult<${output ?? 'unknown'}>> {\n`,
    `  return callTool(client, ${literal(name)}, args);\n}\n`,
  ].join('');
  return { id, input, isOptional, text };
}

/** Arguments are an object, also where the schema does not say so. */
function withType(schema: JsonObject): JsonObject {
  return schema.type === undefined && schema.$ref === undefined ? { ...schema, type: 'object' } : schema;
}

/** Whether `{}` will do. It never has the right type where a property has the name of a method that all objects have. */
function acceptsNothing(schema: JsonObject): boolean {
  const keywords = ['anyOf', 'oneOf', 'allOf', '$ref', 'const', 'enum'];
  if (keywords.some((keyword) => schema[keyword] !== undefined)) return false;
  if (
    Object.keys(isRecord(schema.properties) ? schema.properties : {}).some((name) => name in Object.prototype)
  )
    return false;
  return !Array.isArray(schema.required) || schema.required.length === 0;
}

function generatePrompt(prompt: JsonObject, names: Names): Generated {
  const name = String(prompt.name);
  const id = names.value(`${name} prompt`);
  const input = names.type(`${id} arguments`);
  const list: readonly unknown[] = Array.isArray(prompt.arguments) ? prompt.arguments : [];
  const given = list.filter((item) => isRecord(item));
  const properties = given.map((item): [string, JsonObject] => [
    String(item.name),
    { type: 'string', ...(typeof item.description === 'string' ? { description: item.description } : {}) },
  ]);
  const required = given.filter((item) => item.required === true).map((item) => String(item.name));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: false,
  };
  const { type } = typeOfSchema(schema, input, names);
  const isOptional = acceptsNothing(schema);
  const text = [
    `export type ${input} = ${type};\n\n`,
    docComment(typeof prompt.description === 'string' ? prompt.description : undefined),
    `export function ${id}(client: Caller, args: ${input}${isOptional ? ' = {}' : ''}): Promise<PromptResult> {\n`,
    `  return getPrompt(client, ${literal(name)}, args);\n}\n`,
  ].join('');
  return { id, input, isOptional, text };
}

const SIMPLE_TEMPLATE = /^(?:[^{}]|\{[+]?\w+\})*$/;

function generateResources({ lists }: Surface, names: Names): string | undefined {
  const { resources = [], resourceTemplates = [] } = lists;
  if (resources.length === 0 && resourceTemplates.length === 0) return undefined;
  const entries = resources.map((resource) => {
    const doc = docComment(String(resource.description ?? resource.title ?? ''), '  ');
    return `${doc}  ${names.value(`${resource.name} uri`)}: ${literal(resource.uri)},\n`;
  });
  const templates = resourceTemplates.map((template) => generateTemplate(template, names));
  return [
    HEADER,
    "import { type Caller, readResource, type ResourceResult } from './client.js';\n\n",
    `/** The addresses that the server lists. */\nexport const resources = {\n${entries.join('')}} as const;\n\n`,
    'export function read(client: Caller, uri: string): Promise<ResourceResult> {\n  return readResource(client, uri);\n}\n',
    ...templates,
  ].join('');
}

/** Variables of the simple kinds are filled in; other templates take the whole address. */
function generateTemplate(template: JsonObject, names: Names): string {
  const text = String(template.uriTemplate);
  const id = names.value(`read ${template.name}`);
  const doc = docComment(`${String(template.description ?? '')}\n${text}`);
  if (!SIMPLE_TEMPLATE.test(text) || !text.includes('{'))
    return `\n${doc}export function ${id}(client: Caller, uri: string): Promise<ResourceResult> {\n  return readResource(client, uri);\n}\n`;
  const parts = text.split(/(\{[+]?\w+\})/);
  const variables = [...new Set(parts.filter((_, index) => index % 2 === 1).map(variableOf))];
  const type = `{ ${variables.map((name) => `${literal(name)}: string`).join('; ')} }`;
  const uri = parts
    .map((part, index) => {
      if (index % 2 === 0) return part === '' ? '' : literal(part);
      return `${part.startsWith('{+') ? 'encodeURI' : 'encodeURIComponent'}(args[${literal(variableOf(part))}])`;
    })
    .filter((part) => part !== '')
    .join(' + ');
  return `\n${doc}export function ${id}(client: Caller, args: ${type}): Promise<ResourceResult> {\n  return readResource(client, ${uri});\n}\n`;
}

function variableOf(expression: string): string {
  return expression.replaceAll(/[{}+]/g, '');
}

function generateIndex(
  { server }: Surface,
  tools: readonly Generated[],
  prompts: readonly Generated[],
  hasResources: boolean,
): string {
  const bound = (list: readonly Generated[]): string =>
    list
      .map(
        ({ id, input, isOptional }) =>
          `      ${id}: (args: ${input}${isOptional ? ' = {}' : ''}) => ${id}(client, args),\n`,
      )
      .join('');
  const imported = (list: readonly Generated[], path: (tool: Generated) => string): string =>
    list.map((item) => `import { ${item.id}, type ${item.input} } from '${path(item)}';\n`).join('');
  const tool = ({ id }: Generated): string => `./tools/${id}.js`;
  return [
    HEADER,
    "import type { Caller } from './client.js';\n",
    imported(tools, tool),
    imported(prompts, () => './prompts.js'),
    "\nexport * from './client.js';\n",
    ...tools.map((item) => `export * from '${tool(item)}';\n`),
    prompts.length > 0 ? "export * from './prompts.js';\n" : '',
    hasResources ? "export * from './resources.js';\n" : '',
    '\n',
    docComment(server === undefined ? undefined : `${server.name} ${server.version}`),
    `export function createClient(client: Caller) {\n  return {\n    tools: {\n${bound(tools)}    },\n    prompts: {\n${bound(prompts)}    },\n  };\n}\n`,
  ].join('');
}

function generateCli(tools: readonly JsonObject[], { target }: NonNullable<GenerateOptions['cli']>): string {
  const entries = tools.map((tool) => {
    const schema = isRecord(tool.inputSchema) ? tool.inputSchema : {};
    const properties = isRecord(schema.properties) ? schema.properties : {};
    const required = Array.isArray(schema.required) ? schema.required : [];
    const args = Object.entries(properties).map(([name, property]) => {
      const given = isRecord(property) ? property : {};
      const entry = {
        type: wordType(given),
        required: required.includes(name),
        description: describe(given) ?? '',
      };
      return `    [${literal(name)}]: ${literal(entry)},\n`;
    });
    const description = literal(typeof tool.description === 'string' ? tool.description : '');
    return `  [${literal(String(tool.name))}]: { description: ${description}, args: {\n${args.join('')}  } },\n`;
  });
  return [
    '#!/usr/bin/env node\n',
    HEADER,
    "import { connect } from 'plumb-mcp/client';\nimport { callTool } from './client.js';\n\n",
    'interface ToolEntry {\n  readonly description: string;\n',
    '  readonly args: { readonly [name: string]: { readonly type: string; readonly required: boolean; readonly description: string } };\n}\n\n',
    `/** MCP_URL names another server. */\nconst TARGET: string | { command: string; args: string[] } = ${literal(target)};\n\n`,
    `const TOOLS: { readonly [name: string]: ToolEntry } = {\n${entries.join('')}};\n`,
    CLI_TEXT,
  ].join('');
}

function wordType({ type }: JsonObject): string {
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'string' || type === 'boolean' ? type : 'json';
}
