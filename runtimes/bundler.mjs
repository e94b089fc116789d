/** esbuild, which is installed with the runtimes and not with the root: the root is type-checked without it. */
import { createRequire } from 'node:module';

/**
 * @typedef {object} Built
 * @property {{ path: string, text: string }[]} outputFiles
 * @property {{ outputs: Record<string, { imports: { path: string }[] }> }} metafile
 */

/** @type {{ build: (options: object) => Promise<Built> }} */
const esbuild = createRequire(import.meta.url)('esbuild');

/** @param {object} options  of esbuild */
export function build(options) {
  return esbuild.build({ bundle: true, format: 'esm', metafile: true, ...options });
}
