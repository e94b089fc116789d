/** The client as a bundler for browsers makes it: what is loaded at once, and what only when it is needed. */

import { fileURLToPath } from 'node:url';
import { type OutputChunk, rolldown } from 'rolldown';

const CLIENT = fileURLToPath(new URL('../../../src/client/index.ts', import.meta.url));
/** What users bundle: the modules are joined there already, and must not have become one that needs Node. */
export const BUILT_CLIENT: string = fileURLToPath(new URL('../../../dist/client/index.js', import.meta.url));

export interface Bundle {
  readonly entry: OutputChunk;
  readonly chunks: ReadonlyMap<string, OutputChunk>;
  /** What cannot be bundled for a browser, by the chunk that imports it at once. */
  readonly foreign: ReadonlyMap<string, readonly string[]>;
  /** The chunks that a page loads before it runs. */
  readonly eager: ReadonlySet<string>;
}

export async function bundleClient(input: string = CLIENT): Promise<Bundle> {
  const build = await rolldown({
    input,
    platform: 'browser',
    external: [/^node:/, 'cross-spawn'],
    logLevel: 'silent',
  });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])));
  const entry = [...chunks.values()].find(({ isEntry }) => isEntry);
  if (entry === undefined) throw new Error('The bundle has no entry');
  const eager = new Set<string>();
  const visit = (name: string): void => {
    if (eager.has(name)) return;
    eager.add(name);
    for (const imported of chunks.get(name)?.imports ?? []) if (chunks.has(imported)) visit(imported);
  };
  visit(entry.fileName);
  const foreign = new Map(
    [...chunks].map(([name, { imports }]) => [name, imports.filter((imported) => !chunks.has(imported))]),
  );
  return { entry, chunks, foreign, eager };
}
