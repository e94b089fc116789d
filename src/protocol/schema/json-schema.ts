/**
 * JSON Schema validation. Validators are compiled on first use and kept by the caller. Most schemas are plain; ajv is
 * loaded for the first that is not, because importing it costs more than starting a server. All of this is loaded with
 * the first value that is checked (`validator.ts`): schemas of libraries bring their own.
 *
 * Remote references are never fetched: a schema that needs one does not compile.
 */

import type { JsonSchema } from '../model/base.js';
import { hasNodeModules } from '../runtime.js';
import { type Draft, dialectOf, type JsonValidator, SchemaError } from './dialect.js';
import { type CompilePattern, compilePlain, isPlain } from './plain.js';
import { REFERENCE_KEYWORDS } from './references.js';

export type { JsonValidator } from './dialect.js';
export { SchemaError } from './dialect.js';

type Compiler = (schema: JsonSchema) => JsonValidator;

/** Bounds the work a hostile schema can cause at compile time. */
const MAX_SCHEMA_NODES = 20_000;
/** Bounds the work that it can cause with each value. */
const MAX_UNROLLED = 1_000_000;

export async function compileJsonSchema(schema: JsonSchema): Promise<JsonValidator> {
  const draft = dialectOf(schema);
  if (countNodes(schema) > MAX_SCHEMA_NODES) {
    throw new SchemaError(`The schema has more than ${MAX_SCHEMA_NODES} parts`);
  }
  const keys = keysOf(schema);
  if (REFERENCE_KEYWORDS.some((key) => keys.has(key))) await assertUnrollable(schema);
  const compilePattern = hasPatterns(keys) ? await loadPatterns(schema) : undefined;
  const compile = isPlain(schema)
    ? (plain: JsonSchema) => compilePlain(plain, compilePattern)
    : await loadCompiler(draft);
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
  if (hasPatterns(keysOf(schema))) loadPatterns(schema).catch(() => {});
  if (isPlain(schema)) return;
  loadCompiler(dialectOf(schema)).catch(() => {});
}

/** Few schemas have patterns. */
async function loadPatterns(schema: JsonSchema): Promise<CompilePattern> {
  const { compilePattern, preparePatterns } = await import('./patterns.js');
  await preparePatterns(schema);
  return compilePattern;
}

/** What fills in the defaults of a schema; nothing, for one without. */
export async function loadDefaults(schema: JsonSchema): Promise<((value: unknown) => unknown) | undefined> {
  if (!keysOf(schema).has('default')) return undefined;
  const { compileDefaults } = await import('./defaults.js');
  return compileDefaults(schema);
}

/** Few schemas refer to their parts, and the others are as large as they are written. */
async function assertUnrollable(schema: JsonSchema): Promise<void> {
  const { unrolledSize } = await import('./unrolled.js');
  if (unrolledSize(schema, MAX_UNROLLED) > MAX_UNROLLED) {
    throw new SchemaError(
      'The schema refers to its parts along too many paths; refer to each of them less often',
    );
  }
}

/** Every key of the schema and of what is in it, names of properties among them. What no key asks for is not loaded. */
function keysOf(schema: JsonSchema): ReadonlySet<string> {
  const keys = new Set<string>();
  const parts = new Set<object>([schema]);
  for (const part of parts) {
    for (const [key, child] of Object.entries(part)) {
      keys.add(key);
      if (typeof child === 'object' && child !== null) parts.add(child);
    }
  }
  return keys;
}

function hasPatterns(keys: ReadonlySet<string>): boolean {
  return keys.has('pattern') || keys.has('patternProperties');
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
