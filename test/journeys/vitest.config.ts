import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// No aliases: what a journey imports from the repository is its own support code; Plumb is the installed package.
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/journeys/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: Math.max(2, availableParallelism()),
    // Limits that only a hang reaches, also on a machine with other work.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    watch: false,
  },
});
