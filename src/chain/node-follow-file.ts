/** Reports when a file was written again. */

import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** A file is often written in several steps. */
const SETTLE_MS = 150;

/**
 * Returns a function that ends it. Changes are reported one after the other, each after the work for the
 * previous one.
 */
export function followFile(path: string, changed: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let working: Promise<void> = Promise.resolve();
  // Editors replace files rather than write to them, so the directory is watched.
  const watcher = watch(dirname(path), (_event, file) => {
    if (file !== null && file !== basename(path)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      working = working.then(changed);
    }, SETTLE_MS);
  });
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
