/**
 * Puts a file in the place of another. Windows refuses that for as long as some other program has the old one open: a
 * reader, a virus scanner, an indexer. That is over in a moment, so it is tried again.
 */

import { renameSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const BUSY: ReadonlySet<unknown> = new Set(['EPERM', 'EACCES', 'EBUSY']);
/** Less than a second in all. */
const PAUSES_MS: readonly number[] = [5, 10, 20, 40, 80, 160, 320];

export interface ReplacingSystem<Renamed, Paused> {
  readonly platform: NodeJS.Platform;
  rename(from: string, to: string): Renamed;
  pause(milliseconds: number): Paused;
}

export async function replaceFile(
  from: string,
  to: string,
  system: ReplacingSystem<Promise<void>, Promise<unknown>> = {
    platform: process.platform,
    rename,
    pause: delay,
  },
): Promise<void> {
  for (const pause of pausesOn(system.platform)) {
    try {
      return await system.rename(from, to);
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    await system.pause(pause);
  }
  return system.rename(from, to);
}

export function replaceFileSync(
  from: string,
  to: string,
  system: ReplacingSystem<void, unknown> = {
    platform: process.platform,
    rename: renameSync,
    pause: (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds),
  },
): void {
  for (const pause of pausesOn(system.platform)) {
    try {
      system.rename(from, to);
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    system.pause(pause);
  }
  system.rename(from, to);
}

function pausesOn(platform: NodeJS.Platform): readonly number[] {
  return platform === 'win32' ? PAUSES_MS : [];
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && BUSY.has(error.code);
}
