/** Files of lines: appended to, rotated when they grow too large, and readable by their owner alone. */

import { appendFileSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Optional } from '../protocol/given.js';
import { byteCount, type Size } from '../protocol/size.js';
import { replaceFileSync } from '../transports/stdio/replace-file.js';
import type { ConfiguredFiles } from './configured-layers.js';

export interface RotationOptions {
  /** The file is put aside when it has grown beyond this: `'10MB'`, or a number of bytes. */
  readonly maxBytes: Size;
  /** Files put aside that are kept: FILE.1 is the latest. */
  readonly keep: number;
}

/** Appends lines. Each is on its way to the disk when the function returns: a record must not die with the process. */
export function appendLines(path: string, rotation?: RotationOptions): (line: string) => void {
  const maxBytes = rotation === undefined ? undefined : byteCount(rotation.maxBytes);
  let size = existsSync(path) ? statSync(path).size : 0;
  return (line) => {
    const text = `${line}\n`;
    const bytes = Buffer.byteLength(text);
    if (rotation !== undefined && maxBytes !== undefined && size > 0 && size + bytes > maxBytes) {
      rotate(path, rotation.keep);
      size = 0;
    }
    appendFileSync(path, text, { mode: 0o600 });
    size += bytes;
  };
}

/** For `audit()`. Default: 10 MiB for each file, and 5 old files. */
export function auditFile(path: string, options: Optional<RotationOptions> = {}): (line: string) => void {
  const { maxBytes = 10 * 1024 * 1024, keep = 5 } = options;
  return appendLines(path, { maxBytes, keep });
}

export function filesIn(directory: string): ConfiguredFiles {
  return {
    append: (file, rotation) => appendLines(resolve(directory, file), rotation),
    lines: (file) => readFileSync(resolve(directory, file), 'utf8').split('\n'),
  };
}

function rotate(path: string, keep: number): void {
  rmSync(`${path}.${keep}`, { force: true });
  for (let index = keep - 1; index >= 1; index -= 1) {
    if (existsSync(`${path}.${index}`)) replaceFileSync(`${path}.${index}`, `${path}.${index + 1}`);
  }
  replaceFileSync(path, `${path}.1`);
}
