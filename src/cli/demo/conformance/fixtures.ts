/**
 * What the official conformance suite expects of a server: names, messages and schemas are its own.
 * See `src/scenarios/server/` in modelcontextprotocol/conformance.
 */

import type { Server } from '../../../server/index.js';
import { addAskingFixtures } from './asking.js';
import { addContentFixtures } from './content.js';
import { addInputRequiredFixtures } from './input-required.js';
import { addLifecycleFixtures } from './lifecycle.js';
import { addPromptFixtures } from './prompts.js';
import { addResourceFixtures } from './resources.js';
import { addSchemaFixtures } from './schemas.js';

export function addConformanceFixtures(server: Server): void {
  addContentFixtures(server);
  addAskingFixtures(server);
  addLifecycleFixtures(server);
  addSchemaFixtures(server);
  addInputRequiredFixtures(server);
  addResourceFixtures(server);
  addPromptFixtures(server);
}
