/** Generated TypeScript, compiled as strictly as users may. */

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** The complaints of the compiler, with their files. What it makes is in `out/`. */
export function complaintsAbout(folder: string, files: readonly string[]): string[] {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const options: ts.CompilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(repository, 'node_modules/@types')],
    outDir: join(folder, 'out'),
    rootDir: folder,
    paths: { 'plumb-mcp/client': [join(repository, 'dist/client/index.d.ts')] },
  };
  const program = ts.createProgram(
    files.map((file) => join(folder, file)),
    options,
  );
  program.emit();
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    const name = file?.fileName.slice(folder.length + 1) ?? '';
    return `${name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

/** Makes the package of this repository known to programs in the folder. */
export function linkPlumb(folder: string): void {
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(repository, join(folder, 'node_modules/plumb-mcp'));
}
