/** The demo server with everything that the official suite expects of a server. */
import { addConformanceFixtures } from './fixtures/index.mjs';
import { createDemoServer } from './plumb.mjs';

/** @param {import('../src/cli/demo/server.js').DemoOptions} [options] */
export function createFixtureServer(options) {
  const server = createDemoServer(options);
  addConformanceFixtures(server);
  return server;
}
