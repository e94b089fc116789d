/** What a test has opened is closed after it, the last first, whatever became of the test. */

const steps: (() => unknown)[] = [];

/** Runs the steps after the current test. */
export function cleanup(...added: (() => unknown)[]): void {
  steps.push(...added);
}

/** For the set-up of test files: files that share a process share this module, so it cannot register a hook itself. */
export async function closeOpened(): Promise<void> {
  for (const step of steps.splice(0).reverse()) await step();
}
