/** Whether a command can be started at all, without starting it. */

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { StdioTarget } from '../../client/target.js';

/** False only when it is certain that there is no such program. */
export function mayExist({ command, cwd = process.cwd(), env }: StdioTarget): boolean {
  // Windows finds programs in more ways than these.
  if (process.platform === 'win32') return true;
  if (command.includes('/')) return isExecutable(isAbsolute(command) ? command : resolve(cwd, command));
  const path = env?.PATH ?? process.env.PATH ?? '';
  return path.split(delimiter).some((folder) => isExecutable(join(folder === '' ? cwd : folder, command)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
