import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest. They begin first, so that none of them runs alone at the end. */
const LONGEST = [
  'test/model/model',
  'test/unit/chain/fast-and-slow',
  'test/integration/transports/stdio-server',
  'test/integration/chain/transparency',
  'test/security/linear-time',
  'test/integration/transports/stdio',
  'test/integration/chain/bridge',
  'test/integration/chain/real-servers',
  'test/integration/validate/',
  'test/integration/inspector-web/',
  'test/integration/examples/',
  'test/integration/cli/',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.findIndex((path) => moduleId.replaceAll('\\', '/').includes(path));
      return found === -1 ? LONGEST.length : found;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

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
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // Most tests wait for other processes rather than compute: one worker fewer than cores would leave the machine idle.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 30_000,
    hookTimeout: 30_000,
    watch: false,
  },
});
