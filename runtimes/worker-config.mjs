/** A Worker as `wrangler` makes it: one bundled module, and a configuration for workerd. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './bundler.mjs';

/** The oldest date that Plumb supports: since then a request may settle a promise of another one. */
export const COMPATIBILITY_DATE = '2024-10-14';

/**
 * @param {string} folder  with programs/ and node_modules/
 * @param {number} port
 * @returns {Promise<string>} the configuration file
 */
export async function makeWorker(folder, port) {
  await build({
    entryPoints: [join(folder, 'programs', 'worker.mjs')],
    outfile: join(folder, 'worker.js'),
    platform: 'neutral',
    conditions: ['workerd', 'worker', 'browser'],
    mainFields: ['browser', 'module', 'main'],
    logLevel: 'error',
  });
  const config = join(folder, 'worker.capnp');
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "${COMPATIBILITY_DATE}",
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`,
  );
  return config;
}
