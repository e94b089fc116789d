/**
 * JSON Schema validation. Validators are compiled on first use and kept by the caller. Most schemas are plain; ajv is
 * loaded for the first that is not, because importing it costs more than starting a server.
 *
 * Remote references are never fetched: a schema that needs one does not compile.
 */

import type { JsonSchema } from '../model/base.js';
import { hasNodeModules } from '../runtime.js';
import { preparePatterns } from './patterns.js';
import { compilePlain, isPlain } from './plain.js';
import { unrolledSize } from './unrolled.js';

export interface Issue {
  /** Where in the value: `city`, `items.3.name`; empty for the value as a whole. */
  readonly path: string;
  readonly message: string;
}

/** Returns the issues found, or undefined when the value is valid. */
export type JsonValidator = (value: unknown) => readonly Issue[] | undefined;

export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

const DIALECTS: ReadonlyMap<string, Draft> = new Map([
  ['https://json-schema.org/draft/2020-12/schema', '2020'],
  ['https://json-schema.org/draft/2019-09/schema', '2019'],
  ['http://json-schema.org/draft-07/schema', '7'],
]);

type Draft = '2020' | '2019' | '7';
type Compiler = (schema: JsonSchema) => JsonValidator;

/** Bounds the work a hostile schema can cause at compile time. */
const MAX_SCHEMA_NODES = 20_000;
/** Bounds the work that it can cause with each value. */
const MAX_UNROLLED = 1_000_000;

/** The dialect that the schema declares; throws when it is not one that we can validate by. */
export function dialectOf(schema: JsonSchema): Draft {
  const declared = schema.$schema;
  const draft = typeof declared === 'string' ? DIALECTS.get(declared.replace(/#$/, '')) : '2020';
  if (draft !== undefined) return draft;
  const known = [...DIALECTS.keys()].join(', ');
  throw new SchemaError(`JSON Schema dialect "${declared}" is not supported; use one of: ${known}`);
}

export async function compileJsonSchema(schema: JsonSchema): Promise<JsonValidator> {
  const draft = dialectOf(schema);
  if (countNodes(schema) > MAX_SCHEMA_NODES) {
    throw new SchemaError(`The schema has more than ${MAX_SCHEMA_NODES} parts`);
  }
  if (unrolledSize(schema, MAX_UNROLLED) > MAX_UNROLLED) {
    throw new SchemaError(
      'The schema refers to its parts along too many paths; refer to each of them less often',
    );
  }
  await preparePatterns(schema);
  const compile = isPlain(schema) ? compilePlain : await loadCompiler(draft);
  try {
    return compile(schema);
  } catch (error) {
    throw new SchemaError(`The schema is not usable: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

/** Begins to load what this schema is validated with. */
export function preloadValidator(schema: JsonSchema): void {
  // The code that compiles a schema reports failures.
  preparePatterns(schema).catch(() => {});
  if (isPlain(schema)) return;
  loadCompiler(dialectOf(schema)).catch(() => {});
}

const loaded = new Map<Draft, Promise<Compiler>>();

function loadCompiler(draft: Draft): Promise<Compiler> {
  let compiler = loaded.get(draft);
  if (compiler === undefined) {
    compiler = canGenerateCode() ? ajvCompiler(draft) : interpretingCompiler(draft);
    loaded.set(draft, compiler);
  }
  return compiler;
}

/** Edge runtimes and pages forbid `new Function`, which ajv lives on, and are spared its size. */
function canGenerateCode(): boolean {
  if (!hasNodeModules()) return false;
  try {
    return new Function('return true')() === true;
  } catch {
    return false;
  }
}

async function ajvCompiler(draft: Draft): Promise<Compiler> {
  const { createAjv } = await import('./ajv.js');
  return createAjv(draft);
}

async function interpretingCompiler(draft: Draft): Promise<Compiler> {
  const { createInterpreter } = await import('./interpreter.js');
  return createInterpreter(draft === '7' ? '7' : draft === '2019' ? '2019-09' : '2020-12');
}

function countNodes(schema: unknown): number {
  const stack: unknown[] = [schema];
  let count = 0;
  while (stack.length > 0 && count <= MAX_SCHEMA_NODES) {
    const value = stack.pop();
    if (typeof value !== 'object' || value === null) continue;
    count += 1;
    for (const child of Object.values(value)) stack.push(child);
  }
  return count;
}
