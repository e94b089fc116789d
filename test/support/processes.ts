import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

export function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/stdio/${name}.mjs`, import.meta.url));
}

/** A zombie is dead: it only waits for an init process that collects it, which containers may lack. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** For processes that are not our children and tell us nothing. */
export async function untilGone(pid: number): Promise<void> {
  await expect.poll(() => isAlive(pid), { interval: 10 }).toBe(false);
}
