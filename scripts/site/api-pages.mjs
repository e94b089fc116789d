/**
 * The API reference: a page for each entry of the package, from the declarations in dist/. Each name has its comment, its
 * declaration, and an example: the shortest block of code in the guides that uses it.
 */
import ts from 'typescript';
import { publicNames } from '../api-report.mjs';
import { examplesByName } from './examples.mjs';

/** @typedef {import('../api-report.mjs').PublicEntry} PublicEntry */
/** @typedef {import('../api-report.mjs').PublicName} PublicName */
/** @typedef {import('./examples.mjs').Example} Example */

/**
 * @returns {Map<string, string>} pages by their path on the site
 */
export function apiPages() {
  const { checker, entries } = publicNames();
  const examples = examplesByName();
  return new Map(
    entries.map((entry) => [`${pagePath(entry.specifier)}.md`, pageOf(entry, checker, examples)]),
  );
}

/** @param {string} specifier */
function pagePath(specifier) {
  return `reference/${specifier.replace(/^plumb-mcp\/?/, '').replaceAll('/', '-') || 'index'}`.replace(
    'reference/index',
    'reference/plumb-mcp',
  );
}

/**
 * @param {PublicEntry} entry
 * @param {ts.TypeChecker} checker
 * @param {ReadonlyMap<string, Example>} examples
 */
function pageOf({ specifier, names }, checker, examples) {
  const own = names
    .filter(({ home }) => home === undefined)
    .toSorted((one, other) => rank(one) - rank(other));
  const others = names.filter(({ home }) => home !== undefined);
  return [
    '---',
    'outline: 2',
    '---',
    '',
    `# ${specifier}`,
    '',
    `${names.length} ${names.length === 1 ? 'name' : 'names'}, from the declarations of the package.`,
    '',
    ...own.flatMap((name) => section(name, checker, examples)),
    ...(others.length === 0 ? [] : ['## Names from other entries', '']),
    ...others.map(({ name, home = '' }) => `- [\`${name}\`](./${link(home, name)}) of \`${home}\``),
    '',
  ].join('\n');
}

/**
 * What is called comes before what describes it.
 *
 * @param {PublicName} name
 */
function rank({ symbol }) {
  if (symbol.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Variable)) return 0;
  return symbol.flags & ts.SymbolFlags.Class ? 1 : 2;
}

/**
 * @param {string} specifier
 * @param {string} name
 */
function link(specifier, name) {
  return `${pagePath(specifier).slice('reference/'.length)}.md#${name}`;
}

/**
 * @param {PublicName} name
 * @param {ts.TypeChecker} checker
 * @param {ReadonlyMap<string, Example>} examples
 */
function section({ name, symbol }, checker, examples) {
  const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const example = examples.get(name);
  return [
    `## ${name} {#${name}}`,
    '',
    ...(comment === '' ? [] : [prose(comment), '']),
    '```ts',
    ...(symbol.declarations ?? []).map(declarationText),
    '```',
    '',
    ...(example === undefined ? [] : exampleLines(example)),
  ];
}

/** @param {Example} example */
function exampleLines({ code, page, title }) {
  const from = page === undefined ? 'Example:' : `Example, from [${title}](../${page}):`;
  return [from, '', '```ts', code.trimEnd(), '```', ''];
}

/**
 * Angle brackets in comments are text, not elements of the page.
 *
 * @param {string} comment
 */
function prose(comment) {
  return comment.replaceAll(/`[^`]*`|[<{]/g, (part) =>
    part === '<' ? '&lt;' : part === '{' ? '&#123;' : part,
  );
}

/** @param {ts.Declaration} declaration */
function declarationText(declaration) {
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return node
    .getText()
    .replaceAll(/^\s*(?:#private;|private [^\n]*;)\n/gm, '')
    .replace(/^export (?:declare )?/, '');
}
