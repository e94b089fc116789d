/**
 * Whether a project can write declarations of what it makes with the package (`declaration: true`): the compiler has to
 * name every type that it infers, and complains where no entry exports one (TS2742). The program that is compiled here
 * has every exported value, and every member of the exported classes and interfaces.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './run.mjs';

/** Where the package is installed, for the compiler: outside of this repository. Nothing is written there. */
const project = join(tmpdir(), 'plumb-nameable');
const installed = join(project, 'node_modules', 'plumb-mcp');

/** @type {ts.CompilerOptions} */
const OPTIONS = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  declaration: true,
  skipLibCheck: true,
  // Types of others are of no interest here, and take time.
  types: [],
};

/**
 * @param {ReturnType<typeof import('./api-report.mjs').publicNames>} surface
 * @returns {string[]}
 */
export function unnamedTypes({ checker, entries }) {
  // A file for each entry: what one imports must not be what makes a type of another nameable.
  const sources = new Map(
    entries.map(({ entry, specifier, names }) => [
      join(project, `${entry.replaceAll('/', '-')}.ts`),
      [`import * as entry from '${specifier}';`, ...names.flatMap((name) => uses(name, checker))].join('\n'),
    ]),
  );
  const host = createHost(new Map([...sources, [join(project, 'package.json'), '{"type":"module"}']]));
  return [...sources].flatMap(([file, text]) => complaints(file, text, host));
}

/**
 * @param {import('./api-report.mjs').PublicName} name
 * @param {ts.TypeChecker} checker
 */
function uses({ name, symbol }, checker) {
  const lines = symbol.flags & ts.SymbolFlags.Variable ? [`export const ${name}_ = entry.${name};`] : [];
  if (symbol.flags & ts.SymbolFlags.Function)
    lines.push(`export const ${name}_ = (...it: Parameters<typeof entry.${name}>) => entry.${name}(...it);`);
  const hasMembers = symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface);
  const isGeneric = (symbol.declarations ?? []).some(
    (declaration) =>
      (ts.isClassDeclaration(declaration) || ts.isInterfaceDeclaration(declaration)) &&
      declaration.typeParameters?.some((parameter) => parameter.default === undefined),
  );
  if (!hasMembers || isGeneric) return lines;
  const members = checker
    .getDeclaredTypeOfSymbol(symbol)
    .getProperties()
    .filter((member) => /^[a-zA-Z]\w*$/.test(member.name));
  return [
    ...lines,
    ...members.map(
      (member) => `export const ${name}_${member.name} = (it: entry.${name}) => it.${member.name};`,
    ),
  ];
}

/**
 * @param {ReadonlyMap<string, string>} sources
 * @returns {ts.CompilerHost}
 */
function createHost(sources) {
  const host = ts.createCompilerHost(OPTIONS);
  const { fileExists, readFile, getSourceFile } = host;
  const real = (/** @type {string} */ path) =>
    path.startsWith(installed) ? join(root, path.slice(installed.length)) : path;
  /** Shared by the programs of all entries. @type {Map<string, ts.SourceFile | undefined>} */
  const parsed = new Map();
  host.fileExists = (path) => sources.has(path) || fileExists(real(path));
  host.readFile = (path) => sources.get(path) ?? readFile(real(path));
  host.getSourceFile = (path, options) => {
    if (!parsed.has(path)) {
      const text = path.startsWith(project) ? host.readFile(path) : undefined;
      const file =
        text === undefined ? getSourceFile(path, options) : ts.createSourceFile(path, text, options);
      parsed.set(path, file);
    }
    return parsed.get(path);
  };
  host.realpath = (path) => path;
  // Without it the compiler looks for files in folders that are not there.
  delete host.directoryExists;
  return host;
}

/**
 * @param {string} file
 * @param {string} text
 * @param {ts.CompilerHost} host
 */
function complaints(file, text, host) {
  const program = ts.createProgram([file], OPTIONS, host);
  const source = program.getSourceFile(file);
  return program.getDeclarationDiagnostics(source).map(({ messageText, start = 0 }) => {
    const line = text.slice(0, start).split('\n').length - 1;
    return `${text.split('\n')[line]} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}
