/** Lock files on disk. */

import { readFileSync } from 'node:fs';
import { InvalidLockError, parseLock } from './lock/lock-file.js';
import type { Surface } from './lock/surface.js';

/** The approved surface, for the option `lock` of a server in a chain. Throws `InvalidLockError`. */
export function readLock(path: string): Promise<Surface> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    return Promise.reject(
      new InvalidLockError(`Cannot read the lock ${path}; write it with plumb lock`, { cause }),
    );
  }
  return parseLock(text, path);
}
