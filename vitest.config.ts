import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const source = fileURLToPath(new URL('./src', import.meta.url));

export default defineConfig({
  resolve: {
    // Tests and examples import the package by its public names, and run against the sources.
    alias: [
      { find: /^plumb-mcp$/, replacement: `${source}/index.ts` },
      { find: /^plumb-mcp\/stdio$/, replacement: `${source}/transports/stdio/index.ts` },
      { find: /^plumb-mcp\/chain\/node$/, replacement: `${source}/chain/node.ts` },
      { find: /^plumb-mcp\/([a-z-]+)$/, replacement: `${source}/$1/index.ts` },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // They have a step and a configuration of their own.
    exclude: [...configDefaults.exclude, 'test/journeys/**'],
    setupFiles: ['test/support/nothing-real.ts'],
    pool: 'forks',
    // Most tests wait for other processes rather than compute: one worker fewer than cores would leave the machine idle.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 30_000,
    hookTimeout: 30_000,
    watch: false,
  },
});
