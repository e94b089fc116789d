/** Programs of Windows itself, by their full path: a bare name is looked for in the current folder first. */

import { win32 } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** `folders` below the folder of Windows: `systemProgram('System32', 'taskkill.exe')`. */
export function systemProgram(
  folders: readonly string[],
  program: string,
  environment: Environment = process.env,
): string {
  // An environment of our own may spell it otherwise than the system does.
  const name = Object.keys(environment).find((key) => key.toLowerCase() === 'systemroot');
  const root = (name === undefined ? undefined : environment[name]) || 'C:\\Windows';
  return win32.join(root, ...folders, program);
}
