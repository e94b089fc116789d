import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest. They begin first, so that none of them runs alone at the end. */
const LONGEST = [
  'test/integration/validate/mutations/server',
  'test/integration/store/cluster',
  'test/security/inspector-memory',
  'test/integration/testing/',
  'test/security/orphans',
  'test/integration/validate/',
  'test/integration/cli/contracts',
  'test/integration/chaos/',
  'test/security/linear-time',
  'test/integration/store/',
  'test/security/environment',
  'test/security/limits-bytes',
  'test/integration/cli/',
  'test/security/processes',
  'test/model/model',
  'test/integration/transports/',
  'test/integration/matrix/',
  'test/integration/chain/',
  'test/integration/inspector-web/',
  'test/integration/extensions/',
  'test/integration/examples/',
  'test/unit/chain/fast-and-slow',
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

const CORES = Math.max(2, availableParallelism());

const LEFT_OUT: string[] = JSON.parse(process.env.PLUMB_TESTS_LEFT_OUT ?? '[]');

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
    // `npm test` names the files that cannot run on this machine; journeys have a configuration of their own.
    exclude: [...configDefaults.exclude, ...LEFT_OUT, 'test/journeys/**'],
    setupFiles: ['test/support/set-up.ts'],
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // Files share a process, one after the other: loading the sources anew for each would take longer than its tests.
    isolate: false,
    // Limits that only a hang reaches, also on a machine with other work.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    watch: false,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/unit/**/*.test.ts'], maxWorkers: CORES },
      },
      // Most of these wait for other processes rather than compute: as many workers as cores would leave them idle.
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/{integration,security,model}/**/*.test.ts'],
          sequence: { groupOrder: 1 },
          maxWorkers: 2 * CORES,
        },
      },
    ],
  },
});
