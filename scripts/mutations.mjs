/**
 * `npm run mutations`: breaks the reference server and the reference client in every known way, and writes what the
 * validator misses to docs/validator-mutations.md. `npm test` runs the same trials, and writes nothing.
 */
import { endWithParent, runTool } from './run.mjs';

endWithParent();
process.env.PLUMB_WRITE_MUTATIONS = '1';
const { ok } = await runTool('vitest', 'vitest', ['run', 'test/integration/validate/mutations'], {
  live: true,
});
process.exitCode = ok ? 0 : 1;
