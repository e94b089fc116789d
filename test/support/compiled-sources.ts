import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));
const rooms = ['jsonrpc', 'protocol', 'framing', 'transports'];

export interface CompiledSources {
  readonly directory: string;
  remove(): void;
}

/**
 * The rooms that transports need, as JavaScript, for tests that must run them in a process of their own.
 * Below node_modules, so that dependencies resolve; without types, so that it takes a moment.
 */
export function compileSources(): CompiledSources {
  const cache = join(root, 'node_modules/.cache/plumb');
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(join(cache, 'compiled-'));
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  for (const room of rooms) {
    for (const file of readdirSync(join(root, 'src', room), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const { outputText } = ts.transpileModule(readFileSync(join(root, 'src', room, file), 'utf8'), {
        compilerOptions: {
          target: ts.ScriptTarget.ES2022,
          module: ts.ModuleKind.ESNext,
          verbatimModuleSyntax: true,
        },
      });
      const target = join(directory, room, file.replace(/\.ts$/, '.js'));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, outputText);
    }
  }
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
