/**
 * Compiles every TypeScript block of the guides against the package. A comment `<!-- given ... -->` declares what the blocks
 * after it use without saying where it comes from; what a block declares itself takes its place.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { root } from '../run.mjs';
import { filesUnder } from '../stamp.mjs';
import { codeBlocks } from './markdown.mjs';

/** @typedef {{ page: string, line: number, header: string, code: string }} Block */

/** @type {ts.CompilerOptions} */
const OPTIONS = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
};
/** A file of the reader, such as ./server.js, is not there. */
const NO_MODULE = 2307;

/** @returns {{ problems: string[], blocks: number }} */
export function checkBlocks() {
  const blocks = pages().flatMap(blocksOf);
  const folder = join(root, '.scratch', 'blocks');
  const files = new Map(blocks.map((block, index) => [join(folder, placeOf(block, index)), block]));
  const host = ts.createCompilerHost(OPTIONS);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  // Without it the compiler looks for files in folders that are not there.
  delete host.directoryExists;
  host.getSourceFile = (file, options, ...rest) => {
    const block = files.get(file);
    if (block === undefined) return getSourceFile(file, options, ...rest);
    return ts.createSourceFile(file, `${block.header}${block.code}\nexport {};\n`, options);
  };
  const program = ts.createProgram([...files.keys()], OPTIONS, host);
  const problems = [...files].flatMap(([file, block]) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
      .filter((diagnostic) => !isReadersFile(diagnostic))
      .map((diagnostic) => describe(diagnostic, block));
  });
  return { problems, blocks: blocks.length };
}

/**
 * A folder for each page. A block that begins with the name of a file, as a comment, is that file for the others.
 *
 * @param {Block} block
 * @param {number} index
 */
function placeOf({ page, code }, index) {
  const name = /^\/\/ (\S+\.ts)\n/.exec(code)?.[1] ?? `block-${index}.ts`;
  return join(page.replaceAll(/[^a-zA-Z]/g, '-'), name);
}

function pages() {
  const folders = ['docs', 'site/examples']
    .map((name) => join(root, name))
    .filter((name) => existsSync(name));
  const guides = folders.flatMap(filesUnder).filter((file) => file.endsWith('.md'));
  return [join(root, 'README.md'), ...guides];
}

/**
 * @param {string} file
 * @returns {Block[]}
 */
function blocksOf(file) {
  const text = readFileSync(file, 'utf8');
  const page = relative(root, file).replaceAll('\\', '/');
  /** @type {string[]} */
  const given = [];
  return codeBlocks(text).flatMap(({ language, code, line, before }) => {
    given.push(...[...before.matchAll(/^<!-- given\n([\s\S]*?)-->$/gm)].map(([, lines = '']) => lines));
    return language === 'ts' ? [{ page, line, header: headerFor(given, code), code }] : [];
  });
}

/**
 * The given declarations on one line, without those whose names are taken.
 *
 * @param {readonly string[]} given
 * @param {string} code
 */
function headerFor(given, code) {
  const taken = namesOf(parse(code));
  /** @type {string[]} */
  const kept = [];
  // The last one to declare a name counts.
  for (const statement of given.flatMap((lines) => [...parse(lines).statements]).reverse()) {
    const text = without(statement, taken);
    for (const name of namesOf(parse(text))) taken.add(name);
    kept.unshift(text);
  }
  return kept.map((text) => `${text.replaceAll('\n', ' ')} `).join('');
}

/** @param {string} text */
function parse(text) {
  return ts.createSourceFile('given.ts', text, ts.ScriptTarget.ES2023, true);
}

/**
 * @param {ts.Statement} statement
 * @param {ReadonlySet<string>} taken
 */
function without(statement, taken) {
  const bindings = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined;
  if (bindings !== undefined && ts.isNamedImports(bindings) && ts.isImportDeclaration(statement)) {
    const left = bindings.elements
      .filter(({ name }) => !taken.has(name.text))
      .map((element) => element.getText());
    return left.length === 0
      ? ''
      : `import { ${left.join(', ')} } from ${statement.moduleSpecifier.getText()};`;
  }
  const names = namesOf(parse(statement.getText()));
  return [...names].some((name) => taken.has(name)) ? '' : statement.getText();
}

/**
 * What a text declares at its top level.
 *
 * @param {ts.SourceFile} source
 * @returns {Set<string>}
 */
function namesOf(source) {
  const names = new Set();
  const bind = (/** @type {ts.BindingName} */ name) => {
    if (ts.isIdentifier(name)) names.add(name.text);
    else for (const element of name.elements) if (ts.isBindingElement(element)) bind(element.name);
  };
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement))
      for (const { name } of statement.declarationList.declarations) bind(name);
    else if (ts.isImportDeclaration(statement)) {
      const { name, namedBindings } = statement.importClause ?? {};
      if (name !== undefined) names.add(name.text);
      if (namedBindings !== undefined && ts.isNamedImports(namedBindings))
        for (const element of namedBindings.elements) names.add(element.name.text);
      else if (namedBindings !== undefined) names.add(namedBindings.name.text);
    } else if (
      (ts.isFunctionDeclaration(statement) ||
        ts.isClassDeclaration(statement) ||
        ts.isInterfaceDeclaration(statement) ||
        ts.isTypeAliasDeclaration(statement)) &&
      statement.name !== undefined
    )
      names.add(statement.name.text);
  }
  return names;
}

/** @param {ts.Diagnostic} diagnostic */
function isReadersFile({ code, messageText }) {
  return code === NO_MODULE && /'\.\.?\//.test(ts.flattenDiagnosticMessageText(messageText, ' '));
}

/**
 * @param {ts.Diagnostic} diagnostic
 * @param {Block} block
 */
function describe({ file, start = 0, messageText, code }, { page, line }) {
  const place = file?.getLineAndCharacterOfPosition(start).line ?? 0;
  return `${page}:${line + place}: ${ts.flattenDiagnosticMessageText(messageText, ' ')} (TS${code})`;
}
