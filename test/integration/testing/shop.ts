/** Runs `plumb test` as users do, in a folder of its own. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Ended, plumb, type RunOptions } from '../cli/plumb.js';

export const SHOP: readonly string[] = [
  fileURLToPath(new URL('./fixtures/shop-server.mjs', import.meta.url)),
];

export interface Folder {
  readonly path: string;
  write(name: string, content: string | object): string;
  plumb(args: readonly string[], options?: RunOptions): Promise<Ended>;
  remove(): void;
}

export function createFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'plumb-test-'));
  return {
    path,
    write: (name, content) => {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
      return name;
    },
    plumb: (args, options = {}) => plumb(args, { cwd: path, ...options }),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** The shop server as a test file names it. */
export const SERVER = { command: process.execPath, args: SHOP };
