/**
 * Every exported name and every option has a doc comment: what users see when they hover over it. Reads the declarations
 * of dist/, from the entries of the package to all types that their signatures lead to.
 *
 *   npm test -- --only comments
 */
import { relative, sep } from 'node:path';
import ts from 'typescript';
import { publicEntries } from './api-report.mjs';
import { isMain, root } from './run.mjs';

/** Interfaces whose fields users write: what they are for, and what holds without them, is not obvious from a type. */
const OPTIONS = /(Options|Limits|Faults)$|^(Tool|Prompt|Resource|App|FakeServer)Definition$/;
/** The vocabulary of the protocol is documented by its specification. */
const VOCABULARY = /^dist\/(protocol\/model|jsonrpc)\//;

/**
 * @typedef {object} Undocumented
 * @property {string} file  in dist/
 * @property {string} name
 */

/** @returns {{ undocumented: Undocumented[], checked: number }} */
export function undocumentedNames() {
  const entries = publicEntries();
  const program = ts.createProgram(
    entries.map(({ types }) => types),
    {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      skipLibCheck: true,
      noEmit: true,
    },
  );
  const checker = program.getTypeChecker();
  /** @type {Set<ts.Symbol>} */
  const seen = new Set();
  /** @type {Undocumented[]} */
  const undocumented = [];
  let checked = 0;

  /** @param {ts.Node} node */
  const fileOf = (node) => relative(root, node.getSourceFile().fileName).split(sep).join('/');

  /**
   * @param {ts.Node} node
   * @param {string} name
   */
  const check = (node, name) => {
    checked += 1;
    if (ts.getJSDocCommentsAndTags(node).length === 0) undocumented.push({ file: fileOf(node), name });
  };

  /** @param {ts.Symbol} symbol */
  const resolved = (symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

  /** @param {ts.Symbol} symbol */
  const visit = (symbol) => {
    if (seen.has(symbol)) return;
    seen.add(symbol);
    const declarations = (symbol.declarations ?? []).filter((node) => fileOf(node).startsWith('dist/'));
    const [first] = declarations;
    if (first === undefined || VOCABULARY.test(fileOf(first))) return;
    // Overloads share the comment of the first.
    if (exported.has(symbol))
      check(ts.isVariableDeclaration(first) ? first.parent.parent : first, symbol.name);
    for (const node of declarations) {
      if (ts.isInterfaceDeclaration(node) && OPTIONS.test(symbol.name)) {
        for (const member of node.members)
          if (member.name !== undefined) check(member, `${symbol.name}.${member.name.getText()}`);
      }
      follow(node);
    }
  };

  /** @param {ts.Node} node */
  const follow = (node) => {
    // Nobody outside makes instances of these classes: functions do.
    if (ts.isConstructorDeclaration(node)) return;
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : undefined;
    const symbol = name === undefined ? undefined : checker.getSymbolAtLocation(name);
    if (symbol !== undefined) visit(resolved(symbol));
    ts.forEachChild(node, follow);
  };

  const exported = new Set(
    entries.flatMap(({ types }) => {
      const source = program.getSourceFile(types);
      const module = source && checker.getSymbolAtLocation(source);
      if (module === undefined)
        throw new Error(`${relative(root, types)} is missing; run npm run build first`);
      return checker.getExportsOfModule(module).map(resolved);
    }),
  );
  for (const symbol of exported) visit(symbol);
  return { undocumented, checked };
}

/** @returns {import('./run.mjs').Outcome} */
export function checkComments() {
  const { undocumented, checked } = undocumentedNames();
  const lines = undocumented.map(({ file, name }) => `${file}: ${name} has no doc comment\n`);
  return { ok: lines.length === 0, output: lines.join(''), note: `${checked} names and options` };
}

if (isMain(import.meta)) {
  const { output, note } = checkComments();
  process.stdout.write(`${output}${note}\n`);
}
