/** Where the inspector keeps what outlives it. */

import { homedir } from 'node:os';
import { join } from 'node:path';

export function savedCallsPath(environment: NodeJS.ProcessEnv = process.env): string {
  const folder = environment.XDG_CONFIG_HOME || join(homedir(), '.config');
  return join(folder, 'plumb', 'inspector.json');
}
