/**
 * Classes and exported types have names of their own: a reader who meets one knows which it is, and errors are named
 * after their classes.
 */
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';
import { root } from './run.mjs';
import { filesUnder } from './stamp.mjs';

/** @returns {import('./run.mjs').Outcome} */
export function checkNames() {
  /** @type {Map<string, string[]>} */
  const places = new Map();
  for (const file of filesUnder(join(root, 'src')).filter((name) => /\.tsx?$/.test(name))) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, false);
    const place = relative(root, file).split(sep).join('/');
    for (const name of source.statements.flatMap(namedBy)) {
      places.set(name, [...(places.get(name) ?? []), place]);
    }
  }
  const twice = [...places].filter(([, files]) => new Set(files).size > 1);
  const output = twice.map(([name, files]) => `${name} is declared in ${files.join(' and ')}; rename one.\n`);
  return { ok: twice.length === 0, output: output.join(''), note: `${places.size} names` };
}

/**
 * @param {import('typescript').Statement} statement
 * @returns {string[]} the class, or the exported type, that it declares
 */
function namedBy(statement) {
  if (ts.isClassDeclaration(statement)) return statement.name === undefined ? [] : [statement.name.text];
  if (!ts.isInterfaceDeclaration(statement) && !ts.isTypeAliasDeclaration(statement)) return [];
  const exported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  return exported ? [statement.name.text] : [];
}
