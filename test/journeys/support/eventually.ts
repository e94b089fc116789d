import { setTimeout as pause } from 'node:timers/promises';

/** Only what never happens reaches it, also on a busy machine. */
const LIMIT_MS = 60_000;

/** Checks until the check does not throw; after the limit it throws what the check threw last. */
export async function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  const limit = performance.now() + LIMIT_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > limit) throw error;
    }
    await pause(30);
  }
}
