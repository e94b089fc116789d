/** Where the inspector keeps what outlives it. */

import { homedir } from 'node:os';
import { join } from 'node:path';

export function savedCallsPath(environment: NodeJS.ProcessEnv = process.env): string {
  return join(savedServersFolder(environment), 'inspector.json');
}

export function savedServersFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment.XDG_CONFIG_HOME || join(homedir(), '.config'), 'plumb');
}
