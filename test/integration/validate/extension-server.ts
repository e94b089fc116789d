/** A correct server with the skills of the examples and an app: mutations break one thing in it. */

import { fileURLToPath } from 'node:url';
import { createServer, type Server } from '../../../src/server/index.js';

const SKILLS = fileURLToPath(new URL('../../../examples/skills', import.meta.url));

export async function createExtensionServer(): Promise<Server> {
  const server = createServer({ name: 'extensions', version: '1.0.0' });
  await server.skills(SKILLS, { watch: false });
  server.app('chart', { html: '<!doctype html><title>Chart</title><p>Sales</p>' });
  server.tool('sales', { app: 'chart', annotations: { readOnlyHint: true } }, () => '12 sold');
  server.tool('refresh', { app: 'chart', visibility: ['app'] }, () => 'Refreshed.');
  return server;
}
