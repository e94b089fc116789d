/** What a bundler makes of a server over stdio and HTTP: all that a program with one would carry, minified. */
import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { entriesOf } from './footprint.mjs';

const BUILT_IN = /^node:/;

/**
 * @param {string} contender
 * @returns {Promise<{ bundleKb: number, bundleGzipKb: number }>}
 */
export async function bundleSize(contender) {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: entriesOf(contender).map((url) => fileURLToPath(url)),
    platform: 'node',
    external: [BUILT_IN, ...builtinModules],
    onLog: () => {},
  });
  try {
    const { output } = await bundle.generate({ format: 'esm', minify: true });
    const code = output.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('\n');
    return { bundleKb: Buffer.byteLength(code) / 1024, bundleGzipKb: gzipSync(code).length / 1024 };
  } finally {
    await bundle.close();
  }
}
