import { vi } from 'vitest';

/** Only what never happens reaches it, also on a busy machine. */
const LIMIT_MS = 60_000;

/** Checks until the check does not throw; after the limit it throws what the check threw last. */
export function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: LIMIT_MS, interval: 30 });
}
