import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const LEFT_OUT: string[] = JSON.parse(process.env.PLUMB_TESTS_LEFT_OUT ?? '[]');

// No aliases: what a journey imports from the repository is its own support code; Plumb is the installed package.
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/journeys/**/*.test.ts'],
    // `npm test` names the files that cannot run on this machine.
    exclude: [...configDefaults.exclude, ...LEFT_OUT],
    setupFiles: ['test/support/set-up.ts'],
    pool: 'forks',
    maxWorkers: Math.max(2, availableParallelism()),
    // Limits that only a hang reaches, also on a machine with other work.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    watch: false,
  },
});
