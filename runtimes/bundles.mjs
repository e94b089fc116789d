/** What a bundler makes of the server and the client for a browser or a Worker: complete, without Node, and small. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from './bundler.mjs';

/** @typedef {{ name: string, limit: number, bytes: number, problem: string | undefined }} Bundle */

const ENTRIES = [
  { entry: 'plumb-mcp/server', name: 'createServer', limit: 80_000 },
  { entry: 'plumb-mcp/client', name: 'connect', limit: 99_000 },
];

/**
 * @param {string} folder  where the package is installed
 * @returns {Promise<Bundle[]>}
 */
export async function makeBundles(folder) {
  /** @type {Bundle[]} */
  const bundles = [];
  for (const { entry, name, limit } of ENTRIES) {
    for (const platform of /** @type {const} */ (['neutral', 'browser'])) {
      const { outputFiles, metafile } = await build({
        stdin: { contents: `export { ${name} } from '${entry}';`, resolveDir: join(folder, 'programs') },
        minify: true,
        platform,
        write: false,
        logLevel: 'silent',
      });
      const code = outputFiles[0]?.text ?? '';
      const left = Object.values(metafile.outputs).flatMap(({ imports }) => imports)[0]?.path;
      const bytes = gzipSync(code).length;
      const problem =
        left !== undefined
          ? `imports ${left}`
          : bytes > limit
            ? `has ${bytes} bytes compressed; at most ${limit} are allowed`
            : undefined;
      bundles.push({ name: `\`${entry}\`, platform ${platform}`, limit, bytes, problem });
    }
  }
  return bundles;
}
