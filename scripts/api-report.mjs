/**
 * The public surface, one file for each entry of the package in api/: every exported name with its declaration, without
 * comments. A change of the surface is then a change of these files, which a review sees.
 *
 *   npm run api            writes the files from dist/
 *   npm test -- --only api compares them
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { unnamedTypes } from './nameable.mjs';
import { root } from './run.mjs';

const folder = join(root, 'api');
/** The most names that all entries export together. */
const MOST_NAMES = 240;

/**
 * Where a name belongs that several entries export: the first of these.
 */
const HOMES = [
  'jsonrpc',
  'protocol',
  'transports',
  'stdio',
  'middleware',
  'store',
  'extensions',
  'auth',
  'server',
];

/** @typedef {{ name: string, types: string }} Entry */

/**
 * An exported name. `home` is the entry that describes it, where that is another one.
 *
 * @typedef {{ name: string, symbol: ts.Symbol, home?: string }} PublicName
 */

/** @typedef {{ entry: string, specifier: string, names: PublicName[] }} PublicEntry */

/** @returns {Entry[]} */
export function publicEntries() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const found = Object.entries(exports).flatMap(([path, target]) =>
    // What is below types/ is for the compiler (scripts/build.mjs).
    typeof target === 'object' && target !== null && 'types' in target && !path.startsWith('./types/')
      ? [{ name: path === '.' ? 'index' : path.slice(2), types: join(root, String(target.types)) }]
      : [],
  );
  const rank = (/** @type {Entry} */ { name }) =>
    (HOMES.indexOf(name) + HOMES.length + 1) % (HOMES.length + 1);
  return found.sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
}

/**
 * What the entries export, from the declarations in dist/.
 *
 * @returns {{ checker: ts.TypeChecker, entries: PublicEntry[] }}
 */
export function publicNames() {
  known ??= readNames();
  return known;
}

/** @type {ReturnType<typeof readNames> | undefined} */
let known;

/** @returns {{ checker: ts.TypeChecker, entries: PublicEntry[] }} */
function readNames() {
  const all = publicEntries();
  const program = ts.createProgram(
    all.map(({ types }) => types),
    {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      skipLibCheck: true,
      noEmit: true,
    },
  );
  const checker = program.getTypeChecker();
  /** @type {Map<ts.Symbol, string>} */
  const homes = new Map();
  const found = all.map(({ name: entry, types }) => {
    const source = program.getSourceFile(types);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${relative(root, types)} is missing; run npm run build first`);
    const specifier = entry === 'index' ? 'plumb-mcp' : `plumb-mcp/${entry}`;
    const names = checker
      .getExportsOfModule(module)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map((symbol) => {
        const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
        const home = homes.get(target);
        if (home === undefined) homes.set(target, specifier);
        return { name: symbol.name, symbol: target, ...(home === undefined ? {} : { home }) };
      });
    return { entry, specifier, names };
  });
  return { checker, entries: found };
}

/**
 * The report of each entry by its file name, and how many names there are.
 *
 * @returns {{ reports: Map<string, string>, names: number }}
 */
export function apiReports() {
  const reports = new Map();
  let count = 0;
  for (const { entry, specifier, names } of publicNames().entries) {
    const exported = names.map(({ name, symbol, home }) =>
      home === undefined ? declarationsOf(symbol, name) : `${name}: see ${home}`,
    );
    count += exported.length;
    const title = `${specifier}: ${exported.length} ${exported.length === 1 ? 'name' : 'names'}`;
    reports.set(`${entry.replaceAll('/', '-')}.txt`, `${[title, ...exported].join('\n\n')}\n`);
  }
  return { reports, names: count };
}

/**
 * @param {ts.Symbol} symbol
 * @param {string} name
 */
function declarationsOf(symbol, name) {
  const printer = ts.createPrinter({ removeComments: true });
  const texts = (symbol.declarations ?? []).map((declaration) => {
    const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
    const text = printer.printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile());
    return text.replaceAll(/^\s*#private;\n/gm, '').replace(/^export (declare )?/, '');
  });
  return texts.length === 0 ? name : texts.join('\n');
}

/** @returns {import('./run.mjs').Outcome} */
export function checkApi() {
  const { reports, names } = apiReports();
  const kept = existsSync(folder) ? readdirSync(folder) : [];
  const stale = [
    ...[...reports].filter(
      ([file, text]) => !kept.includes(file) || readFileSync(join(folder, file), 'utf8') !== text,
    ),
    ...kept.filter((file) => !reports.has(file)).map((file) => [file]),
  ].map(([file]) => `api/${file} does not match the declarations; if the change is meant, run npm run api\n`);
  if (names > MOST_NAMES)
    stale.push(`The entries export ${names} names; at most ${MOST_NAMES} are allowed\n`);
  stale.push(...unnamedTypes(publicNames()).map((problem) => `${problem}\n`));
  return { ok: stale.length === 0, output: stale.join(''), note: `${names} names` };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { reports, names } = apiReports();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of reports) writeFileSync(join(folder, file), text);
  console.log(`Wrote ${reports.size} files to api/: ${names} exported names`);
}
