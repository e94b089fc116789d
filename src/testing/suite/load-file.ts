/** Reads a test file: YAML, JSON, or a module of JavaScript or TypeScript. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ParseError, parse as parseJsonc, printParseErrorCode } from 'jsonc-parser';
import { parse as parseYaml } from 'yaml';
import { isRecord } from '../../jsonrpc/message.js';
import { SuiteError } from './fields.js';

const MODULES: ReadonlySet<string> = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts']);
const TYPED: ReadonlySet<string> = new Set(['.ts', '.mts', '.cts']);

/** What the file holds. `version` makes a module that was changed another module. */
export async function loadSuiteFile(file: string, version = ''): Promise<unknown> {
  const path = resolve(file);
  const extension = extname(path).toLowerCase();
  if (MODULES.has(extension)) return loadModule(path, extension, version);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new SuiteError(`Cannot read ${file}; check the path`, { cause });
  }
  return extension === '.yaml' || extension === '.yml' ? yaml(text, file) : json(text, file);
}

function yaml(text: string, file: string): unknown {
  try {
    return parseYaml(text);
  } catch (cause) {
    throw new SuiteError(`${file} is not valid YAML: ${firstLine(cause)}`, { cause });
  }
}

function json(text: string, file: string): unknown {
  const errors: ParseError[] = [];
  const content: unknown = parseJsonc(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length;
    throw new SuiteError(`${file} is not valid JSON: ${printParseErrorCode(first.error)} in line ${line}`);
  }
  return content;
}

async function loadModule(path: string, extension: string, version: string): Promise<unknown> {
  let module: Readonly<Record<string, unknown>>;
  try {
    module = await importModule(path, extension, version);
  } catch (cause) {
    if (cause instanceof SuiteError) throw cause;
    throw new SuiteError(`${path} cannot be loaded: ${firstLine(cause)}`, { cause });
  }
  const content: unknown = module.default ?? { ...module };
  const made: unknown = typeof content === 'function' ? await content() : await content;
  if (isRecord(made)) return made;
  throw new SuiteError(`${path} does not export a suite; write: export default { server, tests }`);
}

async function importModule(
  path: string,
  extension: string,
  version: string,
): Promise<Record<string, unknown>> {
  const query = version === '' ? '' : `?version=${version}`;
  if (!TYPED.has(extension) || stripsTypes()) return import(`${pathToFileURL(path).href}${query}`);
  return importTranspiled(path);
}

/** Whether this Node runs TypeScript itself: from 22.18 and 23.6 on. */
function stripsTypes(): boolean {
  const features: object = process.features;
  return 'typescript' in features && Boolean(features.typescript);
}

/** Older versions of Node need the compiler of the project that the file belongs to. */
async function importTranspiled(path: string): Promise<Record<string, unknown>> {
  const compiler = findCompiler(path);
  if (compiler === undefined)
    throw new SuiteError(
      `${path} is TypeScript, which this version of Node does not run; install typescript in the project, use Node 22.18 or newer, or write the file in JavaScript`,
    );
  const text = readFileSync(path, 'utf8');
  const { outputText } = compiler.transpileModule(text, {
    compilerOptions: { module: 'ESNext', target: 'ES2022', verbatimModuleSyntax: true },
    fileName: path,
  });
  // Beside the file, so that its imports lead to the same places.
  const copy = join(dirname(path), `.${basename(path)}.${process.pid}.${Date.now()}.mjs`);
  writeFileSync(copy, outputText);
  try {
    return await import(pathToFileURL(copy).href);
  } finally {
    rmSync(copy, { force: true });
  }
}

interface Compiler {
  transpileModule(text: string, options: object): { readonly outputText: string };
}

function findCompiler(path: string): Compiler | undefined {
  for (const from of [path, join(process.cwd(), 'package.json')]) {
    try {
      const found: unknown = createRequire(from)('typescript');
      if (isCompiler(found)) return found;
    } catch {
      // Not installed there.
    }
  }
  return undefined;
}

function isCompiler(value: unknown): value is Compiler {
  return (
    typeof value === 'object' &&
    value !== null &&
    'transpileModule' in value &&
    typeof value.transpileModule === 'function'
  );
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
