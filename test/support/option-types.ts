/** Finds the optional properties of everything that users pass to the package and that do not take `undefined`. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface FoundOption {
  readonly file: string;
  /** The type and the property, such as `ChainOptions.name`. */
  readonly name: string;
  /** The node to change. */
  readonly node: ts.PropertySignature | ts.PropertyDeclaration;
}

/** Also how many optional properties were looked at, so that a search that finds nothing can be told from none. */
export interface OptionSearch {
  readonly looked: number;
  readonly found: readonly FoundOption[];
}

/** The source files of the package's entry points. */
function entries(): string[] {
  const manifest: unknown = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
  const { exports } = manifest as { exports: Record<string, { types?: string } | string> };
  return Object.entries(exports).flatMap(([path, entry]) =>
    typeof entry === 'string' || entry.types === undefined || path.startsWith('./types/')
      ? []
      : [`${ROOT}${entry.types.replace(/^\.\/dist/, 'src').replace(/\.d\.ts$/, '.ts')}`],
  );
}

/** `isLeftOut` says which source files, relative to `src/`, describe something else than options. */
export function findStrictOptions(isLeftOut: (file: string, type: string) => boolean): OptionSearch {
  const files = entries();
  const program = ts.createProgram(files, {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: ['node'],
  });
  const checker = program.getTypeChecker();
  const found = new Map<ts.Node, FoundOption>();
  const seen = new Set<ts.Type>();
  const looked = new Set<ts.Node>();

  const isOurs = (symbol: ts.Symbol): boolean =>
    symbol.declarations?.some((declaration) => fileOf(declaration) !== undefined) === true;

  /** As the type has it that the user sees: `Partial` makes properties optional that are declared otherwise. */
  const look = (property: ts.Symbol): void => {
    if ((property.flags & ts.SymbolFlags.Optional) === 0) return;
    const isTaken = takesUndefined(checker.getTypeOfSymbol(property), checker.getUndefinedType());
    for (const node of property.declarations ?? []) {
      if (!ts.isPropertySignature(node) && !ts.isPropertyDeclaration(node)) continue;
      const file = fileOf(node);
      if (file === undefined || node.type === undefined) continue;
      const { parent } = node;
      const type =
        ts.isInterfaceDeclaration(parent) || ts.isClassDeclaration(parent) ? parent.name?.text : undefined;
      if (isLeftOut(file, type ?? '')) continue;
      looked.add(node);
      if (!isTaken) found.set(node, { file, name: `${type ?? ''}.${property.name}`, node });
    }
  };

  const visit = (type: ts.Type): void => {
    if (seen.has(type)) return;
    seen.add(type);
    if (type.isUnionOrIntersection()) {
      type.types.forEach(visit);
      return;
    }
    if ((type.flags & ts.TypeFlags.Object) === 0 || type.getCallSignatures().length > 0) return;
    if (checker.isArrayType(type) || checker.isTupleType(type)) {
      checker.getTypeArguments(type as ts.TypeReference).forEach(visit);
      return;
    }
    const index = type.getStringIndexType();
    if (index !== undefined) visit(index);
    for (const property of type.getProperties()) {
      if (!isOurs(property)) continue;
      look(property);
      visit(checker.getTypeOfSymbol(property));
    }
  };

  const parameters = (type: ts.Type): void => {
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()])
      for (const parameter of signature.parameters) visit(checker.getTypeOfSymbol(parameter));
  };

  for (const file of files) {
    const source = program.getSourceFile(file);
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} is no module`);
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol =
        (exported.flags & ts.SymbolFlags.Alias) === 0 ? exported : checker.getAliasedSymbol(exported);
      if ((symbol.flags & ts.SymbolFlags.Value) !== 0) parameters(checker.getTypeOfSymbol(symbol));
      if ((symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias)) === 0)
        continue;
      const declared = checker.getDeclaredTypeOfSymbol(symbol);
      if (/(Options|Definition)$/.test(symbol.name)) visit(declared);
      // What its methods take, and those of its areas: `client.tools.call(name, args, options)`.
      for (const member of declared.getProperties().filter(isOurs)) {
        const type = checker.getTypeOfSymbol(member);
        parameters(type);
        for (const inner of type.getProperties().filter(isOurs)) parameters(checker.getTypeOfSymbol(inner));
      }
    }
  }
  return { looked: looked.size, found: [...found.values()] };
}

/** With exactOptionalPropertyTypes, that a property may be missing is another type than `undefined`. */
function takesUndefined(type: ts.Type, nothing: ts.Type): boolean {
  if ((type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0 || type === nothing) return true;
  return type.isUnion() && type.types.includes(nothing);
}

function fileOf(node: ts.Node): string | undefined {
  const { fileName } = node.getSourceFile();
  return fileName.startsWith(`${ROOT}src/`) ? fileName.slice(`${ROOT}src/`.length) : undefined;
}
