/** What a test has opened is closed after it, the last first, whatever became of the test. */

import { afterEach } from 'vitest';

const steps: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of steps.splice(0).reverse()) await step();
});

/** Runs the steps after the current test. */
export function cleanup(...added: (() => unknown)[]): void {
  steps.push(...added);
}
