/** The skills of the demo: the folder that is also an example. */

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Server } from '../../server/index.js';

export async function addSkills(server: Server): Promise<void> {
  const manifest = createRequire(import.meta.url).resolve('plumb-mcp/package.json');
  await server.skills(join(dirname(manifest), 'examples', 'skills'), { watch: false });
}
